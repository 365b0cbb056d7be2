import type { Query } from '../../platform/sql.js';
import { getBlockEnds, type BlockEnd } from './block-ends.query.js';
import { getKnownEmpty, isOf } from './block-spans.query.js';
import { slotOf, type Slot } from './grouped-rows.js';
import type { BlockSums, FramedRow } from './report-frame.js';
import type { ReportPlan } from './report-plan.js';

/** Blocks whose time lies in a bucket; null where not known, or not told apart so. */
export interface BlockFigures {
  readonly blocksProduced: bigint | null;
  /** Of them, those whose header and data are included by now. */
  readonly blocksIncluded: bigint | null;
  readonly transactions: bigint | null;
  readonly transactionsIncluded: bigint | null;
  readonly transactionBytes: bigint | null;
  readonly transactionBytesIncluded: bigint | null;
}

/** How far inclusion had come when a bucket ended. */
export interface EndFigures {
  /** Blocks produced and not included; of several chains or nodes together their sum. */
  readonly pendingAtEnd: bigint | null;
  /** Null also of several chains or nodes together. */
  readonly inclusionFrontierAtEnd: bigint | null;
}

const NO_BLOCKS: BlockFigures = {
  blocksProduced: null,
  blocksIncluded: null,
  transactions: null,
  transactionsIncluded: null,
  transactionBytes: null,
  transactionBytesIncluded: null,
};
const NO_END: EndFigures = { pendingAtEnd: null, inclusionFrontierAtEnd: null };

const NONE_PRODUCED: BlockSums = {
  produced: 0n,
  included: 0n,
  transactions: 0n,
  includedTransactions: 0n,
  txBytes: 0n,
  includedTxBytes: 0n,
};

/** What is known of the blocks of a row. */
export async function getBlockFigures(
  query: Query,
  plan: ReportPlan,
): Promise<(row: FramedRow<Slot>) => BlockFigures> {
  if (plan.isOfSubmissions) return () => NO_BLOCKS;
  const isKnownEmpty = await getKnownEmpty(query, plan);
  return ({ slot, blocks = isKnownEmpty(slot) ? NONE_PRODUCED : undefined }) =>
    blocks === undefined
      ? NO_BLOCKS
      : {
          blocksProduced: blocks.produced,
          blocksIncluded: blocks.included,
          transactions: blocks.transactions,
          transactionsIncluded: blocks.includedTransactions,
          transactionBytes: blocks.txBytes,
          transactionBytesIncluded: blocks.includedTxBytes,
        };
}

/** How far inclusion had come at the end of a row. */
export async function getEndFigures(
  query: Query,
  plan: ReportPlan,
): Promise<(row: FramedRow<Slot>) => EndFigures> {
  if (plan.isOfSubmissions) return () => NO_END;
  const ends = new Map<string, BlockEnd>();
  for (const end of await getBlockEnds(query, plan)) ends.set(nameOf(end.bucket, end), end);
  return ({ slot }) => {
    const subjects = plan.scope.subjects.filter((subject) => isOf(slot, subject));
    return addUp(subjects.map((subject) => ends.get(nameOf(slot.bucket, subject))));
  };
}

/** Chains and nodes without a block so far add nothing; one whose frontier is not known makes the sum unknown. */
function addUp(ends: readonly (BlockEnd | undefined)[]): EndFigures {
  const begun = ends.filter((end) => end !== undefined);
  if (begun.length === 0) return NO_END;
  let pending: bigint | null = 0n;
  for (const { head, frontier } of begun) {
    pending = pending === null || frontier === null ? null : pending + head - frontier;
  }
  return {
    pendingAtEnd: pending,
    inclusionFrontierAtEnd: begun.length === 1 ? (begun[0]?.frontier ?? null) : null,
  };
}

function nameOf(bucket: number, { nodeKey, chain }: { nodeKey: number; chain: string }): string {
  return slotOf(bucket, { node_key: nodeKey, chain, namespace_key: null, kind: null, status: null });
}
