import type { Past } from '../graphql/time-travel.js';

/** A part of an id. All parts together tell a row from the others of its type. */
type Part = string | number | bigint | null | undefined;

/** In JSON: what no recorded text holds, U+0000 and half of a pair of surrogates. */
const UNRECORDABLE = /\\u(?:0000|d[89a-f])/;

/** Parts are told apart by it; none holds it, nor the sign that ids of submissions have. */
const SEPARATOR = ':';

/** The id of a row that has no shorter name: its type, and what it is found by. */
export function rowId(type: string, ...parts: readonly Part[]): string {
  return [type, ...parts.map(toPart)].join(SEPARATOR);
}

/** The inverse; empty parts were null. Undefined for what is no such id. */
export function parseRowId(
  id: string,
): { readonly type: string; readonly parts: readonly string[] } | undefined {
  const [type = '', ...parts] = id.split(SEPARATOR);
  try {
    return parts.length === 0 || parts.some((part) => part.includes('%00'))
      ? undefined
      : { type, parts: parts.map((part) => decodeURIComponent(part)) };
  } catch {
    return undefined;
  }
}

function toPart(part: Part): string {
  return encodeURIComponent(String(part ?? '')).replaceAll('~', '%7E');
}

/**
 * A question as part of an id, of rows that are figures: they are what they are by what was asked. Times stand as digits.
 * @param question arguments; what is null or left out is not in it
 */
export function questionPart(question: object): string {
  const members = Object.entries(question).filter(([, value]) => value !== null && value !== undefined);
  const json = JSON.stringify(
    Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
  return Buffer.from(json).toString('base64url');
}

/** The inverse, not checked yet; undefined for what is none. */
export function readQuestionPart(part: string | undefined): unknown {
  try {
    const question: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
    return UNRECORDABLE.test(JSON.stringify(question)) ? undefined : question;
  } catch {
    return undefined;
  }
}

/** An id for caches, which tells a row of a past from the same row of today. A row of today has its plain id. */
export function versionOf(id: string, { asOf, knownAt, end }: VersionTimes): string {
  const times = [asOf, knownAt, end];
  return times.every((time) => typeof time !== 'bigint')
    ? id
    : `${id}@${times.map((time) => time ?? '').join('.')}`;
}

type VersionTimes = { readonly [Name in keyof Past]?: Past[Name] | null };
