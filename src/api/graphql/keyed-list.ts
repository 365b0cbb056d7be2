import { createHash } from 'node:crypto';
import { formatTime, type Micros, microsToNanos, parseTime } from '../../domain/time.js';
import { INT64_MAX, isWithinTime } from './scalars.js';
import type { Spans, SqlParameters } from './sql-text.js';
import type { TravelArgs } from './time-travel.js';

export interface KeyPart {
  /** Never null. */
  readonly sql: string;
  /** The ORDER BY expression, where the index uses another form than `sql`. */
  readonly order?: string;
  readonly type: 'bigint' | 'text' | 'timestamptz';
}

/** The sort key of a list; no insert moves existing rows. */
export type Key = readonly KeyPart[];

/** The values of a row's sort key, as text. */
export type CursorKey = readonly string[];

/** A page request with checked arguments. */
export interface PageRequest {
  readonly size: number;
  /** Whether the page is the end of the range, and is read from the end. */
  readonly backwards: boolean;
  readonly after: CursorKey | undefined;
  readonly before: CursorKey | undefined;
}

/** Encodes and decodes the cursors of a list. A cursor holds the row's sort key, so inserts do not move it. */
export interface CursorCodec<Row> {
  encode(row: Row): string;
  /** Undefined for text that `encode` cannot have produced. */
  decode(text: string): CursorKey | undefined;
}

/**
 * The codec for one query of a list: it rejects cursors of another order, filter or time.
 * @param conditions the list's filter, including its order
 */
export function codecFor<Row>(
  codec: CursorCodec<Row>,
  conditions: object,
  { asOf, knownAt }: TravelArgs = {},
): CursorCodec<Row> {
  let known: string | undefined;
  // Most requests need a page but no cursor.
  const getName = (): string => (known ??= nameOfQuestion({ conditions, asOf, knownAt }));
  return {
    encode: (row) => getName() + codec.encode(row),
    decode: (text) => (text.startsWith(getName()) ? codec.decode(text.slice(getName().length)) : undefined),
  };
}

/** The ORDER BY of a page, and the conditions from its cursors. */
export interface PageOrder {
  readonly orderBy: string;
  readonly conditions: string[];
  /** Given where the page is read span by span. */
  readonly getSpans?: () => Spans | undefined;
}

/** A sort key of `bigint` columns. */
export function numbersOf(...columns: readonly string[]): KeyPart[] {
  return columns.map((sql) => ({ sql, type: 'bigint' }));
}

/** The column list of an `ORDER BY`. */
export function orderOf(key: Key, direction: 'ASC' | 'DESC' = 'ASC'): string {
  return key.map(({ sql, order = sql }) => `${order} ${direction}`).join(', ');
}

/** Condition: rows after a place (`>`), before it (`<`), or up to and including it (`<=`). */
export function keyCondition(
  key: Key,
  operator: '<' | '>' | '<=',
  place: CursorKey,
  parameters: SqlParameters,
): string {
  const values = key.map(({ type }, index) => parameters.add(place[index], type));
  return `(${key.map(({ sql }) => sql).join(', ')}) ${operator} (${values.join(', ')})`;
}

/** Conditions from the cursors of a page. @param ascends whether the list ascends */
export function boundPage(
  key: Key,
  { after, before }: Pick<PageRequest, 'after' | 'before'>,
  ascends: boolean,
  parameters: SqlParameters,
): string[] {
  const bound = (operator: '<' | '>', place: CursorKey | undefined): string[] =>
    place === undefined ? [] : [keyCondition(key, operator, place, parameters)];
  return [...bound(ascends ? '>' : '<', after), ...bound(ascends ? '<' : '>', before)];
}

/** The ORDER BY of a page, and the conditions from its cursors. @param ascends whether the list ascends */
export function keysetOrder(
  key: Key,
  request: PageRequest,
  ascends: boolean,
  parameters: SqlParameters,
): PageOrder {
  return {
    orderBy: orderOf(key, ascends === request.backwards ? 'DESC' : 'ASC'),
    conditions: boundPage(key, request, ascends, parameters),
  };
}

/** The cursor codec of a list. @param name of the list, which only appears in its cursors */
export function cursorsOf<Row>(
  name: string,
  key: Key,
  placeOf: (row: Row) => readonly (string | bigint | number)[],
): CursorCodec<Row> {
  return {
    encode: (row) => encodeCursor(name, placeOf(row).map(String)),
    decode: (text) => decodeCursor(name, key, text),
  };
}

/** A time as text in a {@link CursorKey}. */
export function timeOfKey(time: Micros): string {
  return formatTime(microsToNanos(time));
}

/**
 * Encodes a list position as an opaque cursor. Cursors are checked, not signed: a forged cursor reaches no row that its author
 * could not request anyway.
 */
export function encodeCursor(name: string, place: CursorKey): string {
  return Buffer.from(JSON.stringify([name, ...place])).toString('base64url');
}

/** Undefined for text that {@link encodeCursor} cannot have produced for this list. */
export function decodeCursor(name: string, key: Key, cursor: string): CursorKey | undefined {
  if (!/^[\w-]{1,2000}$/.test(cursor)) return undefined;
  const [list, ...place] = parse(Buffer.from(cursor, 'base64url').toString());
  const fits =
    place.length === key.length && key.every(({ type }, index) => isValue(type, place[index] ?? ''));
  return list === name && fits ? place : undefined;
}

function parse(text: string): readonly string[] {
  try {
    const parts: unknown = JSON.parse(text);
    return Array.isArray(parts) && parts.every((part) => typeof part === 'string') ? parts : [];
  } catch {
    return [];
  }
}

function isValue(type: KeyPart['type'], value: string): boolean {
  switch (type) {
    case 'bigint':
      return /^-?\d{1,19}$/.test(value) && BigInt(value) <= INT64_MAX && BigInt(value) >= -INT64_MAX;
    case 'text':
      return !/[\0\p{Surrogate}]/u.test(value);
    case 'timestamptz': {
      const time = value.endsWith('Z') ? parseTime(value) : undefined;
      return time !== undefined && isWithinTime(time);
    }
    default:
      return type satisfies never;
  }
}

/** Length of the query hash in cursors. */
const QUESTION_LENGTH = 8;

/**
 * A hash of a query's order, filter and times, so that its cursors are not accepted by another query of the same list. Left out
 * counts as null. The order of names in a list and duplicates make no difference.
 */
export function nameOfQuestion(question: unknown): string {
  return createHash('sha256').update(toCanonical(question)).digest('base64url').slice(0, QUESTION_LENGTH);
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
