import type { Query } from '../sql.js';
import { columnsOf, type TableClass, tableNameOf } from './row-columns.js';
import { insertRows, type Written } from './write-rows.js';

/** A row of a table that keeps versions: known from one position of the log to another (null while it is current). */
export interface Versioned {
  readonly fromPosition: bigint;
  readonly toPosition: bigint | null;
}

/** The content of a version, without the positions between which it was known. */
export type Content<Row extends Versioned> = Omit<Written<Row>, keyof Versioned>;

/**
 * Collects the row versions that a batch of events makes, to write them in two statements: versions from before the batch are
 * closed, new ones are inserted. Versions that come and go within one event are not written.
 */
export class RowVersions<Row extends Versioned, Key extends keyof Content<Row> & string> {
  private readonly current = new Map<string, Row>();
  private readonly touched = new Set<string>();
  private readonly added: Row[] = [];
  private readonly closed: (Pick<Row, Key> & { readonly position: bigint })[] = [];

  /** @param key columns that are the same in all versions of a row */
  constructor(
    private readonly table: TableClass<Row>,
    private readonly key: readonly Key[],
  ) {}

  /** Sets the content of a row, whether or not it exists. */
  put(content: Content<Row>, position: bigint): void {
    this.retire(content, position);
    const row = { ...content, fromPosition: position, toPosition: null } as unknown as Row;
    this.current.set(this.nameOf(row), row);
  }

  retire(row: Pick<Row, Key>, position: bigint): void {
    const name = this.nameOf(row);
    const version = this.current.get(name);
    if (version && version.fromPosition < position) this.added.push({ ...version, toPosition: position });
    if (!version && !this.touched.has(name)) this.closed.push({ ...row, position });
    this.touched.add(name);
    this.current.delete(name);
  }

  async write(query: Query): Promise<void> {
    if (this.closed.length > 0) await this.close(query);
    await insertRows(query, this.table, [...this.added, ...this.current.values()]);
  }

  /** Also deletes versions that the same event made in an earlier transaction: they were never known. */
  private async close(query: Query): Promise<void> {
    const table = tableNameOf(this.table);
    const keys = columnsOf(this.table, ...this.key);
    const closed = keys.and({ position: 'int8' }).unnest(this.closed, 'closed');
    const isMeant = `${keys.list((name) => `known.${name} = closed.${name}`, ' AND ')} AND known.to_position IS NULL`;
    await query(
      `WITH closed AS (SELECT * FROM ${closed.sql}),
            gone AS (DELETE FROM ${table} AS known USING closed WHERE ${isMeant} AND known.from_position = closed.position)
       UPDATE ${table} AS known SET to_position = closed.position FROM closed
        WHERE ${isMeant} AND known.from_position < closed.position`,
      closed.parameters,
    );
  }

  private nameOf(row: Pick<Row, Key>): string {
    return this.key.map((property) => String(row[property])).join('\0');
  }
}
