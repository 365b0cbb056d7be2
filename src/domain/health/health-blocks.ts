import { readHeight } from '../bounds.js';
import type { BlockEvents } from '../events.js';
import {
  findReplaced,
  lowestBlock,
  type FirstBlock,
  type NodeHistory,
  type OtherHistory,
  type ReplacedHistory,
} from './chain-history.js';
import { findPollGap, later, leaveOut, type PollGap, type PollTimes } from './health-polls.js';
import type { HealthThresholds } from './health-thresholds.js';
import {
  advanceFrontier,
  liftFrontier,
  NO_FRONTIER,
  readHeights,
  readInclusion,
  type InclusionFrontier,
} from './inclusion-frontier.js';
import { addGap, usualGap, usualLimit, type Gaps } from './health-rule.js';
import { highestDaHeight, highestShown, noteAdvanceAt } from './shown-finality.js';
import type { Millis } from '../time.js';

/** Facts from a node's blocks that both components use, as JSON. Initially empty. Heights are decimal strings. */
export const NO_BLOCK_FACTS = {
  chain: null as string | null,
  lineage: null as number | null,
  /** The lowest block on record of this history; the history that it replaced; another history that other nodes show now. */
  first: null as FirstBlock | null,
  replaced: null as ReplacedHistory | null,
  otherHistory: null as OtherHistory | null,
  frontier: NO_FRONTIER,
  /** The highest DA height at which a block was shown as included, and how often a monitored frontier rose to a higher one. */
  daHeight: null as string | null,
  daAdvances: 0,
  /** The highest frontier of another node on the same history of the chain. */
  othersNext: null as string | null,
  /** Whether blocks of another node of the chain wait for a DA layer that is in trouble. */
  isDaOutElsewhere: false,
  /** The highest block that the node is known to have, and the highest that is recorded. */
  head: null as string | null,
  recordedTo: null as string | null,
  /** Ranges of heights, both ends inclusive, that the node did not return although it returned later ones. */
  skipped: [] as readonly (readonly [from: string, to: string])[],
  lastSubmitted: null as string | null,
  lookedAt: null as Millis | null,
  /** Polls prove that nothing else happened up to here: to the head, and to the inclusion frontier. */
  seenTo: null as Millis | null,
  frontierSeenTo: null as Millis | null,
  /** When the head moved last. Unmonitored times are left out of its age. */
  headAdvancedAt: null as Millis | null,
  headGaps: [] as Gaps,
  /** Whether the node was healthy since the head moved last, so that the gap counts as usual. */
  isHeadGapClean: false,
  /** Whether blocks came at the chain's own pace when the head moved last. */
  isMoving: false,
};

export type BlockFacts = Readonly<typeof NO_BLOCK_FACTS>;

/** The oldest ranges beyond this many are forgotten; an observer asks for no more of them either. */
const MOST_SKIPPED = 200;

/** How long the head may stay at a block. */
export function headStillLimit(facts: BlockFacts, thresholds: HealthThresholds): Millis {
  const { headStillUsualFactor, headStillAfterMs, longestBlockIntervalMs } = thresholds;
  const atLeast = Math.max(headStillAfterMs, longestBlockIntervalMs);
  return usualLimit(usualGap(facts.headGaps, thresholds), headStillUsualFactor, atLeast);
}

/** How long the head may stay at a block before it is late. */
export function headLateLimit(facts: BlockFacts, thresholds: HealthThresholds): Millis {
  return thresholds.headLateShare * headStillLimit(facts, thresholds);
}

export function isInclusionPending({ frontier, recordedTo }: BlockFacts): boolean {
  return frontier.next !== null && recordedTo !== null && BigInt(recordedTo) >= BigInt(frontier.next);
}

/** Whether blocks came at the chain's own pace, as far as they were polled. */
export function isChainMoving(facts: BlockFacts, thresholds: HealthThresholds): boolean {
  const { isMoving, headAdvancedAt, seenTo } = facts;
  if (!isMoving || headAdvancedAt === null || seenTo === null) return false;
  return seenTo - headAdvancedAt <= headLateLimit(facts, thresholds);
}

