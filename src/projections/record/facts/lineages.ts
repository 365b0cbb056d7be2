import { toCount, toStorable } from '../../../domain/bounds.js';
import { DecodeError } from '../../../domain/decode-error.js';
import { selectList } from '../../../platform/rows/row-columns.js';
import { insertRows } from '../../../platform/rows/write-rows.js';
import { LineageEntity } from '../../../tables/record/lineage.entity.js';
import type { Query } from '../../projection.js';

/** Nodes choose the name of their chain; longer ones do not fit an index. */
const LONGEST_CHAIN_ID = 256;

/** All lineages, held in memory: a chain opens a new one only when it forks or starts again. */
export class LineageBook {
  readonly chainOf = new Map<number, string>();
  readonly lineagesOf = new Map<string, number[]>();
  private readonly keys = new Map<string, number>();
  private readonly added: LineageEntity[] = [];

  static async load(query: Query): Promise<LineageBook> {
    const book = new LineageBook();
    const rows = await query<LineageEntity>(
      `SELECT ${selectList(LineageEntity, 'l')} FROM lineage l ORDER BY lineage_key`,
    );
    for (const row of rows) book.keep(row);
    return book;
  }

  /**
   * The key of a lineage; a new one if no event before this position named it.
   *
   * @throws DecodeError when its number can be none: the table would hold another one than is remembered
   */
  keyOf(chainId: string, n: number, position: bigint): number {
    const known = this.keys.get(`${n} ${chainId}`);
    if (known !== undefined) return known;
    if (toCount(n) === null) throw new DecodeError(`A history of a chain has no number ${n}`);
    const lineage = { lineageKey: this.keys.size + 1, chainId, n, fromPosition: position };
    this.added.push(lineage);
    return this.keep(lineage);
  }

  get(key: number): Pick<LineageEntity, 'chainId' | 'n'> | undefined {
    return this.byKey.get(key);
  }

  write(query: Query): Promise<void> {
    return insertRows(query, LineageEntity, this.added.splice(0));
  }

  private readonly byKey = new Map<number, Pick<LineageEntity, 'chainId' | 'n'>>();

  private keep({ lineageKey: key, chainId, n }: LineageEntity): number {
    this.keys.set(`${n} ${chainId}`, key);
    this.byKey.set(key, { chainId, n });
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
