import { columnsOf, selectList, tableNameOf, type TableClass } from '../../../platform/rows/row-columns.js';
import { insertRows, type NewRow } from '../../../platform/rows/write-rows.js';
import type { Query } from '../../projection.js';

/** Nodes choose some of the values, so what is remembered of them is bounded. */
const MOST_REMEMBERED = 20_000;

/** Gives each value a short key, 1, 2, 3 …, in the order of first appearance. */
export class KeyBook<Row, Key extends keyof Row & string> {
  private readonly known = new Map<string, number>();
  private last: number | undefined;

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
    const missing = () => [...wanted].filter(([id]) => !this.known.has(id)).map(([, value]) => value);
    if (missing().length > 0) await this.load(missing(), query);
    if (missing().length > 0) await this.insert(missing(), query);
  }

  /** The key of a value that `learn` was told of. */
  keyOf(value: Omit<Row, Key>): number {
    const key = this.known.get(this.identify(value));
    if (key !== undefined) return key;
    throw new Error(`${tableNameOf(this.table)}: a value was used before it was learnt`);
  }

  private async load(values: readonly Omit<Row, Key>[], query: Query): Promise<void> {
    const { table, key } = this;
    const columns = columnsOf(table, ...this.columns);
    // As they are asked for: the database may hold a text a little otherwise.
    const numbered = values.map((value, n) => ({ ...value, n }));
    const wanted = columns.and({ n: 'int4' }).unnest(numbered, 'w');
    const rows = await query<{ n: number } & Record<Key, number>>(
      `SELECT w.n, ${selectList(table, 'k', [key])} FROM ${wanted.sql}
         JOIN ${tableNameOf(table)} k ON ${columns.list((name) => `k.${name} = w.${name}`, ' AND ')}`,
      wanted.parameters,
    );
    for (const row of rows) this.known.set(this.identify(values[row.n] as Omit<Row, Key>), row[key]);
  }

  private async insert(values: readonly Omit<Row, Key>[], query: Query): Promise<void> {
    const { table, key } = this;
    this.last ??= await this.loadLast(query);
    const rows: object[] = [];
    for (const value of values) {
      this.last += 1;
      rows.push({ ...value, [key]: this.last });
      this.known.set(this.identify(value), this.last);
    }
    await insertRows(query, table, rows as NewRow<Row>[]);
  }

  private async loadLast(query: Query): Promise<number> {
    const { table, key } = this;
    const column = columnsOf(table, key).names;
    const [row] = await query<{ last: number }>(
      `SELECT coalesce(max(${column}), 0) AS last FROM ${tableNameOf(table)}`,
    );
    return row?.last ?? 0;
  }

  /** Equal for equal values. */
  private identify(value: Omit<Row, Key>): string {
    return this.columns.map((name) => value[name]).join(' ');
  }
}