/** Notes polls of the blocks that prove that nothing happened up to `quietTo`. */
export function noteBlockPolls(
  facts: BlockFacts,
  looks: PollTimes,
  quietTo: Millis | null,
  thresholds: HealthThresholds,
): BlockFacts {
  const gap = findPollGap(looks, facts.lookedAt, thresholds);
  const known = gap ? leaveOutOfHead(facts, gap) : facts;
  const looked = { ...known, lookedAt: later(known.lookedAt, looks.last) };
  if (quietTo === null) return looked;
  const seenTo = later(looked.seenTo, quietTo);
  // The frontier is not polled while older blocks are being fetched.
  return isBehind(facts) ? { ...looked, seenTo } : { ...looked, seenTo, frontierSeenTo: seenTo };
}

/**
 * Notes blocks that were recorded at `at`. Blocks of another chain or lineage reset all facts.
 *
 * @param others the histories that the chain's other nodes show
 */
export function noteBlocks(
  facts: BlockFacts,
  body: BlockEvents['BlocksObserved'],
  at: Millis,
  thresholds: HealthThresholds,
  others: readonly NodeHistory[] = [],
): BlockFacts {
  const isSame = facts.chain === null || (facts.chain === body.chain && facts.lineage === body.lineage);
  const known = isSame ? facts : turnHistory(facts, body.lineage);
  const isTurn = facts.chain === null || !isSame;
  const replaced = isTurn ? findReplaced(facts, body, others, at) : facts.replaced;
  const first = lowestBlock(known.first, body);
  const frontier = recordHeights(known, body);
  const recordedTo = higher(known.recordedTo, body.to);
  const skipped = withoutHeights(known.skipped, BigInt(body.from), BigInt(body.to));
  // Older blocks that are being fetched show the past, not that inclusion moves.
  const isAdvance = isMoved(known, frontier) && !isBehind(known) && body.head === undefined;
  const shown = isAdvance ? noteAdvanceAt(known, highestDaHeight(body)) : known;
  const { chain, lineage } = body;
  const noted = { ...shown, chain, lineage, first, replaced, frontier, recordedTo, skipped };
  const head = body.head ?? body.to;
  return isSame ? noteHead(noted, head, at, thresholds) : { ...noted, head, headAdvancedAt: at };
}

/** The facts of another history. They know the first block of it only if it is the history that was replaced before. */
function turnHistory({ lookedAt, replaced }: BlockFacts, lineage: number): BlockFacts {
  return { ...NO_BLOCK_FACTS, lookedAt, first: replaced?.lineage === lineage ? replaced.first : null };
}

function recordHeights(
  { frontier, recordedTo }: BlockFacts,
  body: BlockEvents['BlocksObserved'],
): InclusionFrontier {
  const first = BigInt(body.from);
  const { included, empty } = readHeights(body);
  const expected = recordedTo === null ? first : BigInt(recordedTo) + 1n;
  // Heights that were skipped do not hold up inclusion.
  const skipped = first > expected ? ([[expected, first - 1n]] as const) : [];
  return advanceFrontier(frontier, first, { included: [...skipped, ...included], empty });
}

/** Notes heights that the node did not return. */
export function noteSkipped(facts: BlockFacts, body: BlockEvents['BlockUnreadable']): BlockFacts {
  if (facts.chain !== null && (body.chain !== facts.chain || body.lineage !== facts.lineage)) return facts;
  const { height, to = height } = body;
  return { ...facts, skipped: [...facts.skipped, [height, to] as const].slice(-MOST_SKIPPED) };
}

function withoutHeights(ranges: BlockFacts['skipped'], from: bigint, to: bigint): BlockFacts['skipped'] {
  const isApart = ([first, last]: readonly [string, string]): boolean =>
    BigInt(last) < from || BigInt(first) > to;
  if (ranges.every(isApart)) return ranges;
  return ranges.flatMap((range) => {
    if (isApart(range)) return [range];
    const [first, last] = range;
    const left = BigInt(first) < from ? [[first, String(from - 1n)] as const] : [];
    return BigInt(last) > to ? [...left, [String(to + 1n), last] as const] : left;
  });
}

