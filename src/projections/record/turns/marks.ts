import { entryOf } from '../../../domain/collections.js';
import type { Micros } from '../../../domain/time.js';
import { columnsOf } from '../../../platform/rows/row-columns.js';
import { RollUpMarkEntity } from '../../../tables/statistics.entities.js';
import type { Query } from '../../projection.js';
import { quarterOf } from '../../quarters.js';

/** The node and chain whose figures change with a row. */
export interface RowOwner {
  readonly nodeKey: number;
  readonly chainId: string | null;
}

/** The node key in marks of a chain's own figures. */
const THE_CHAIN = 0;
const COLUMNS = columnsOf(RollUpMarkEntity, 'nodeKey', 'chain', 'quarterAt');

/**
 * The quarter hours of nodes and chains whose figures a batch alters; each is written once per batch. When in doubt, mark:
 * an unnecessary mark costs one computation, a missing one leaves a wrong figure.
 */
export class MarkBook {
  /** Keyed by node, or by the name of a chain. */
  private readonly quarters = new Map<number | string, Set<Micros>>();

  /** Marks for a node's row, in its state before or after the batch; or for a block. */
  addRow({ nodeKey, chainId }: RowOwner, at: Micros): void {
    this.add(nodeKey, at);
    this.addOfChain(chainId, at);
  }

  /** Marks for a row that changes only the chain's figures. @param chain null marks nothing */
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
