import type { z } from 'zod';

/** One thing that is wrong, by the name under which the user knows it. Never holds a value: it may be secret. */
export interface SettingFault {
  /** A key of the file, a variable or a flag. */
  readonly name: string;
  readonly problem: string;
}

/** Turns a complaint of the schema into faults; an unknown key is named on its own, with the nearest known one. */
export function toFaults(prefix: string, error: z.ZodError, knownKeys: readonly string[]): SettingFault[] {
  return error.issues.flatMap((issue) => {
    const name = joinPath(prefix, issue.path);
    if (issue.code !== 'unrecognized_keys') return [{ name, problem: describe(issue) }];
    return issue.keys.map((key) => unknownKey(joinPath(prefix, [...issue.path, key]), key, knownKeys));
  });
}

function describe(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.includes('received undefined')) return 'is missing';
  if (issue.code === 'invalid_type' && issue.expected === 'object') return 'must have keys below it';
  return issue.message;
}

/** `nodes[2].id`, counted from 1 as people do. */
function joinPath(prefix: string, path: readonly PropertyKey[]): string {
  return path.reduce<string>((name, part) => {
    if (typeof part === 'number') return `${name}[${part + 1}]`;
    return name === '' ? String(part) : `${name}.${String(part)}`;
  }, prefix);
}

/** A fault about a key that means nothing. */
export function unknownKey(name: string, key: string, knownKeys: readonly string[]): SettingFault {
  const near = nearest(key, knownKeys);
  return { name, problem: near === undefined ? 'is unknown' : `is unknown; did you mean "${near}"?` };
}

/** The known word that needs the fewest changes, if those are few. */
function nearest(word: string, known: readonly string[]): string | undefined {
  const ranked = known
    .map((candidate) => ({ candidate, distance: editDistance(word.toLowerCase(), candidate.toLowerCase()) }))
    .toSorted((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(word.length < 4 ? 1 : 2, Math.floor(word.length / 3))
    ? best.candidate
    : undefined;
}

/** Levenshtein: how many letters must be put in, left out or changed. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [i, letter] of Array.from(a).entries()) {
    const next = [i + 1];
    for (const [j, other] of Array.from(b).entries()) {
      const change = (row[j] ?? 0) + (letter === other ? 0 : 1);
      next.push(Math.min(change, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
