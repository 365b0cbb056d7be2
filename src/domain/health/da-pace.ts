import type { Millis } from '../time.js';
import type { DaFacts } from './da-facts.js';
import { addGap, isUsualKnown } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';

/** A row that comes later than this after the previous one shows no pace. */
const LONGEST_GAP_MS: Millis = 24 * 3_600_000;

/** A hanging attempt has failed by then: nodes give up an attempt after a minute at most. */
const LONGEST_HANG_MS: Millis = 120_000;

/**
 * The gaps including the one before a success. Its length is the difference between the times of the two rows, also at the first
 * poll; if rows have no times, it is the time between the polls. A gap in a time of unknown or critical state, or of an outage,
 * is not usual. But until the usual gap is known, a gap without failed attempts is no outage, since the list shows nothing else.
 * The same holds for two successive gaps that are longer than any attempt hangs: the chain now posts at another pace.
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
  // At most the rows of one post came between the two gaps.
  const isAgain = quietGap !== null && successTime - quietGap.endedAt < gap;
  return isAgain
    ? { successGaps: [quietGap.ms, gap], quietGap: null }
    : { successGaps, quietGap: { ms: gap, endedAt: time } };
}
