import type { Micros, Millis } from '../time.js';

/** A produced block, and when its header and data were both included: when they were posted, or first shown as included. */
export interface ProducedBlock {
  readonly timeUs: Micros;
  readonly transactions: number;
  /** Whether header and data are known to be on the DA layer. */
  readonly isIncluded: boolean;
  /** Null if it is not included, or if the time is unknown. */
  readonly includedUs: Micros | null;
  /** If `includedUs` is unknown: up to when the block is known not to be included. Null or undefined if that is unknown, too. */
  readonly waitedToUs?: Micros | null;
}

/** How blocks of an interval were included. Lags and limits are in milliseconds; null: unknown. */
export interface InclusionFigures {
  readonly blocksIncluded: bigint;
  readonly transactions: bigint;
  readonly lagP95Ms: Millis | null;
  readonly lagMaxMs: Millis | null;
  readonly delayLimitMs: Millis | null;
  readonly blocksDelayed: bigint | null;
  readonly transactionsDelayed: bigint | null;
  readonly mostPendingBlocks: bigint | null;
}

/** The interval, and up to when (`endUs`) inclusion is known. */
export interface InclusionTime {
  readonly fromUs: Micros;
  readonly toUs: Micros;
  readonly endUs: Micros;
}

/** A block is delayed if it took longer than this many times the usual lag. */
const DELAYED_TIMES = 2;

/** The smallest value such that at least this share of the values is at or below it (nearest rank). Null without values. */
export function percentileOf(values: readonly number[], share: number): number | null {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.max(Math.ceil(share * sorted.length), 1) - 1] ?? null;
}

/** Milliseconds from a block's time to its inclusion; never below 0, since two clocks measure. Null if the end is unknown. */
export function lagMs({ timeUs, includedUs }: ProducedBlock): Millis | null {
  return includedUs === null ? null : Math.max(Number(includedUs - timeUs) / 1_000, 0);
}

function lagsOf(blocks: readonly ProducedBlock[]): Millis[] {
  return blocks.map(lagMs).filter((lag) => lag !== null);
}

/** Milliseconds beyond which a block counts as delayed: twice the median lag of `before`. Null if no lag is known. */
export function delayLimitMs(before: readonly ProducedBlock[]): Millis | null {
  const median = percentileOf(lagsOf(before), 0.5);
  return median === null ? null : median * DELAYED_TIMES;
}

/**
 * How the blocks of an interval were posted. Their `includedUs` is the later time of the successes that carried header and data.
 *
 * A block is delayed if its lag is more than twice the median lag of the blocks of the day before. While it is not included, its
 * age at `endUs` counts as its lag. If no lag of the day before is known, the usual lag is unknown. If no lag of the interval is
 * known, it is unknown how many blocks were delayed, and how many waited.
 * @param before the blocks of the 24 hours before the interval, in any order
 * @param toUs the end of the interval: pending blocks are counted from its start to there
 */
export function inclusionFigures(
  blocks: readonly ProducedBlock[],
  before: readonly ProducedBlock[],
  { fromUs, toUs, endUs }: InclusionTime,
): InclusionFigures {
  const lags = lagsOf(blocks);
  const limit = delayLimitMs(before);
  const isLate = (block: ProducedBlock): boolean => {
    if (block.isIncluded && block.includedUs === null) return false;
    const took = lagMs(block) ?? Number(endUs - block.timeUs) / 1_000;
    return limit !== null && took > limit;
  };
  const late = blocks.filter(isLate);
  const isTold = limit !== null && isAnyKnown(blocks);
  return {
    blocksIncluded: BigInt(blocks.filter(({ isIncluded }) => isIncluded).length),
    transactions: transactionsOf(blocks),
    lagP95Ms: percentileOf(lags, 0.95),
    lagMaxMs: percentileOf(lags, 1),
    delayLimitMs: limit,
    blocksDelayed: isTold ? BigInt(late.length) : null,
    transactionsDelayed: isTold ? transactionsOf(late) : null,
    mostPendingBlocks: isAnyKnown(blocks) ? mostPending([...before, ...blocks], fromUs, toUs) : null,
  };
}

/** Whether anything is known of how long these blocks waited: false if all are included at unknown times. */
export function isAnyKnown(blocks: readonly ProducedBlock[]): boolean {
  return blocks.length === 0 || blocks.some((block) => !block.isIncluded || block.includedUs !== null);
}

export function transactionsOf(blocks: readonly ProducedBlock[]): bigint {
  return blocks.reduce((sum, { transactions }) => sum + BigInt(transactions), 0n);
}

/**
 * The most blocks that were produced and not included at one moment between the two times. Blocks with an unknown time of
 * inclusion are left out, so it is a lower bound.
 */
export function mostPending(blocks: readonly ProducedBlock[], fromUs: Micros, toUs: Micros): bigint {
  const steps: (readonly [Micros, 1 | -1])[] = [];
  for (const { timeUs, isIncluded, includedUs } of blocks) {
    if (isIncluded && includedUs === null) continue;
    if (includedUs !== null && (includedUs <= timeUs || includedUs <= fromUs)) continue;
    steps.push([timeUs < fromUs ? fromUs : timeUs, 1]);
    if (includedUs !== null) steps.push([includedUs, -1]);
  }
  // A block that is included at the moment at which another is produced no longer waits.
  steps.sort(([a, one], [b, other]) => (a < b ? -1 : a > b ? 1 : one - other));
  let [pending, most] = [0, 0];
  for (const [atUs, change] of steps) {
    if (atUs >= toUs) break;
    pending += change;
    most = Math.max(most, pending);
  }
  return BigInt(most);
}
