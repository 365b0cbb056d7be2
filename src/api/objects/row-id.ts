import type { Past } from '../graphql/time-travel.js';

/** A part of an id. All parts together distinguish a row from the others of its type. */
type IdPart = string | number | bigint | null | undefined;

/** JSON escapes that no recorded text contains: U+0000 and half of a surrogate pair. */
const UNRECORDABLE = /\\u(?:0000|d[89a-f])/;

/** Separates the parts; encoded parts contain neither it nor `~`, which is in ids of submissions. */
const SEPARATOR = ':';

/** The id of a row without a shorter one: its type, and the parts by which it is found. */
export function rowId(type: string, ...parts: readonly IdPart[]): string {
  return [type, ...parts.map(toPart)].join(SEPARATOR);
}

/** The inverse of {@link rowId}; parts that were null are empty. Undefined for text that is no such id. */
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

function toPart(part: IdPart): string {
  return encodeURIComponent(String(part ?? '')).replaceAll('~', '%7E');
}

/**
 * A report query as part of an id of its rows, whose figures depend on the query. Times are digits.
 * @param question arguments; null and undefined are left out
 */
export function questionPart(question: object): string {
  const members = Object.entries(question).filter(([, value]) => value !== null && value !== undefined);
  const json = JSON.stringify(
    Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1))),
    (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value),
  );
  return Buffer.from(json).toString('base64url');
}

/** The inverse of {@link questionPart}, not validated; undefined for text that is no such part. */
export function readQuestionPart(part: string | undefined): unknown {
  try {
    const question: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString());
    return UNRECORDABLE.test(JSON.stringify(question)) ? undefined : question;
  } catch {
    return undefined;
  }
}

/** An id for caches, which distinguishes a row of the past from the same row of today. A row of today has its plain id. */
export function versionOf(id: string, { asOf, knownAt, end }: VersionTimes): string {
  const times = [asOf, knownAt, end];
  return times.every((time) => typeof time !== 'bigint')
    ? id
    : `${id}@${times.map((time) => time ?? '').join('.')}`;
}

type VersionTimes = { readonly [Name in keyof Past]?: Past[Name] | null };
