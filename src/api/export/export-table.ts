import type { Database } from '../../platform/sql.js';
import { badUserInput } from '../errors.js';
import {
  keyCondition,
  boundPage,
  decodeCursor,
  encodeCursor,
  type Key,
  orderOf,
  type CursorKey,
} from '../graphql/keyed-list.js';
import { whereAll } from '../graphql/sql-text.js';
import { isoText } from './copy-text.js';
import type { CellValue, ExportColumn, MadeColumn, SqlColumn } from './export-column.js';
import { SqlLiterals } from './sql-literals.js';

export interface ExportPageRequest {
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

/** The rows of an export: written by the database server itself, or made here. */
export type OpenedRows = {
  /** The cursor of the next page; undefined on the last. */
  readonly next: string | undefined;
} & (
  | { readonly by: 'SERVER'; readonly columns: readonly SqlColumn[]; readonly from: string }
  | {
      readonly by: 'US';
      readonly columns: readonly ExportColumn[];
      readonly batches: AsyncIterable<readonly (readonly CellValue[])[]>;
    }
);

export interface ExportTable {
  /**
   * Checks the values without computing rows; only for reports, which compute all rows when opened.
   * @throws ApiError BAD_USER_INPUT
   */
  readonly checkReport?: (values: Readonly<Record<string, unknown>>) => void;
  /**
   * @param values parsed by the export's parameters
   * @throws ApiError BAD_USER_INPUT
   */
  open(values: Readonly<Record<string, unknown>>, page: ExportPageRequest): Promise<OpenedRows>;
}

/** A page of a list whose columns SQL computes. @param joins that only the columns need */
export async function copyList(
  source: Database,
  list: KeyedList,
  columns: readonly SqlColumn[],
  joins: string,
  request: ExportPageRequest,
): Promise<OpenedRows> {
  const { next, conditions } = await findPage(source, list, request);
  const from = `${list.from} ${joins} ${whereAll(conditions)} ORDER BY ${orderOf(list.key)}`;
  return { by: 'SERVER', next, columns, from };
}

const ROWS_AT_ONCE = 1_000;

/** How to make the rows of a list here. */
export interface MadeRows<Read, Row> {
  readonly columns: readonly MadeColumn<Row>[];
  /** `SELECT …` without FROM, for the rows that `toRows` takes. */
  readonly select: string;
  /** Joins that only the columns need. */
  readonly joins?: string;
  readonly toRows: (rows: readonly Read[]) => Promise<readonly Row[]> | readonly Row[];
  /** Rows read at a time; 1,000 when left out. */
  readonly atOnce?: number;
}

/** A page of a list whose rows are made here. */
export async function readList<Read, Row>(
  source: Database,
  list: KeyedList,
  made: MadeRows<Read, Row>,
  request: ExportPageRequest,
): Promise<OpenedRows> {
  const { next, conditions } = await findPage(source, list, request);
  return { by: 'US', next, columns: made.columns, batches: readBatches(source, list, made, conditions) };
}

async function* readBatches<Read, Row>(
  source: Database,
  { from, key }: KeyedList,
  { columns, select, joins = '', toRows, atOnce = ROWS_AT_ONCE }: MadeRows<Read, Row>,
  conditions: readonly string[],
): AsyncGenerator<readonly (readonly CellValue[])[]> {
  let after: CursorKey | undefined;
  for (;;) {
    const where = whereAll([...conditions, ...following(key, after)]);
    const rows = await source.query<(Read & Placed)[]>(
      `${select}, ${selectPlace(key)} ${from} ${joins} ${where} ORDER BY ${orderOf(key)} LIMIT ${atOnce}`,
    );
    yield (await toRows(rows)).map((row) => columns.map(({ read }) => read(row)));
    after = rows.at(-1)?.place;
    if (rows.length < atOnce) return;
  }
}

interface FilePage {
  /** Conditions of the list that also limit it to the page. */
  readonly conditions: readonly string[];
  /** The cursor of the next page; undefined on the last. */
  readonly next: string | undefined;
}

/**
 * Finds the end of a page. A page is the rows between two keys, so later inserts neither duplicate nor skip rows.
 * @throws ApiError BAD_USER_INPUT for a cursor of another list
 */
async function findPage(
  source: Database,
  { name, from, conditions, key }: KeyedList,
  { limit, cursor, question }: ExportPageRequest,
): Promise<FilePage> {
  const list = `${name} ${question}`;
  const after = cursor === undefined ? undefined : readCursor(list, key, cursor);
  const rest = [...conditions, ...following(key, after)];
  if (limit === undefined) return { conditions: rest, next: undefined };
  const [last, further] = await source.query<Placed[]>(
    `SELECT ${selectPlace(key)} ${from} ${whereAll(rest)} ORDER BY ${orderOf(key)} OFFSET ${limit - 1} LIMIT 2`,
  );
  if (!last || !further) return { conditions: rest, next: undefined };
  const end = keyCondition(key, '<=', last.place, new SqlLiterals());
  return { conditions: [...rest, end], next: encodeCursor(list, last.place) };
}

interface Placed {
  readonly place: CursorKey;
}

/** SQL: the values of a row's key as text. */
function selectPlace(key: Key): string {
  const values = key.map(({ sql, type }) => (type === 'timestamptz' ? isoText(sql) : `(${sql})::text`));
  return `ARRAY[${values.join(', ')}] AS place`;
}

/** Conditions: rows after a place; none without a place. */
function following(key: Key, after: CursorKey | undefined): string[] {
  return boundPage(key, { after, before: undefined }, true, new SqlLiterals());
}

/** @throws ApiError BAD_USER_INPUT for a cursor of another list */
export function readCursor(name: string, key: Key, cursor: string): CursorKey {
  const place = decodeCursor(name, key, cursor);
  if (place) return place;
  throw badUserInput(
    '`cursor` is not a cursor of this file: a cursor is valid only for the parameters of its own query.',
  );
}
