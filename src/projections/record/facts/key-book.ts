import { columnsOf, tableNameOf, type TableClass } from '../../../platform/rows/row-columns.js';
import type { Query } from '../../projection.js';

/** Nodes choose some of the values, so what is remembered of them is bounded. */
const MOST_REMEMBERED = 20_000;

/** Gives each value a short key, 1, 2, 3 …, in the order of first appearance. */
export class KeyBook<Row, Key extends keyof Row & string> {
  private readonly known = new Map<string, number>();

  /** @param columns all columns but the key */
  constructor(
    private readonly table: TableClass<Row>,
    private readonly key: Key,
    private readonly columns: readonly Exclude<keyof Row & string, Key>[],
  ) {}

  /** Makes the keys of all these values known; new ones are written down in the order given. */
  async learn(values: Iterable<Omit<Row, Key>>, query: Query): Promise<void> {
    const wanted = new Map<string, Omit<Row, Key>>();
    for (const value of values) wanted.set(this.identify(value), value);
    if (this.known.size + wanted.size > MOST_REMEMBERED) this.known.clear();
    const missing = [...wanted].filter(([id]) => !this.known.has(id));
    if (missing.length === 0) return;
    const columns = columnsOf(this.table, ...this.columns);
    const [table, key] = [tableNameOf(this.table), columnsOf(this.table, this.key).names];
    // By number: the database may hold a text a little otherwise than it is asked for.
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

  /** The key of a value that `learn` was told of. */
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
