import { columnsOf, tableNameOf, type TableClass } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../projection.js';

/** Nodes choose some of the values, so the cache is bounded. */
const MOST_REMEMBERED = 20_000;

/** Gives each value a short key: 1, 2, 3 …, in the order of first appearance. */
export class KeyBook<Row, Key extends keyof Row & string> {
  private readonly known = new Map<string, number>();

  constructor(
    private readonly table: TableClass<Row>,
    private readonly key: Key,
    private readonly columns: readonly Exclude<keyof Row & string, Key>[],
  ) {}

  /** Loads the keys of all these values into the cache, and inserts new values in the given order. */
  async learn(values: Iterable<Omit<Row, Key>>, query: Query): Promise<void> {
    const wanted = new Map<string, Omit<Row, Key>>();
    for (const value of values) wanted.set(this.identify(value), value);
    if (this.known.size + wanted.size > MOST_REMEMBERED) this.known.clear();
    const missing = [...wanted].filter(([id]) => !this.known.has(id));
    if (missing.length === 0) return;
    const columns = columnsOf(this.table, ...this.columns);
    const [table, key] = [tableNameOf(this.table), columnsOf(this.table, this.key).names];
    // Match by number: the database may store a text in a slightly different form.
    const numbered = missing.map(([, value], n) => ({ ...value, n }));
    const list = columns.and({ n: 'int4' }).unnest(numbered, 'w');
    const rows = await query<{ n: number; key: number }>(
      `WITH w AS (SELECT * FROM ${list.sql}), known AS (
         SELECT w.n, k.${key} AS key FROM w JOIN ${table} k ON ${columns.list((name) => `k.${name} = w.${name}`, ' AND ')}
       ), added AS (
         SELECT w.*, ((SELECT coalesce(max(${key}), 0) FROM ${table}) + row_number() OVER (ORDER BY n))::int AS key
           FROM w WHERE n NOT IN (SELECT n FROM known)
       ), written AS (
         INSERT INTO ${table} (${key}, ${columns.names}) SELECT key, ${columns.names} FROM added
       )
       SELECT n, key FROM known UNION ALL SELECT n, key FROM added`,
      list.parameters,
    );
    for (const row of rows) this.known.set(missing[row.n]?.[0] ?? '', row.key);
  }

  /** The key of a value. @throws Error for a value that `learn` has not seen */
  keyOf(value: Omit<Row, Key>): number {
    const key = this.known.get(this.identify(value));
    if (key !== undefined) return key;
    throw new Error(`${tableNameOf(this.table)}: a value was used before it was learnt`);
  }

  /** Equal for equal values. */
  private identify(value: Omit<Row, Key>): string {
    return this.columns.map((name) => value[name]).join(' ');
  }
}
