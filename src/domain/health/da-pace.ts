import type { Millis } from '../time.js';
import type { DaFacts } from './da-facts.js';
import { addGap, isUsualKnown } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';

/** A row whose time lies further behind the one before it says nothing of a pace. */
const LONGEST_GAP_MS: Millis = 24 * 3_600_000;

/** An attempt that hangs has failed by then: nodes give it up after a minute at most. */
const LONGEST_HANG_MS: Millis = 120_000;

/**
 * The gaps with the one before a success. Rows tell how long it was, also to the first poll; without their times it is
 * that between polls. What came while the state was unknown or critical is not usual, nor is an outage. But until it is
 * known what is usual, a gap in which no attempt failed is no outage: the list has nothing else in it. The same holds of
 * two gaps in turn that are longer than any attempt hangs: the chain posts at another pace now.
 */
export function learnSuccessGap(
  da: DaFacts,
  at: Millis,
  time: Millis | null,
  thresholds: HealthThresholds,
): Pick<DaFacts, 'successGaps' | 'quietGap'> {
  const { successGaps, successTime, lastSuccessAt, failureRun, isSuccessGapClean } = da;
  const quietGap = failureRun === 0 ? da.quietGap : null;
  const told = time !== null && successTime !== null ? time - successTime : 0;
  const isTold = told > 0 && told <= LONGEST_GAP_MS;
  const gap = isTold ? told : at - (lastSuccessAt ?? at);
  const isFirst = isTold && failureRun === 0 && !isUsualKnown(successGaps, thresholds);
  const isUsual = isFirst || (isSuccessGapClean && failureRun < thresholds.failingCount);
  if (gap > 0 && isUsual) return { successGaps: addGap(successGaps, gap, thresholds), quietGap };
  if (time === null || successTime === null || failureRun > 0 || !isTold || gap < LONGEST_HANG_MS)
    return { successGaps, quietGap };
  // Between the two came no more than the rows of one post.
  const isAgain = quietGap !== null && successTime - quietGap.endedAt < gap;
  return isAgain
    ? { successGaps: [quietGap.ms, gap], quietGap: null }
    : { successGaps, quietGap: { ms: gap, endedAt: time } };
}
