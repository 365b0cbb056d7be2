import type { Database } from '../../platform/sql.js';
import { whereAll } from '../graphql/sql-text.js';
import type { Cell, ExportColumn, SqlColumn } from './export-column.js';
import { besidePlace, orderOf, type Place } from '../graphql/keyed-list.js';
import { findPage, readKey, selectKey, type KeyedList, type PageWish } from './page.js';
import { SqlLiterals } from './sql-literals.js';

/** The rows of an export: written by the database server itself, or made here. */
export type OpenedRows = {
  /** The cursor of the next page; undefined on the last. */
  readonly next: string | undefined;
} & (
  | { readonly by: 'SERVER'; readonly columns: readonly SqlColumn[]; readonly from: string }
  | {
      readonly by: 'US';
      readonly columns: readonly ExportColumn[];
      readonly batches: AsyncIterable<readonly (readonly Cell[])[]>;
    }
);

/** A kind of export. */
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
  open(values: Readonly<Record<string, unknown>>, page: PageWish): Promise<OpenedRows>;
}

/** A page of a list whose columns SQL computes. @param joins that only the columns need */
export async function copyList(
  source: Database,
  list: KeyedList,
  columns: readonly SqlColumn[],
  joins: string,
  wish: PageWish,
): Promise<OpenedRows> {
  const { next, conditions } = await findPage(source, list, wish);
  const where = whereAll([...list.conditions, ...conditions]);
  return {
    by: 'SERVER',
    next,
    columns,
    from: `${list.from} ${joins} ${where} ORDER BY ${orderOf(list.key)}`,
  };
}

/** Rows read at a time. */
const ROWS_AT_ONCE = 1_000;

/** How to make the rows of a list here. */
export interface MadeRows<Row> {
  readonly columns: readonly ExportColumn[];
  /** `SELECT …` without FROM, for the rows that `toCells` takes. */
  readonly select: string;
  /** Joins that only the columns need. */
  readonly joins?: string;
  readonly toCells: (rows: readonly Row[]) => Promise<Cell[][]> | Cell[][];
  /** Rows read at a time; 1,000 when left out. */
  readonly atOnce?: number;
}

/** A page of a list whose rows are made here. */
export async function readList<Row>(
  source: Database,
  list: KeyedList,
  made: MadeRows<Row>,
  wish: PageWish,
): Promise<OpenedRows> {
  const { next, conditions } = await findPage(source, list, wish);
  return { by: 'US', next, columns: made.columns, batches: readBatches(source, list, made, conditions) };
}

async function* readBatches<Row>(
  source: Database,
  list: KeyedList,
  { select, joins = '', toCells, atOnce = ROWS_AT_ONCE }: MadeRows<Row>,
  bounds: readonly string[],
): AsyncGenerator<readonly (readonly Cell[])[]> {
  let after: Place | undefined;
  for (;;) {
    const behind = after === undefined ? [] : [besidePlace(list.key, '>', after, new SqlLiterals())];
    const where = whereAll([...list.conditions, ...bounds, ...behind]);
    const rows = await source.query<(Row & Readonly<Record<string, unknown>>)[]>(
      `${select}, ${selectKey(list)} ${list.from} ${joins} ${where} ORDER BY ${orderOf(list.key)} LIMIT ${atOnce}`,
    );
    yield await toCells(rows);
    const last = rows.at(-1);
    if (last === undefined || rows.length < atOnce) return;
    after = readKey(list, last);
  }
}
