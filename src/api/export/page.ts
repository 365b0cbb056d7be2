import type { Database } from '../../platform/sql.js';
import { badUserInput } from '../errors.js';
import {
  besidePlace,
  decodePlace,
  encodePlace,
  type Key,
  orderOf,
  type Place,
} from '../graphql/keyed-list.js';
import { whereAll } from '../graphql/sql-text.js';
import { isoText } from './copy-text.js';
import { SqlLiterals } from './sql-literals.js';

/** The requested part of an export. */
export interface PageWish {
  readonly limit?: number;
  readonly cursor?: string;
  /** Identifies the query; cursors of another query are rejected. */
  readonly question: string;
}

/** A list of rows in an order that no insert changes. */
export interface KeyedList {
  /** The prefix of its cursors. */
  readonly name: string;
  /** `FROM …`, with the joins that the conditions and the key need. */
  readonly from: string;
  readonly conditions: readonly string[];
  readonly key: Key;
}

export interface Page {
  /** Conditions that limit the list to the page. */
  readonly conditions: readonly string[];
  /** The cursor of the next page; undefined on the last. */
  readonly next: string | undefined;
}

/** SQL: the values of a row's key as text, named k0, k1 ... */
export function selectKey({ key }: KeyedList): string {
  return key
    .map(({ sql, type }, index) => `${type === 'timestamptz' ? isoText(sql) : `(${sql})::text`} AS k${index}`)
    .join(', ');
}

/** Reads the values that {@link selectKey} selected. */
export function readKey({ key }: KeyedList, row: Readonly<Record<string, unknown>>): Place {
  return key.map((_part, index) => String(row[`k${index}`]));
}

/**
 * Finds the end of a page. A page is the rows between two keys, so later inserts neither duplicate nor skip rows.
 * @throws ApiError BAD_USER_INPUT for a cursor of another list
 */
export async function findPage(
  source: Database,
  list: KeyedList,
  { limit, cursor, question }: PageWish,
): Promise<Page> {
  const name = `${list.name} ${question}`;
  const beside = (operator: '>' | '<=', place: Place): string =>
    besidePlace(list.key, operator, place, new SqlLiterals());
  const after = cursor === undefined ? [] : [beside('>', readCursor(name, list.key, cursor))];
  if (limit === undefined) return { conditions: after, next: undefined };
  const rows = await source.query<Readonly<Record<string, unknown>>[]>(
    `SELECT ${selectKey(list)} ${list.from} ${whereAll([...list.conditions, ...after])} ORDER BY ${orderOf(list.key)}
     OFFSET ${limit - 1} LIMIT 2`,
  );
  const [last, following] = rows;
  if (!last || !following) return { conditions: after, next: undefined };
  const end = readKey(list, last);
  return { conditions: [...after, beside('<=', end)], next: encodePlace(name, end) };
}

/** @throws ApiError BAD_USER_INPUT for a cursor of another list */
export function readCursor(name: string, key: Key, cursor: string): Place {
  const place = decodePlace(name, key, cursor);
  if (place) return place;
  throw badUserInput(
    '`cursor` is not a cursor of this file: a cursor is valid only for the parameters of its own query.',
  );
}
