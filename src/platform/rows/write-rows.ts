import type { Query } from '../sql.js';
import { columnsOf, keyColumnsOf, type TableClass, tableNameOf } from './row-columns.js';

/** Columns that the database fills by itself, whatever is written. */
type Filled = 'change';

export type Written<Row> = Omit<Row, Filled>;

/** A row of a table; nullable columns may be left out. */
export type NewRow<Row> = Readonly<Partial<Row>> & {
  readonly [Name in keyof Written<Row> as null extends Row[Name] ? never : Name]: Row[Name];
};

/** Inserts rows of a table, all in one statement. */
export async function insertRows<Row>(
  query: Query,
  table: TableClass<Row>,
  rows: readonly NewRow<Row>[],
): Promise<void> {
  if (rows.length === 0) return;
  const added = columnsOf(table)
    .givenIn(rows)
    .unnest(rows as readonly Row[]);
  await query(
    `INSERT INTO ${tableNameOf(table)} (${added.names}) SELECT ${added.names} FROM ${added.sql}`,
    added.parameters,
  );
}

/** Inserts rows, or replaces existing ones, all in one statement. Each row at most once. */
export async function upsertRows<Row>(
  query: Query,
  table: TableClass<Row>,
  rows: readonly NewRow<Row>[],
): Promise<void> {
  if (rows.length === 0) return;
  const added = columnsOf(table).unnest(rows as readonly Row[]);
  const keys = keyColumnsOf(table);
  await query(
    `INSERT INTO ${tableNameOf(table)} (${added.names}) SELECT ${added.names} FROM ${added.sql}
     ON CONFLICT (${keys.names}) DO UPDATE SET ${columnsOf(table).list((name) => `${name} = excluded.${name}`)}`,
    added.parameters,
  );
}

/**
 * Changes some columns of existing rows, all in one statement. Each row at most once.
 *
 * @param key columns that identify a row
 */
export async function updateRows<Row, Key extends keyof Row & string, Name extends keyof Row & string>(
  query: Query,
  table: TableClass<Row>,
  { key, changed }: { readonly key: readonly Key[]; readonly changed: readonly Name[] },
  rows: readonly Pick<Row, Key | Name>[],
): Promise<void> {
  if (rows.length === 0) return;
  const given = columnsOf<Row, Key | Name>(table, ...key, ...changed).unnest(rows, 'given');
  await query(
    `UPDATE ${tableNameOf(table)} AS known
        SET ${columnsOf(table, ...changed).list((name) => `${name} = given.${name}`)}
       FROM ${given.sql} WHERE ${matching(table, key)}`,
    given.parameters,
  );
}

/**
 * Deletes rows of a table, all in one statement.
 *
 * @param key columns that identify a row
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
