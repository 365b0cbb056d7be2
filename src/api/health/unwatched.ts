import { DEFAULT_THRESHOLDS } from '../../domain/health/health-thresholds.js';
import { formatInstant } from '../graphql/scalars.js';
import { HealthState, type HealthInterval } from './health.type.js';

/** Looks wait at most about this long before they are in the log. */
const WRITTEN_WITHIN_MS = 65_000;
const NANOS_PER_MS = 1_000_000n;

/**
 * What is to be said of an interval that the log leaves open: when nobody looks at the node any more (it was taken out of
 * the settings, or nothing observes), its state is not known, whatever it was.
 *
 * @param lastSeenAt the last look that the log holds, Unix nanoseconds
 * @param at what is looked at to judge the component
 * @param now Unix milliseconds
 * @returns the interval, ended where we stopped to know, and the unknown time behind it
 */
export function endUnwatched(
  interval: HealthInterval,
  lastSeenAt: bigint | null,
  at: string,
  now: number,
): HealthInterval[] {
  if (interval.to !== null || lastSeenAt === null || interval.rule === 'not-watched') return [interval];
  const { notWatchedAfterMs } = DEFAULT_THRESHOLDS;
  const silenceMs = now - Number(lastSeenAt / NANOS_PER_MS);
  if (silenceMs < WRITTEN_WITHIN_MS + notWatchedAfterMs) return [interval];
  const deadline = lastSeenAt + BigInt(notWatchedAfterMs) * NANOS_PER_MS;
  const from = deadline > interval.from ? deadline : interval.from;
  const unwatched: HealthInterval = {
    from,
    to: null,
    state: HealthState.UNKNOWN,
    rule: 'not-watched',
    reason: `Nobody has looked at ${at} since ${formatInstant(lastSeenAt)}.`,
    claim: null,
    claimDiffers: null,
  };
  if (from === interval.from) return [unwatched];
  const { state, rule, reason, claim, claimDiffers } = interval;
  return [{ from: interval.from, to: from, state, rule, reason, claim, claimDiffers }, unwatched];
}
