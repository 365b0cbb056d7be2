import type { Micros, Nanos } from '../../domain/time.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import { RollUpMarkEntity } from '../../tables/statistics/roll-up-mark.entity.js';
import type { Query } from '../projection.js';
import { quarterOf, quarterOfBlock } from '../quarters.js';
import type { NodeBook } from './record-nodes.js';

/** Whose figures a change of a row alters. */
export interface RowOwner {
  readonly nodeKey: number;
  /** Null: not known, so that the row belongs to its node's chain. */
  readonly lineageKey: number | null;
}

/** The node of marks of a chain's own figures. */
const THE_CHAIN = 0;

const COLUMNS = columnsOf(RollUpMarkEntity, 'nodeKey', 'chain', 'quarterAt');

/**
 * The quarter hours whose figures a batch alters, of nodes and of chains; each is written once a batch.
 * Rather one too many than one too few: a mark too many costs one computation.
 */
export class MarkBook {
  private readonly nodes = new Map<number, Set<Micros>>();
  private readonly lineages = new Map<number, Set<Micros>>();
  private readonly chains = new Map<string, Set<Micros>>();
  /** Rows without a lineage, by node: they belong to the chain that the node is of after the batch. */
  private readonly unplaced = new Map<number, Set<Micros>>();

  /** A row that a node showed, as it is after the batch or as it was before. */
  addRow(owner: RowOwner, at: Micros): void {
    setOf(this.nodes, owner.nodeKey).add(quarterOf(at));
    this.addRowOfChain(owner, at);
  }

  /** A row that only the chain's figures change with. */
  addRowOfChain({ nodeKey, lineageKey }: RowOwner, at: Micros): void {
    if (lineageKey === null) setOf(this.unplaced, nodeKey).add(quarterOf(at));
    else this.addOfLineage(lineageKey, at);
  }

  addOfLineage(lineageKey: number, at: Micros): void {
    setOf(this.lineages, lineageKey).add(quarterOf(at));
  }

  addOfChain(chain: string, at: Micros): void {
    setOf(this.chains, chain).add(quarterOf(at));
  }

  addBlock(nodeKey: number, lineageKey: number, timeNs: Nanos): void {
    const quarter = quarterOfBlock(timeNs);
    setOf(this.nodes, nodeKey).add(quarter);
    this.addOfLineage(lineageKey, quarter);
  }

  /** @param chainOf chain of each lineage */
  async write(nodes: NodeBook, chainOf: ReadonlyMap<number, string>, query: Query): Promise<void> {
    for (const [lineageKey, quarters] of this.lineages) this.addAll(chainOf.get(lineageKey), quarters);
    for (const [nodeKey, quarters] of this.unplaced) this.addAll(nodes.get(nodeKey).chainId, quarters);
    const marks: Pick<RollUpMarkEntity, 'nodeKey' | 'chain' | 'quarterAt'>[] = [];
    for (const [nodeKey, quarters] of this.nodes) {
      for (const quarterAt of quarters) marks.push({ nodeKey, chain: '', quarterAt });
    }
    for (const [chain, quarters] of this.chains) {
      for (const quarterAt of quarters) marks.push({ nodeKey: THE_CHAIN, chain, quarterAt });
    }
    if (marks.length === 0) return;
    const added = COLUMNS.unnest(marks);
    await query(
      `INSERT INTO roll_up_mark (${added.names}) SELECT ${added.names} FROM ${added.sql}`,
      added.parameters,
    );
  }

  /** A node that has not said its chain has no figures but its own. */
  private addAll(chain: string | null | undefined, quarters: Iterable<Micros>): void {
    if (typeof chain !== 'string') return;
    for (const quarter of quarters) this.addOfChain(chain, quarter);
  }
}

function setOf<Key>(sets: Map<Key, Set<Micros>>, key: Key): Set<Micros> {
  let set = sets.get(key);
  if (!set) {
    set = new Set();
    sets.set(key, set);
  }
  return set;
}
