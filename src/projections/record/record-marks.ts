import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import type { NodeBook } from './record-nodes.js';

/** A quarter hour of UTC: which one since 1970. */
export type Quarter = number;

/** Whose figures a change of a row alters. */
export interface RowOwner {
  readonly nodeKey: number;
  /** Null: not known, so that the row belongs to its node's chain. */
  readonly lineageKey: number | null;
}

/** A row of `roll_up_mark`. */
interface Mark {
  /** 0: the chain's own figures. */
  readonly nodeKey: number;
  /** Empty for a node's. */
  readonly chain: string;
  readonly quarter: Quarter;
}

const QUARTER_US = 900_000_000n;
const NS_PER_US = 1_000n;
/** 2200-01-01. A block may bear any time; those before 1970 or after this count under no other. */
const LAST_BLOCK_QUARTER = 8_064_576;
const THE_CHAIN = 0;

const COLUMNS = [
  column('node_key', 'int4', (mark: Mark) => mark.nodeKey),
  column('chain', 'text', (mark: Mark) => mark.chain),
  column('quarter_at', 'timestamptz', (mark: Mark) => BigInt(mark.quarter) * QUARTER_US),
];

/** The quarter hour of a column of type `timestamptz`, in SQL. */
export function quarterSql(column: string): string {
  return `floor(extract(epoch FROM ${column}) / 900)::int`;
}

/** @param us Unix microseconds */
export function quarterOf(us: bigint): Quarter {
  return Number(us / QUARTER_US);
}

/**
 * The quarter hours whose figures a batch alters, of nodes and of chains; each is written once a batch.
 * Rather one too many than one too few: a mark too many costs one computation.
 */
export class MarkBook {
  private readonly nodes = new Map<number, Set<Quarter>>();
  private readonly lineages = new Map<number, Set<Quarter>>();
  private readonly chains = new Map<string, Set<Quarter>>();
  /** Rows without a lineage, by node: they belong to the chain that the node is of after the batch. */
  private readonly unplaced = new Map<number, Set<Quarter>>();

  /** A row that a node showed, as it is after the batch or as it was before. */
  addRow(owner: RowOwner, quarter: Quarter): void {
    setOf(this.nodes, owner.nodeKey).add(quarter);
    this.addRowOfChain(owner, quarter);
  }

  /** A row that only the chain's figures change with. */
  addRowOfChain({ nodeKey, lineageKey }: RowOwner, quarter: Quarter): void {
    if (lineageKey === null) setOf(this.unplaced, nodeKey).add(quarter);
    else this.addOfLineage(lineageKey, quarter);
  }

  addOfLineage(lineageKey: number, quarter: Quarter): void {
    setOf(this.lineages, lineageKey).add(quarter);
  }

  addOfChain(chain: string, quarter: Quarter): void {
    setOf(this.chains, chain).add(quarter);
  }

  addBlock(nodeKey: number, lineageKey: number, timeNs: bigint): void {
    const quarter = Math.min(Math.max(quarterOf(timeNs / NS_PER_US), 0), LAST_BLOCK_QUARTER);
    setOf(this.nodes, nodeKey).add(quarter);
    this.addOfLineage(lineageKey, quarter);
  }

  /** @param chainOf chain of each lineage */
  async write(nodes: NodeBook, chainOf: ReadonlyMap<number, string>, query: Query): Promise<void> {
    for (const [lineageKey, quarters] of this.lineages) this.addAll(chainOf.get(lineageKey), quarters);
    for (const [nodeKey, quarters] of this.unplaced) this.addAll(nodes.get(nodeKey).chainId, quarters);
    const marks: Mark[] = [];
    for (const [nodeKey, quarters] of this.nodes) {
      for (const quarter of quarters) marks.push({ nodeKey, chain: '', quarter });
    }
    for (const [chain, quarters] of this.chains) {
      for (const quarter of quarters) marks.push({ nodeKey: THE_CHAIN, chain, quarter });
    }
    if (marks.length === 0) return;
    const added = unnestRows(COLUMNS, marks);
    await query(`INSERT INTO roll_up_mark (${added.names}) SELECT * FROM ${added.sql}`, added.parameters);
  }

  /** A node that has not said its chain has no figures but its own. */
  private addAll(chain: string | null | undefined, quarters: Iterable<Quarter>): void {
    if (typeof chain !== 'string') return;
    for (const quarter of quarters) this.addOfChain(chain, quarter);
  }
}

function setOf<Key>(sets: Map<Key, Set<Quarter>>, key: Key): Set<Quarter> {
  let set = sets.get(key);
  if (!set) {
    set = new Set();
    sets.set(key, set);
  }
  return set;
}
