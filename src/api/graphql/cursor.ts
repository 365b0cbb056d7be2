import { createHash } from 'node:crypto';

/** Characters that name a question in its cursors. */
const QUESTION_LENGTH = 8;

/**
 * Names a question among others of its list, by its order, filter and times, so that a place in one is not taken for a place in
 * another. What is left out is as good as null, and neither the order of names in a list nor one that is there twice makes a difference.
 */
export function nameOfQuestion(asked: unknown): string {
  return createHash('sha256').update(toCanonical(asked)).digest('base64url').slice(0, QUESTION_LENGTH);
}

function toCanonical(value: unknown): string {
  if (Array.isArray(value)) return `[${[...new Set(value.map(toCanonical))].sort().join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(String(value));
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return `{${members
    .map(([name, member]) => `${JSON.stringify(name)}:${toCanonical(member)}`)
    .sort()
    .join(',')}}`;
}

/**
 * Cursors are opaque to callers: a letter for the list, then integers, in base64url.
 * They are checked, not signed: a made-up one reaches no row that its maker could not ask for anyway.
 */
export function encodeCursor(list: string, values: readonly (bigint | number | string)[]): string {
  return Buffer.from(`${list}${values.join(',')}`).toString('base64url');
}

/** The integers of a cursor of `list`, `count` of them within 64 bits; undefined for any other text. */
export function decodeCursor(list: string, count: number, text: string): bigint[] | undefined {
  if (!/^[\w-]{1,200}$/.test(text)) return undefined;
  const plain = Buffer.from(text, 'base64url').toString('latin1');
  if (!plain.startsWith(list) || !/^(?:-?\d{1,19}(?:,|$))+$/.test(plain.slice(list.length))) return undefined;
  const values = plain.slice(list.length).split(',').map(BigInt);
  const fit = values.every((value) => value === BigInt.asIntN(64, value));
  return values.length === count && fit ? values : undefined;
}
