import type { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { Renamed } from './record-chain-names.js';
import type { RecordFact } from './record-facts.js';

/** A success that tells its DA height, of a node that has shown no block of the row's chain: it has no history. */
export type Unplaced = Pick<SubmissionEntity, 'kind' | 'blobCount' | 'fromPosition'> & {
  readonly nodeKey: number;
  readonly daHeight: bigint;
  readonly namedChain?: string | null;
};

/** Which rows change their chain at events of a batch that are still to come: the tables know the names of all its events. */
export class Renames {
  private readonly renames = new Map<number, Renamed[]>();

  constructor(facts: readonly RecordFact[] = []) {
    for (const fact of facts) {
      if (fact.type !== 'chain' || !fact.renamed) continue;
      this.renames.set(fact.nodeKey, [...(this.renames.get(fact.nodeKey) ?? []), fact.renamed]);
    }
  }

  /** The next one of a node has come. */
  take(nodeKey: number): void {
    this.renames.get(nodeKey)?.shift();
  }

  /** The chain of a row as it is at the event that is being applied. */
  chainOf({ nodeKey, fromPosition, namedChain = null }: Unplaced): string | null {
    const [next] = this.renames.get(nodeKey) ?? [];
    return next && fromPosition >= next.since ? next.before : namedChain;
  }
}
