import type { Query } from '../sql.js';
import { columnsOf, keyColumnsOf, type TableClass, tableNameOf } from './row-columns.js';

/** Inserts rows of a table, all in one statement. */
export async function insertRows<Row>(
  query: Query,
  table: TableClass<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const added = columnsOf(table).unnest(rows);
  await query(
    `INSERT INTO ${tableNameOf(table)} (${added.names}) SELECT ${added.names} FROM ${added.sql}`,
    added.parameters,
  );
}

/** As {@link insertRows}; a row that is there becomes this one. Each row at most once. */
export async function upsertRows<Row>(
  query: Query,
  table: TableClass<Row>,
  rows: readonly Row[],
): Promise<void> {
  if (rows.length === 0) return;
  const added = columnsOf(table).unnest(rows);
  const keys = keyColumnsOf(table);
  await query(
    `INSERT INTO ${tableNameOf(table)} (${added.names}) SELECT ${added.names} FROM ${added.sql}
     ON CONFLICT (${keys.names}) DO UPDATE SET ${columnsOf(table).list((name) => `${name} = excluded.${name}`)}`,
    added.parameters,
  );
}

/**
 * Deletes rows of a table, all in one statement.
 *
 * @param key columns that name a row
 */
export async function deleteRows<Row, Key extends keyof Row & string>(
  query: Query,
  table: TableClass<Row>,
  key: readonly Key[],
  rows: readonly Pick<Row, Key>[],
): Promise<void> {
  if (rows.length === 0) return;
  const given = columnsOf(table, ...key).unnest(rows, 'given');
  await query(
    `DELETE FROM ${tableNameOf(table)} AS known USING ${given.sql} WHERE ${matching(table, key)}`,
    given.parameters,
  );
}

function matching<Row>(table: TableClass<Row>, key: readonly (keyof Row & string)[]): string {
  return columnsOf(table, ...key).list((name) => `known.${name} = given.${name}`, ' AND ');
}
