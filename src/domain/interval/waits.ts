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
 * How long blocks waited until a node showed them as included. Lengths are milliseconds; null: not known. Of a block that still waits
 * its age counts as its wait, and an unknown one may have waited longer than all others. So lengths and numbers are lower bounds
 * while `stillWaiting` or `unknown` is not 0.
 */
export interface WaitFigures {
  readonly waited: bigint;
  /** Of them, those of which nobody saw when they were shown. In `p95Ms` they count as no wait, in other figures not at all. */
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
 * How long the blocks of an interval waited until a node showed them as included, header and data. Their `includedUs` is when that was first
 * seen. Those of the day before that still waited when the interval began count with them: finality stands still before anybody can tell.
 *
 * A block is delayed when it waited for more than twice the median of those that were shown in the day before. Where all waits are
 * unknown, so is how many were delayed, and how many waited at once.
 * @param blocks those of the interval, in any order
 * @param before those of the 24 hours before it
 */
export function waitFigures(
  blocks: readonly ProducedBlock[],
  before: readonly ProducedBlock[],
  { fromUs, toUs, endUs }: InclusionTime,
): WaitFigures {
  const waitsStill = ({ isIncluded, includedUs }: ProducedBlock): boolean =>
    !isIncluded || (includedUs ?? fromUs) > fromUs;
  const waited = [...before.filter(waitsStill), ...blocks];
  const unknown = waited.filter((block) => block.isIncluded && block.includedUs === null);
  const known = waited.filter((block) => !block.isIncluded || block.includedUs !== null);
  const waitOf = (block: ProducedBlock): Millis =>
    lagMs(block) ?? Math.max(Number(endUs - block.timeUs) / 1_000, 0);
  // What waits already when the interval begins is part of the trouble, and no usual wait.
  const limit = delayLimitMs(before.filter((block) => !waitsStill(block)));
  const isTold = limit !== null && isAnyKnown(waited);
  const late = known.filter((block) => limit !== null && waitOf(block) > limit);
  const still = known.filter(({ isIncluded }) => !isIncluded);
  const waits = known.map(waitOf);
  // Left out, unknown waits could make the percentile too long. It is no shorter than if none of them had waited.
  const p95 = percentileOf([...waits, ...unknown.map((): Millis => 0)], 0.95);
  return {
    waited: BigInt(waited.length),
    unknown: BigInt(unknown.length),
    limitMs: limit,
    delayed: isTold ? BigInt(late.length) : null,
    transactionsDelayed: isTold ? transactionsOf(late) : null,
    p95Ms: unknown.length > 0 && p95 === 0 ? null : p95,
    maxMs: percentileOf(waits, 1),
    stillWaiting: BigInt(still.length),
    transactionsStillWaiting: transactionsOf(still),
    longestStillWaitingMs: percentileOf(still.map(waitOf), 1),
    mostWaiting: isAnyKnown(waited) ? mostPending(waited, fromUs, toUs) : null,
  };
}
