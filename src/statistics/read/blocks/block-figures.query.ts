import type { Query } from '../../../platform/sql.js';
import type { MeasuredBy } from '../measures.js';
import { toGroup, toSlot } from '../plan/grouped-rows.js';
import type { FramedRow } from '../plan/report-frame.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { getBlockEnds, type BlockEnd } from './block-ends.query.js';
import { walkBlocks, type KnownBucket, type BlockWalk } from './block-walk.query.js';
import { getKnownEmpty, isOfBlocks } from './known-empty.query.js';
import { getMissing } from './missing-blocks.query.js';

/**
 * Blocks whose time lies in a bucket; null if not known, or not available in the report's grouping. A block is included if its
 * header and data are included by now.
 */
export type BlockFigures = MeasuredBy<'blocks'>;

/**
 * The blocks produced and not included, as a sum for several chains or nodes together, and the frontier, which is null for
 * several.
 */
type EndFigures = MeasuredBy<'ends'>;

interface BlockNeeds {
  readonly blocks?: boolean | undefined;
  readonly ends?: boolean | undefined;
}

const NO_BLOCKS = ofEach(null);
const NONE_PRODUCED = ofEach(0n);
export const NO_END: EndFigures = { pendingAtEnd: null, inclusionFrontierAtEnd: null };

function ofEach(value: bigint | null): BlockFigures {
  return {
    blocksProduced: value,
    blocksIncluded: value,
    transactions: value,
    transactionsIncluded: value,
    transactionBytes: value,
    transactionBytesIncluded: value,
    blocksMissing: value,
  };
}

type FiguresOf<Figures> = (row: FramedRow) => Figures;

/**
 * Figures of the blocks of a row; undefined if not requested.
 * @throws ReadFault TOO_EXPENSIVE for too many buckets of nodes and chains
 */
export async function getBlockFigures(
  query: Query,
  plan: ReportPlan,
  needs: BlockNeeds,
): Promise<{ readonly blocks?: FiguresOf<BlockFigures>; readonly ends?: FiguresOf<EndFigures> }> {
  if (!needs.blocks && !needs.ends) return {};
  if (plan.isOfSubmissions) return { blocks: () => NO_BLOCKS, ends: () => NO_END };
  // The heights that blocks had reached before, and whether a block followed, are known only as of today.
  if (plan.recounted?.blocks)
    return { blocks: ({ blocks }) => ({ ...NO_BLOCKS, ...blocks }), ends: () => NO_END };
  const walk = await walkBlocks(query, plan);
  return {
    ...(needs.blocks && { blocks: await getProduced(query, plan, walk) }),
    ...(needs.ends && { ends: await getEnds(query, plan, walk.places) }),
  };
}

/** Counts the recorded blocks of a row, and how many other blocks there may be. */
async function getProduced(
  query: Query,
  plan: ReportPlan,
  walk: BlockWalk,
): Promise<FiguresOf<BlockFigures>> {
  const isKnownEmpty = await getKnownEmpty(query, plan, walk.places);
  const missing = await getMissing(query, plan, walk.histories);
  return ({ slot, blocks, isCounted }) => {
    // Stored sums without blocks come from a time in which only older blocks were posted.
    if (blocks !== undefined && blocks.blocksProduced > 0n)
      return { ...blocks, blocksMissing: isCounted ? missing(slot) : null };
    return isCounted && isKnownEmpty(slot) ? NONE_PRODUCED : NO_BLOCKS;
  };
}

async function getEnds(
  query: Query,
  plan: ReportPlan,
  places: readonly KnownBucket[],
): Promise<FiguresOf<EndFigures>> {
  const figures = new Map<string, EndFigures>();
  for (const end of await getBlockEnds(query, places)) {
    if (!isOfBlocks(plan, end.owner)) continue;
    const { name } = toSlot(end.bucket, toGroup(plan, end.owner));
    figures.set(name, withEnd(figures.get(name), end));
  }
  return ({ slot }) => figures.get(slot.name) ?? NO_END;
}

/** Chains and nodes without a block so far add nothing; an unknown frontier makes the sum unknown. */
function withEnd(sum: EndFigures | undefined, { head, frontier }: BlockEnd): EndFigures {
  const pending = frontier === null ? null : head - frontier;
  if (sum === undefined) return { pendingAtEnd: pending, inclusionFrontierAtEnd: frontier };
  const isKnown = sum.pendingAtEnd !== null && pending !== null;
  return {
    pendingAtEnd: isKnown ? sum.pendingAtEnd + pending : null,
    inclusionFrontierAtEnd: null,
  };
}
