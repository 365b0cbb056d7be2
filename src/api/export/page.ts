import { INT64_MAX, isWithinTime } from '../graphql/scalars.js';
import { parseTime } from '../../domain/time.js';
import type { Database } from '../../platform/sql.js';
import { badUserInput } from '../errors.js';
import { whereAll } from '../graphql/sql-text.js';
import { isoText } from './copy-text.js';
import { SqlLiterals } from './sql-literals.js';

/** The part of an export that is asked for. */
export interface PageWish {
  readonly limit?: number;
  readonly cursor?: string;
  /** Names the question; cursors of another one are refused. */
  readonly asked: string;
}

/** A part of what places a row in its list. */
interface KeyPart {
  readonly sql: string;
  /** What is ordered by where an index has it in another form. */
  readonly order?: string;
  readonly type: 'bigint' | 'text' | 'timestamptz';
}

/** A list of rows in an order that no insert changes. */
export interface KeyedList {
  /** Its cursors begin with it. */
  readonly name: string;
  /** `FROM …`, with what the conditions and the key need. */
  readonly from: string;
  readonly conditions: readonly string[];
  readonly key: readonly KeyPart[];
}

/** The rows of a list that a page holds. */
export interface Page {
  /** On the rows of the list. */
  readonly conditions: readonly string[];
  /** The cursor of the page behind it; undefined when there is none. */
  readonly next: string | undefined;
}

/** `ORDER BY …` of a list. */
export function orderBy({ key }: KeyedList): string {
  return `ORDER BY ${key.map(({ sql, order }) => order ?? sql).join(', ')}`;
}

/** The values of a row's key, as text, under the names k0, k1 ... */
export function selectKey({ key }: KeyedList): string {
  return key
    .map(({ sql, type }, index) => `${type === 'timestamptz' ? isoText(sql) : `(${sql})::text`} AS k${index}`)
    .join(', ');
}

/** The values that {@link selectKey} has read. */
export function readKey({ key }: KeyedList, row: Readonly<Record<string, unknown>>): string[] {
  return key.map((_part, index) => String(row[`k${index}`]));
}

/** Condition that rows stand behind a place, or at it and in front of it. */
export function besidePlace({ key }: KeyedList, operator: '>' | '<=', place: readonly string[]): string {
  const literals = new SqlLiterals();
  const values = key.map(({ type }, index) => literals.add(place[index], type));
  return `(${key.map(({ sql }) => sql).join(', ')}) ${operator} (${values.join(', ')})`;
}

/**
 * Finds where a page ends. Its rows are those that stand between two places, so whatever is inserted later doubles none
 * of them and leaves none out.
 * @throws ApiError BAD_USER_INPUT for a cursor of another list
 */
export async function findPage(
  source: Database,
  list: KeyedList,
  { limit, cursor, asked }: PageWish,
): Promise<Page> {
  const named = { name: `${list.name} ${asked}`, key: list.key };
  const after = cursor === undefined ? [] : [besidePlace(list, '>', decodePlace(named, cursor))];
  if (limit === undefined) return { conditions: after, next: undefined };
  const rows = await source.query<Readonly<Record<string, unknown>>[]>(
    `SELECT ${selectKey(list)} ${list.from} ${whereAll([...list.conditions, ...after])} ${orderBy(list)}
     OFFSET ${limit - 1} LIMIT 2`,
  );
  const [last, following] = rows;
  if (!last || !following) return { conditions: after, next: undefined };
  const end = readKey(list, last);
  return { conditions: [...after, besidePlace(list, '<=', end)], next: encodePlace(named.name, end) };
}

/** Cursors are checked, not signed: a made-up one reaches no row that its maker could not ask for anyway. */
export function encodePlace(name: string, place: readonly string[]): string {
  return Buffer.from(JSON.stringify([name, ...place])).toString('base64url');
}

/** @throws ApiError BAD_USER_INPUT */
export function decodePlace({ name, key }: Pick<KeyedList, 'name' | 'key'>, cursor: string): string[] {
  const parts = parseCursor(cursor);
  const [list, ...place] = parts;
  const fits =
    place.length === key.length && key.every(({ type }, index) => isValue(type, place[index] ?? ''));
  if (list !== name || !fits) {
    throw badUserInput(
      '`cursor` is no cursor of this file: each holds for the parameters that it was answered to.',
    );
  }
  return place;
}

function parseCursor(cursor: string): readonly string[] {
  if (!/^[\w-]{1,2000}$/.test(cursor)) return [];
  try {
    const parts: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
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
