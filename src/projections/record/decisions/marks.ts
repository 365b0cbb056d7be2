import type { Micros, Nanos } from '../../../domain/time.js';
import { columnsOf } from '../../../platform/rows/row-columns.js';
import { RollUpMarkEntity } from '../../../tables/statistics/roll-up-mark.entity.js';
import type { Query } from '../../projection.js';
import { quarterOf, quarterOfBlock } from '../../quarters.js';

/** Whose figures a change of a row alters. */
export interface RowOwner {
  readonly nodeKey: number;
  /** Null: not known, so that the row belongs to the chain that its node named. */
  readonly lineageKey: number | null;
  readonly namedChain?: string | null;
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

  /** A row that a node showed, as it is after the batch or as it was before. */
  addRow(owner: RowOwner, at: Micros): void {
    setOf(this.nodes, owner.nodeKey).add(quarterOf(at));
    this.addRowOfChain(owner, at);
  }

  /** A row that only the chain's figures change with. */
  addRowOfChain({ lineageKey, namedChain }: RowOwner, at: Micros): void {
    if (lineageKey !== null) this.addOfLineage(lineageKey, at);
    else if (typeof namedChain === 'string') this.addOfChain(namedChain, at);
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
  async write(chainOf: ReadonlyMap<number, string>, query: Query): Promise<void> {
    for (const [lineageKey, quarters] of this.lineages) {
      const chain = chainOf.get(lineageKey);
      if (chain !== undefined) for (const quarter of quarters) this.addOfChain(chain, quarter);
    }
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
}

function setOf<Key>(sets: Map<Key, Set<Micros>>, key: Key): Set<Micros> {
  let set = sets.get(key);
  if (!set) {
    set = new Set();
    sets.set(key, set);
  }
  return set;
}
