import type { Query } from '../sql.js';
import { selectList, tableNameOf, type TableClass } from './row-columns.js';

/**
 * Reads rows of a table.
 *
 * @param which SQL after the FROM clause, in which the table is `t`; all rows when left out
 */
export function readRows<Row>(
  query: Query,
  table: TableClass<Row>,
  which = '',
  parameters: readonly unknown[] = [],
): Promise<Row[]> {
  return query(`SELECT ${selectList(table, 't')} FROM ${tableNameOf(table)} t ${which}`, parameters);
}
