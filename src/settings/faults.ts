import { closestMatch } from 'leven';
import { z } from 'zod';

/** A section of the file. Unknown keys are faults, reported with the nearest known key. */
export function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape);
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys.map((key) => `is unknown${suggest(key, known)}`).join('\n')
        : 'must have keys below it',
  });
}

function suggest(key: string, known: readonly string[]): string {
  const maxDistance = Math.max(key.length < 4 ? 1 : 2, Math.floor(key.length / 3));
  const lowerCase = known.map((candidate) => candidate.toLowerCase());
  const nearest = closestMatch(key.toLowerCase(), lowerCase, { maxDistance });
  if (nearest === undefined) return ': remove it; hindsight.example.yaml has all keys';
  return `; did you mean "${known[lowerCase.indexOf(nearest)]}"?`;
}

/**
 * The faults that the schema found, a sentence each. Never contains a value, which may be secret.
 *
 * @param places flags and variables that values came from, by the key that they would have in the file
 * @param placeOf the place of a value in the file
 */
export function toFaults(
  error: z.ZodError | undefined,
  places: ReadonlyMap<string, string>,
  placeOf: (path: readonly PropertyKey[]) => string | undefined,
): string[] {
  const isFirst = ({ code, path }: z.core.$ZodIssue) =>
    Number(code === 'unrecognized_keys' && path.length < 2);
  // Misspelt settings come first, since other faults may follow from them.
  const issues = (error?.issues ?? []).toSorted((a, b) => isFirst(b) - isFirst(a));
  const toFault = (path: readonly PropertyKey[], problem: string | undefined): string => {
    const name = nameOf(path, places);
    const place = name === nameOf(path, new Map()) ? placeOf(path) : undefined;
    return `${place === undefined ? '' : `${place}: `}${name} ${problem}`;
  };
  return issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return [toFault(issue.path, issue.message)];
    const problems = issue.message.split('\n');
    return issue.keys.map((key, index) => toFault([...issue.path, key], problems[index]));
  });
}

/** `nodes[2].id` or `--node[2]`, counted from 1 as people do. */
function nameOf(path: readonly PropertyKey[], places: ReadonlyMap<string, string>): string {
  return path.reduce<string>((above, part) => {
    const below = above === '' ? String(part) : `${above}.${String(part)}`;
    const name = typeof part === 'number' ? `${above}[${part + 1}]` : below;
    return places.get(name) ?? name;
  }, '');
}
