import { entryOf } from '../../../domain/collections.js';
import type { Micros } from '../../../domain/time.js';
import { columnsOf } from '../../../platform/rows/row-columns.js';
import { RollUpMarkEntity } from '../../../tables/statistics/roll-up-mark.entity.js';
import type { Query } from '../../projection.js';
import { quarterOf } from '../../quarters.js';

/** Whose figures a change of a row alters. */
export interface RowOwner {
  readonly nodeKey: number;
  readonly chainId: string | null;
}

/** The node of marks of a chain's own figures. */
const THE_CHAIN = 0;
const COLUMNS = columnsOf(RollUpMarkEntity, 'nodeKey', 'chain', 'quarterAt');

/**
 * The quarter hours whose figures a batch alters, of nodes and of chains; each is written once a batch.
 * Rather one too many than one too few: a mark too many costs one computation.
 */
export class MarkBook {
  /** By the key of a node, or the name of a chain. */
  private readonly quarters = new Map<number | string, Set<Micros>>();

  /** Marks a row of a node, as it was before the batch or is after it; or a block. */
  addRow({ nodeKey, chainId }: RowOwner, at: Micros): void {
    this.add(nodeKey, at);
    this.addOfChain(chainId, at);
  }

  /** A row that only the chain's figures change with. @param chain null: of none */
  addOfChain(chain: string | null, at: Micros): void {
    if (chain !== null) this.add(chain, at);
  }

  async write(query: Query): Promise<void> {
    const marks = [...this.quarters].flatMap(([owner, quarters]) => {
      const whose =
        typeof owner === 'number' ? { nodeKey: owner, chain: '' } : { nodeKey: THE_CHAIN, chain: owner };
      return [...quarters].map((quarterAt) => ({ ...whose, quarterAt }));
    });
    if (marks.length === 0) return;
    const added = COLUMNS.unnest(marks);
    await query(
      `INSERT INTO roll_up_mark (${added.names}) SELECT ${added.names} FROM ${added.sql}`,
      added.parameters,
    );
  }

  private add(owner: number | string, at: Micros): void {
    entryOf(this.quarters, owner, () => new Set()).add(quarterOf(at));
  }
}
