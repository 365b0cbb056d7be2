import { entryOf } from '../../../domain/collections.js';
import { toCount, toStorable } from '../../../domain/bounds.js';
import { DecodeError } from '../../../domain/decode-error.js';
import { readRows } from '../../../platform/rows/read-rows.js';
import { insertRows, upsertRows } from '../../../platform/rows/write-rows.js';
import { LineageEntity, NodeChainEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';

/** Nodes choose the name of their chain; a longer name does not fit an index. */
const LONGEST_CHAIN_ID = 256;

/** All lineages, kept in memory: a chain opens a new one only when it forks or starts again. */
export class LineageBook {
  readonly chainOf = new Map<number, string>();
  readonly lineagesOf = new Map<string, number[]>();
  private readonly keys = new Map<string, number>();
  private readonly added: LineageEntity[] = [];

  static async load(query: Query): Promise<LineageBook> {
    const book = new LineageBook();
    for (const row of await readRows(query, LineageEntity, 'ORDER BY lineage_key')) book.keep(row);
    return book;
  }

  /**
   * The key of a lineage; a new key if no event before this position named the lineage.
   * @throws DecodeError when the number is out of range: the table would store a different number than memory
   */
  keyOf(chainId: string, n: number, position: bigint): number {
    const known = this.find(chainId, n);
    if (known !== undefined) return known;
    if (toCount(n) === null) throw new DecodeError(`A history of a chain has no number ${n}`);
    const lineage = { lineageKey: this.keys.size + 1, chainId, n, fromPosition: position };
    this.added.push(lineage);
    return this.keep(lineage);
  }

  find(chainId: string, n: number): number | undefined {
    return this.keys.get(`${n} ${chainId}`);
  }

  write(query: Query): Promise<void> {
    return insertRows(query, LineageEntity, this.added.splice(0));
  }

  private keep({ lineageKey: key, chainId, n }: LineageEntity): number {
    this.keys.set(`${n} ${chainId}`, key);
    this.chainOf.set(key, chainId);
    entryOf(this.lineagesOf, chainId, () => []).push(key);
    return key;
  }
}

/** A chain's id in the form that the tables store, so that it is equal when read back. */
export function toChainId(chainId: string): string {
  return toStorable(chainId.slice(0, LONGEST_CHAIN_ID));
}

/** The source of a node's chain name. The settings count until the node has named one itself. */
export type NamedBy = 'SETTINGS' | 'NODE' | 'BLOCKS';

/** The chains that nodes named, in the course of the log. */
export class ChainNames {
  /** Keyed by chain: how often each node has named it. */
  private readonly counts = new Map<string, Map<number, number>>();
  private readonly last = new Map<number, NodeChainEntity>();
  private readonly dirty = new Map<string, NodeChainEntity>();

  static async load(query: Query): Promise<ChainNames> {
    const names = new ChainNames();
    const last =
      'WHERE (node_key, from_position) IN (SELECT node_key, max(from_position) FROM node_chain GROUP BY 1)';
    for (const name of await readRows(query, NodeChainEntity, last)) names.last.set(name.nodeKey, name);
    const counts = await query<{ chainId: string; nodeKey: number; count: number }>(
      'SELECT chain_id AS "chainId", node_key AS "nodeKey", count(*)::int AS count FROM node_chain GROUP BY 1, 2',
    );
    for (const name of counts) names.count(name, name.count);
    return names;
  }

  nodesOf(chainId: string): Iterable<number> {
    return this.counts.get(chainId)?.keys() ?? [];
  }

  /** Whether a node, or its blocks, named its present chain; if false, its settings did, or nothing. */
  isTold(nodeKey: number): boolean {
    return this.last.get(nodeKey)?.told ?? false;
  }

  note(nodeKey: number, chainId: string, position: bigint, by: NamedBy): void {
    const last = this.last.get(nodeKey);
    const told = by !== 'SETTINGS';
    if (!last) return this.put({ nodeKey, fromPosition: 0n, chainId, told });
    if (told && !last.told) {
      this.count(last, -1);
      return this.put({ nodeKey, fromPosition: last.fromPosition, chainId, told });
    }
    // The chain of its blocks is also named by their lineage.
    if (last.chainId === chainId || by === 'BLOCKS') return;
    this.put({ nodeKey, fromPosition: position, chainId, told });
  }

  async write(query: Query): Promise<void> {
    await upsertRows(query, NodeChainEntity, [...this.dirty.values()]);
    this.dirty.clear();
  }

  private put(name: NodeChainEntity): void {
    this.last.set(name.nodeKey, name);
    this.count(name, 1);
    this.dirty.set(`${name.nodeKey}/${name.fromPosition}`, name);
  }

  private count({ nodeKey, chainId }: Pick<NodeChainEntity, 'nodeKey' | 'chainId'>, by: number): void {
    const nodes = entryOf(this.counts, chainId, () => new Map<number, number>());
    const count = (nodes.get(nodeKey) ?? 0) + by;
    if (count > 0) nodes.set(nodeKey, count);
    else nodes.delete(nodeKey);
  }
}
