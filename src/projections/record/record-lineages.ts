import { toStorable } from '../../domain/bounds.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';

interface Lineage {
  readonly key: number;
  readonly chainId: string;
  readonly n: number;
  readonly fromPosition: bigint;
}

const COLUMNS = [
  column('lineage_key', 'int4', (lineage: Lineage) => lineage.key),
  column('chain_id', 'text', (lineage: Lineage) => lineage.chainId),
  column('n', 'int4', (lineage: Lineage) => lineage.n),
  column('from_position', 'int8', (lineage: Lineage) => lineage.fromPosition),
];
/** Nodes choose the name of their chain; longer ones do not fit an index. */
const LONGEST_CHAIN_ID = 256;

/** All lineages, held in memory: a chain opens a new one only when it forks or starts again. */
export class LineageBook {
  readonly chainOf = new Map<number, string>();
  readonly lineagesOf = new Map<string, number[]>();
  private readonly keys = new Map<string, number>();
  private readonly added: Lineage[] = [];

  static async load(query: Query): Promise<LineageBook> {
    const book = new LineageBook();
    const rows = await query<{ lineage_key: number; chain_id: string; n: number; from_position: string }>(
      'SELECT * FROM lineage ORDER BY lineage_key',
    );
    for (const row of rows) {
      book.keep({
        key: row.lineage_key,
        chainId: row.chain_id,
        n: row.n,
        fromPosition: BigInt(row.from_position),
      });
    }
    return book;
  }

  /** The key of a lineage; a new one if no event before this position named it. */
  keyOf(chainId: string, n: number, position: bigint): number {
    const known = this.keys.get(`${n} ${chainId}`);
    if (known !== undefined) return known;
    const lineage = { key: this.keys.size + 1, chainId, n, fromPosition: position };
    this.added.push(lineage);
    return this.keep(lineage);
  }

  async write(query: Query): Promise<void> {
    if (this.added.length === 0) return;
    const added = unnestRows(COLUMNS, this.added.splice(0));
    await query(`INSERT INTO lineage (${added.names}) SELECT * FROM ${added.sql}`, added.parameters);
  }

  private keep({ key, chainId, n }: Lineage): number {
    this.keys.set(`${n} ${chainId}`, key);
    this.chainOf.set(key, chainId);
    const siblings = this.lineagesOf.get(chainId);
    if (siblings) siblings.push(key);
    else this.lineagesOf.set(chainId, [key]);
    return key;
  }
}

/** A chain's id as the tables hold it, so that one that is read back is the same. */
export function toChainId(chainId: string): string {
  return toStorable(chainId.slice(0, LONGEST_CHAIN_ID));
}
