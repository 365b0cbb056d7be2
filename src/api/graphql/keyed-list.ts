import { createHash } from 'node:crypto';
import { formatTime, type Micros, microsToNanos, parseTime } from '../../domain/time.js';
import { INT64_MAX, isWithinTime } from './scalars.js';
import type { Spans, SqlParameters } from './sql-text.js';
import type { TravelArgs } from './time-travel.js';

/** A part of what places a row in its list. */
export interface KeyPart {
  /** Its value, which is never null. */
  readonly sql: string;
  /** What is ordered by where an index has it in another form. */
  readonly order?: string;
  readonly type: 'bigint' | 'text' | 'timestamptz';
}

/** What places a row in an order that no insert changes. */
export type Key = readonly KeyPart[];

/** The values of a row's key, as text. */
export type Place = readonly string[];

/** A page that was asked for, its arguments checked. */
export interface PageRequest {
  readonly size: number;
  /** Whether the page is the end of the range, read from there. */
  readonly backwards: boolean;
  readonly after: Place | undefined;
  readonly before: Place | undefined;
}

/** How a list turns a place in it into a cursor and back. A cursor names the row's place, so inserts don't move it. */
export interface CursorCodec<Row> {
  encode(row: Row): string;
  /** Undefined for what `encode` cannot have made. */
  decode(text: string): Place | undefined;
}

/**
 * The codec of a list as it is asked for: its cursors are none of another order, filter or time.
 * @param conditions those of the list, its order among them
 */
export function codecFor<Row>(
  codec: CursorCodec<Row>,
  conditions: object,
  { asOf, knownAt }: TravelArgs = {},
): CursorCodec<Row> {
  let known: string | undefined;
  // Most ask for a page and no cursor.
  const getName = (): string => (known ??= nameOfQuestion({ conditions, asOf, knownAt }));
  return {
    encode: (row) => getName() + codec.encode(row),
    decode: (text) => (text.startsWith(getName()) ? codec.decode(text.slice(getName().length)) : undefined),
  };
}

/** How a page is found: its order, and the conditions that its cursors make. */
export interface PageOrder {
  readonly orderBy: string;
  readonly conditions: string[];
  /** Where it is looked for span by span. */
  readonly getSpans?: () => Spans | undefined;
}

/** A key of numbers. */
export function numbersOf(...columns: readonly string[]): KeyPart[] {
  return columns.map((sql) => ({ sql, type: 'bigint' }));
}

/** What an `ORDER BY` names. */
export function orderOf(key: Key, direction: 'ASC' | 'DESC' = 'ASC'): string {
  return key.map(({ sql, order = sql }) => `${order} ${direction}`).join(', ');
}

/** Condition that rows stand behind a place, in front of it, or at it and in front of it. */
export function besidePlace(
  key: Key,
  operator: '<' | '>' | '<=',
  place: Place,
  parameters: SqlParameters,
): string {
  const values = key.map(({ type }, index) => parameters.add(place[index], type));
  return `(${key.map(({ sql }) => sql).join(', ')}) ${operator} (${values.join(', ')})`;
}

/** Conditions that the cursors of a page make. @param ascends whether the list does */
export function boundPage(
  key: Key,
  { after, before }: Pick<PageRequest, 'after' | 'before'>,
  ascends: boolean,
  parameters: SqlParameters,
): string[] {
  const bound = (operator: '<' | '>', place: Place | undefined): string[] =>
    place === undefined ? [] : [besidePlace(key, operator, place, parameters)];
  return [...bound(ascends ? '>' : '<', after), ...bound(ascends ? '<' : '>', before)];
}

/** The order of a page, and the conditions that its cursors make. @param ascends whether the list does */
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

/** Cursors of the rows of a list. @param name that of the list, in its cursors alone */
export function cursorsOf<Row>(
  name: string,
  key: Key,
  placeOf: (row: Row) => readonly (string | bigint | number)[],
): CursorCodec<Row> {
  return {
    encode: (row) => encodePlace(name, placeOf(row).map(String)),
    decode: (text) => decodePlace(name, key, text),
  };
}

/** A time as a place has it. */
export function timeOfPlace(time: Micros): string {
  return formatTime(microsToNanos(time));
}

/**
 * The cursor of a place, opaque to callers. It is checked, not signed: a made-up one reaches no row that its maker could not
 * ask for anyway.
 */
export function encodePlace(name: string, place: Place): string {
  return Buffer.from(JSON.stringify([name, ...place])).toString('base64url');
}

/** Undefined for what {@link encodePlace} cannot have made for this list. */
export function decodePlace(name: string, key: Key, cursor: string): Place | undefined {
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

/** Characters that name a question in its cursors. */
const QUESTION_LENGTH = 8;

/**
 * Names a question among others of its list, by its order, filter and times. So a place in one is not taken for a place
 * in another. What is left out is as good as null. The order of names in a list makes no difference, nor does one that
 * is there twice.
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
