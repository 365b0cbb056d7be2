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
  return nearest === undefined ? '' : `; did you mean "${known[lowerCase.indexOf(nearest)]}"?`;
}

/**
 * The faults that the schema found, a sentence each. Never contains a value, which may be secret.
 *
 * @param places where values came from, by the key that they would have in the file
 */
export function toFaults(error: z.ZodError | undefined, places: ReadonlyMap<string, string>): string[] {
  const isFirst = ({ code, path }: z.core.$ZodIssue) =>
    Number(code === 'unrecognized_keys' && path.length < 2);
  // Misspelt settings come first, since other faults may follow from them.
  const issues = (error?.issues ?? []).toSorted((a, b) => isFirst(b) - isFirst(a));
  return issues.flatMap((issue) => {
    const name = nameOf(issue.path, places);
    if (issue.code !== 'unrecognized_keys') return [`${name} ${issue.message}`.trimStart()];
    const problems = issue.message.split('\n');
    return issue.keys.map((key, index) => `${nameOf([...issue.path, key], places)} ${problems[index]}`);
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