/** Notes recorded blocks that are now shown as included. */
export function noteInclusion(facts: BlockFacts, body: BlockEvents['BlockInclusionObserved']): BlockFacts {
  if (body.chain !== facts.chain || body.lineage !== facts.lineage) return facts;
  const included = readInclusion(facts.frontier, body.heights);
  const frontier = advanceFrontier(facts.frontier, null, { included, empty: [] });
  const shown = isMoved(facts, frontier) ? noteAdvanceAt(facts, highestShown(body.heights)) : facts;
  return { ...shown, frontier };
}

/** Notes heights that the node no longer has: they do not hold up inclusion. */
export function notePruned(facts: BlockFacts, body: BlockEvents['BlocksPruned']): BlockFacts {
  const { next } = facts.frontier;
  const isHit = next !== null && BigInt(next) >= BigInt(body.from) && BigInt(next) <= BigInt(body.to);
  return isHit ? { ...facts, frontier: liftFrontier(facts.frontier, BigInt(body.to) + 1n) } : facts;
}

/** Notes what the node reports of its own progress. */
export function noteProgress(
  facts: BlockFacts,
  body: BlockEvents['NodeProgressObserved'],
  at: Millis,
  thresholds: HealthThresholds,
): BlockFacts {
  const frontier =
    body.firstPending !== null && facts.frontier.next !== null
      ? liftFrontier(facts.frontier, BigInt(body.firstPending))
      : facts.frontier;
  const oldest = readHeight(body.oldest ?? null);
  const skipped = oldest === null ? facts.skipped : withoutHeights(facts.skipped, 0n, oldest - 1n);
  const noted = {
    ...facts,
    frontier,
    skipped,
    lastSubmitted: body.lastSubmittedHeader ?? facts.lastSubmitted,
  };
  return body.head === null ? noted : noteHead(noted, body.head, at, thresholds);
}

function noteHead(facts: BlockFacts, head: string, at: Millis, thresholds: HealthThresholds): BlockFacts {
  const rise = facts.head === null ? null : BigInt(head) - BigInt(facts.head);
  // A lower head comes from a node that lags, or from older blocks that are being fetched: it means nothing.
  if (rise !== null && rise <= 0n) return facts;
  const seen = { ...facts, head };
  if (rise === null || facts.headAdvancedAt === null)
    return { ...seen, headAdvancedAt: at, isHeadGapClean: true };
  const gap = Math.max(0, at - facts.headAdvancedAt);
  return {
    ...seen,
    headAdvancedAt: at,
    isMoving: gap <= headLateLimit(facts, thresholds),
    headGaps: facts.isHeadGapClean ? addGap(facts.headGaps, gap / Number(rise), thresholds) : facts.headGaps,
    isHeadGapClean: true,
  };
}

/** Shifts the head's age so that a time without sight of the node does not count. Its proven part remains proven. */
export function leaveOutOfHead(facts: BlockFacts, unseen: PollGap): BlockFacts {
  const shift = (moment: Millis | null) => (moment === null ? null : leaveOut(moment, unseen));
  return {
    ...facts,
    headAdvancedAt: shift(facts.headAdvancedAt),
    seenTo: shift(facts.seenTo),
    lookedAt: shift(facts.lookedAt),
    isHeadGapClean: false,
  };
}

/** Whether the frontier changed; false for the first one. */
function isMoved({ frontier: before }: BlockFacts, { next }: InclusionFrontier): boolean {
  return before.next !== null && next !== before.next;
}

function isBehind({ head, recordedTo }: BlockFacts): boolean {
  return head !== null && (recordedTo === null || BigInt(recordedTo) < BigInt(head));
}

function higher(a: string | null, b: string): string {
  return a !== null && BigInt(a) > BigInt(b) ? a : b;
}
