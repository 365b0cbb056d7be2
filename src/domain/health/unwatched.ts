import { formatTime, type Millis, millisToNanos, type Nanos, nanosToMillis } from '../time.js';
import { limitBy, type Limit } from './health-rule.js';
import { UNWATCHED_RULES } from './trouble.js';
import { DEFAULT_THRESHOLDS, type HealthThresholds } from './health-thresholds.js';

/** Looks in which nothing happens wait at most about this long before they are in the log. The view of `reporting` has it, too. */
export const WRITTEN_WITHIN_MS: Millis = 65_000;
/** While a node is polled, the last poll in the log is younger than this, by the thresholds that are set where none is. */
export const POLLED_WITHIN_MS: Millis = WRITTEN_WITHIN_MS + DEFAULT_THRESHOLDS.notWatchedAfterMs;

/** What the log tells of a node's component at its end. */
export interface LastKnown {
  /** The interval that it leaves open, if it does. */
  readonly interval: { readonly from: Nanos; readonly to: Nanos | null; readonly rule: string };
  /** The last look that it holds; null: none. */
  readonly lastLookedAt: Nanos | null;
  /** What is looked at to judge the component, in words. */
  readonly lookedAt: string;
}

/** From when on nobody has looked, so that the state is not known. */
interface Unwatched {
  /** Not before the interval begins: where they are equal, nothing of it is known. */
  readonly from: Nanos;
  readonly reason: string;
  readonly limit: Limit;
}

/**
 * What follows an interval that the log leaves open when nobody looks at the node any more. It was taken out of the
 * settings, or nothing observes. Then comes time in which its state is not known, whatever it was. Undefined while
 * somebody may still be looking, and where the interval itself says that nobody does.
 *
 * @param thresholds of the node's chain
 */
export function findUnwatched(
  { interval, lastLookedAt, lookedAt }: LastKnown,
  { notWatchedAfterMs }: Pick<HealthThresholds, 'notWatchedAfterMs'>,
  now: Millis,
): Unwatched | undefined {
  if (interval.to !== null || lastLookedAt === null || UNWATCHED_RULES.has(interval.rule)) return undefined;
  if (now - nanosToMillis(lastLookedAt) < WRITTEN_WITHIN_MS + notWatchedAfterMs) return undefined;
  const deadline = lastLookedAt + millisToNanos(notWatchedAfterMs);
  return {
    from: deadline > interval.from ? deadline : interval.from,
    limit: limitBy('notWatchedAfterMs', notWatchedAfterMs),
    reason: `Not monitored: ${lookedAt} was last polled at ${formatTime(lastLookedAt, 0)}.`,
  };
}
