import type { Millis } from '../time.js';
import {
  delayLimitMs,
  isAnyKnown,
  lagMs,
  mostPending,
  percentileOf,
  transactionsOf,
  type InclusionTime,
  type ProducedBlock,
} from './inclusion.js';

/**
 * How long blocks waited until a node showed them as included. Lengths are in milliseconds; null: unknown. The wait of a block
 * that still waits is its age, and the wait of an unknown block is its proven part. Lengths and numbers are therefore lower
 * bounds unless `stillWaiting` and `unknown` are 0.
 */
export interface WaitFigures {
  readonly waited: bigint;
  /** How many were shown at an unknown time. Without a `waitedToUs` they count as no wait in `p95Ms`, else not at all. */
  readonly unknown: bigint;
  readonly limitMs: Millis | null;
  readonly delayed: bigint | null;
  readonly transactionsDelayed: bigint | null;
  readonly p95Ms: Millis | null;
  readonly maxMs: Millis | null;
  readonly stillWaiting: bigint;
  readonly transactionsStillWaiting: bigint;
  readonly longestStillWaitingMs: Millis | null;
  readonly mostWaiting: bigint | null;
}

/**
 * How long the blocks of an interval waited until a node showed them as included, header and data. Their `includedUs` is when
 * that was first seen. Blocks of the day before that still waited when the interval began count, too: finality stalls before it
 * can be noticed.
 *
 * A block is delayed if it waited for more than twice the median wait of the blocks that were shown in the day before. If all
 * waits are unknown, so is how many were delayed, and how many waited at once. A block that was shown at an unknown time waited
 * at least up to its `waitedToUs`.
 * @param blocks of the interval, in any order
 * @param before blocks of the 24 hours before it
 */
export function waitFigures(
  blocks: readonly ProducedBlock[],
  before: readonly ProducedBlock[],
  { fromUs, toUs, endUs }: InclusionTime,
): WaitFigures {
  const waitsStill = ({ isIncluded, includedUs, waitedToUs }: ProducedBlock): boolean =>
    !isIncluded || (includedUs ?? waitedToUs ?? fromUs) > fromUs;
  const waited = [...before.filter(waitsStill), ...blocks];
  const isUnknown = ({ isIncluded, includedUs }: ProducedBlock): boolean => isIncluded && includedUs === null;
  const proven = waited.map(toProven);
  const known = proven.filter((block) => !isUnknown(block));
  const waitOf = (block: ProducedBlock): Millis =>
    lagMs(block) ?? Math.max(Number(endUs - block.timeUs) / 1_000, 0);
  // Blocks that already wait when the interval begins are part of the trouble, not a usual wait.
  const limit = delayLimitMs(before.filter((block) => !waitsStill(block)));
  const isTold = limit !== null && isAnyKnown(proven);
  const late = known.filter((block) => limit !== null && waitOf(block) > limit);
  const still = known.filter(({ isIncluded }) => !isIncluded);
  const waits = known.map(waitOf);
  // Leaving out blocks without a proven wait could make the percentile too long, so they count as not having waited.
  const p95 = percentileOf([...waits, ...proven.filter(isUnknown).map((): Millis => 0)], 0.95);
  const unknown = waited.filter(isUnknown).length;
  return {
    waited: BigInt(waited.length),
    unknown: BigInt(unknown),
    limitMs: limit,
    delayed: isTold ? BigInt(late.length) : null,
    transactionsDelayed: isTold ? transactionsOf(late) : null,
    p95Ms: unknown > 0 && p95 === 0 ? null : p95,
    maxMs: percentileOf(waits, 1),
    stillWaiting: BigInt(still.length),
    transactionsStillWaiting: transactionsOf(still),
    longestStillWaitingMs: percentileOf(still.map(waitOf), 1),
    mostWaiting: isAnyKnown(proven) ? mostPending(proven, fromUs, toUs) : null,
  };
}

/** The block as if it had been shown as early as the known facts allow. */
function toProven(block: ProducedBlock): ProducedBlock {
  return block.isIncluded ? { ...block, includedUs: block.includedUs ?? block.waitedToUs ?? null } : block;
}
