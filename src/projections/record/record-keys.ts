import { unnestRows, type Column } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';

/** Nodes choose some of the values, so what is remembered of them is bounded. */
const MOST_REMEMBERED = 20_000;

/** A table of values that rows name by a short key. */
export interface KeyTable<Value> {
  readonly table: string;
  readonly keyColumn: string;
  readonly columns: readonly Column<Value>[];
  /** Equal for equal values. */
  identify(value: Value): string;
}

/** Gives each value a short key, 1, 2, 3 …, in the order of first appearance. */
export class KeyBook<Value> {
  private readonly known = new Map<string, number>();
  private last: number | undefined;

  constructor(private readonly dictionary: KeyTable<Value>) {}

  /** Makes the keys of all these values known; new ones are written down in the order given. */
  async learn(values: Iterable<Value>, query: Query): Promise<void> {
    const wanted = new Map<string, Value>();
    for (const value of values) wanted.set(this.dictionary.identify(value), value);
    if (this.known.size + wanted.size > MOST_REMEMBERED) this.known.clear();
    const missing = () => [...wanted].filter(([id]) => !this.known.has(id)).map(([, value]) => value);
    if (missing().length > 0) await this.load(missing(), query);
    if (missing().length > 0) await this.insert(missing(), query);
  }

  /** The key of a value that `learn` was told of. */
  keyOf(value: Value): number {
    const key = this.known.get(this.dictionary.identify(value));
    if (key === undefined) throw new Error(`${this.dictionary.table}: a value was used before it was learnt`);
    return key;
  }

  private async load(values: readonly Value[], query: Query): Promise<void> {
    const { table, keyColumn, columns } = this.dictionary;
    const wanted = unnestRows(columns, values, 'wanted');
    const equal = columns.map(({ name }) => `k.${name} = wanted.${name}`).join(' AND ');
    const numbered = wanted.sql.replace(/ AS wanted \((.*)\)$/, ' WITH ORDINALITY AS wanted ($1, n)');
    const rows = await query<{ n: string; key: number }>(
      `SELECT wanted.n, k.${keyColumn} AS key FROM ${numbered} JOIN ${table} k ON ${equal}`,
      wanted.parameters,
    );
    for (const { n, key } of rows) {
      this.known.set(this.dictionary.identify(values[Number(n) - 1] as Value), key);
    }
  }

  private async insert(values: readonly Value[], query: Query): Promise<void> {
    const { table, keyColumn, columns } = this.dictionary;
    if (this.last === undefined) {
      const [row] = await query<{ last: number }>(
        `SELECT coalesce(max(${keyColumn}), 0) AS last FROM ${table}`,
      );
      this.last = row?.last ?? 0;
    }
    const first = this.last + 1;
    const added = unnestRows(columns, values);
    const numbered = added.sql.replace(/ AS added \((.*)\)$/, ' WITH ORDINALITY AS added ($1, n)');
    await query(
      `INSERT INTO ${table} (${keyColumn}, ${added.names})
       SELECT ${this.last} + n, ${added.names} FROM ${numbered} ORDER BY n`,
      added.parameters,
    );
    values.forEach((value, index) => this.known.set(this.dictionary.identify(value), first + index));
    this.last += values.length;
  }
}
