import { RARELY_POLLED_MS } from './system-facts.js';
import { formatTime, type Millis, millisToNanos, type Nanos, nanosToMillis } from '../time.js';
import { limitBy, type Limit } from './health-rule.js';
import { UNWATCHED_RULES } from './trouble.js';
import { DEFAULT_THRESHOLDS, type HealthThresholds } from './health-thresholds.js';

/** Polls without news wait at most about this long before they are in the log. The view of `reporting` has this number, too. */
export const WRITTEN_WITHIN_MS: Millis = 65_000;
/** While a node is polled, its last poll in the log is younger than this, with the default thresholds. */
export const POLLED_WITHIN_MS: Millis = WRITTEN_WITHIN_MS + DEFAULT_THRESHOLDS.notWatchedAfterMs;

/** The state of a node's component at the end of the log. */
export interface LastKnown {
  /** The last interval, which may be open. */
  readonly interval: { readonly from: Nanos; readonly to: Nanos | null; readonly rule: string };
  /** The last poll in the log; null if it has none. */
  readonly lastLookedAt: Nanos | null;
  /** The polled object by which the component is judged, in words. */
  readonly lookedAt: string;
}

/** The time without polls, in which the state is unknown. */
interface UnmonitoredTime {
  /** Not before the interval begins. If both are equal, nothing of the interval is known. */
  readonly from: Nanos;
  readonly reason: string;
  readonly limit: Limit;
}

const RARELY_POLLED: ReadonlySet<string> = new Set(['da-token-refused', 'execution-refused']);

/**
 * The unmonitored time after the open interval at the end of the log, when the node is no longer polled: it was removed from the
 * settings, or no observer runs. Its state is unknown from then on, whatever it was. Undefined while the node may still be
 * polled, or if the interval itself means that it is not.
 *
 * @param thresholds of the node's chain
 */
export function findUnwatched(
  { interval, lastLookedAt, lookedAt }: LastKnown,
  { notWatchedAfterMs }: Pick<HealthThresholds, 'notWatchedAfterMs'>,
  now: Millis,
): UnmonitoredTime | undefined {
  if (interval.to !== null || lastLookedAt === null || UNWATCHED_RULES.has(interval.rule)) return undefined;
  const rarelyMs = RARELY_POLLED.has(interval.rule) ? RARELY_POLLED_MS : 0;
  if (now - nanosToMillis(lastLookedAt) < WRITTEN_WITHIN_MS + notWatchedAfterMs + rarelyMs) return undefined;
  const deadline = lastLookedAt + millisToNanos(notWatchedAfterMs);
  return {
    from: deadline > interval.from ? deadline : interval.from,
    limit: limitBy('notWatchedAfterMs', notWatchedAfterMs),
    reason: `Not monitored: ${lookedAt} was last polled at ${formatTime(lastLookedAt, 0)}.`,
  };
}
