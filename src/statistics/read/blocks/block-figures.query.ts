import type { Query } from '../../../platform/sql.js';
import { getBlockEnds, type BlockEnd } from './block-ends.query.js';
import { getKnownEmpty, groupOf } from './block-spans.query.js';
import { slotOf, type Slot } from '../plan/grouped-rows.js';
import { ReadFault } from '../plan/read-fault.js';
import type { BlockSums, FramedRow } from '../plan/report-frame.js';
import type { ReportPlan } from '../plan/report-plan.js';

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

/** Buckets times nodes and chains whose blocks are told of in one report at most: they are gone through in one process. */
const MOST_PLACES = 400_000;

/**
 * What is known of the blocks of a row. Of one in which some are recorded that is what is recorded: others that could
 * not be read are not in it.
 * @throws ReadFault TOO_EXPENSIVE for too many buckets of nodes and chains
 */
export async function getBlockFigures(
  query: Query,
  plan: ReportPlan,
): Promise<(row: FramedRow<Slot>) => BlockFigures> {
  if (plan.isOfSubmissions) return () => NO_BLOCKS;
  requireFew(plan);
  const isKnownEmpty = await getKnownEmpty(query, plan);
  return ({ slot, blocks }) => {
    // Stored sums without a block are those of a time in which older blocks were posted.
    if (blocks !== undefined && blocks.produced > 0n) return toFigures(blocks);
    return isKnownEmpty(slot) ? toFigures(NONE_PRODUCED) : NO_BLOCKS;
  };
}

function toFigures(blocks: BlockSums): BlockFigures {
  return {
    blocksProduced: blocks.produced,
    blocksIncluded: blocks.included,
    transactions: blocks.transactions,
    transactionsIncluded: blocks.includedTransactions,
    transactionBytes: blocks.txBytes,
    transactionBytesIncluded: blocks.includedTxBytes,
  };
}

/**
 * How far inclusion had come at the end of a row.
 * @throws ReadFault TOO_EXPENSIVE for too many buckets of nodes and chains
 */
export async function getEndFigures(
  query: Query,
  plan: ReportPlan,
): Promise<(row: FramedRow<Slot>) => EndFigures> {
  if (plan.isOfSubmissions) return () => NO_END;
  requireFew(plan);
  const figures = new Map<string, EndFigures>();
  for (const end of await getBlockEnds(query, plan)) {
    const group = groupOf(plan, end);
    if (group === undefined) continue;
    const name = slotOf(end.bucket, group);
    figures.set(name, withEnd(figures.get(name), end));
  }
  return ({ slot }) => figures.get(slot.name) ?? NO_END;
}

/** Chains and nodes without a block so far add nothing; one whose frontier is not known makes the sum unknown. */
function withEnd(sum: EndFigures | undefined, { head, frontier }: BlockEnd): EndFigures {
  const pending = frontier === null ? null : head - frontier;
  if (sum === undefined) return { pendingAtEnd: pending, inclusionFrontierAtEnd: frontier };
  const isKnown = sum.pendingAtEnd !== null && pending !== null;
  return {
    pendingAtEnd: isKnown ? sum.pendingAtEnd + pending : null,
    inclusionFrontierAtEnd: null,
  };
}

function requireFew({ starts, scope }: ReportPlan): void {
  if (starts.length * scope.subjects.length <= MOST_PLACES) return;
  throw new ReadFault(
    'TOO_EXPENSIVE',
    `Blocks are told of for ${MOST_PLACES} buckets of nodes and chains at most: ask for a shorter time, longer buckets, fewer nodes or chains, or for no figures of blocks and pending ones.`,
  );
}
