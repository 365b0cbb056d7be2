import type { Looks } from '../events.js';
import type { HealthThresholds } from './health-thresholds.js';
import type { Millis } from '../time.js';

/** A time between two looks that is longer than it may be. */
export interface Hole {
  readonly from: Millis;
  readonly to: Millis;
}

/** The part of `Looks` that tells when somebody looked. */
export type LookTimes = Pick<Looks, 'first' | 'last' | 'count' | 'longestGapMs'>;

/** A single look. */
export function oneLook(at: Millis): LookTimes {
  return { first: at, last: at, count: 1, longestGapMs: 0 };
}

/**
 * Up to when looks prove that nothing else happened. That is the last but one, since what the last one showed may stand
 * in several events, or in one that is still being written. Of several looks only the first, the last and the longest
 * gap are known, so this errs to the early side.
 *
 * @param lookedAt the last look before these
 */
export function quietTo(looks: LookTimes, lookedAt: Millis | null): Millis | null {
  const isKnown = looks.last <= (lookedAt ?? -Infinity);
  const proven = looks.count < 2 || isKnown ? null : Math.max(looks.first, looks.last - looks.longestGapMs);
  if (proven === null || proven >= looks.last) return isKnown ? null : lookedAt;
  return Math.max(lookedAt ?? proven, proven);
}

/**
 * The hole between looks, if there is one: between the look known before and these, or among these. Where among them
 * is not known; it is put at their end, since the look that ends a hole usually finds something.
 */
export function findHole(
  looks: LookTimes,
  lookedAt: Millis | null,
  thresholds: HealthThresholds,
): Hole | undefined {
  const { notWatchedAfterMs } = thresholds;
  if (lookedAt !== null && looks.last <= lookedAt) return undefined;
  if (lookedAt !== null && looks.first - lookedAt > notWatchedAfterMs) {
    return { from: lookedAt, to: looks.first };
  }
  // A longer gap than all of them last lies before the first.
  if (looks.longestGapMs > looks.last - looks.first) return undefined;
  const from = Math.max(looks.last - looks.longestGapMs, looks.first, lookedAt ?? looks.first);
  return looks.last - from > notWatchedAfterMs ? { from, to: looks.last } : undefined;
}

/** The later of two moments, where known. */
export function later(a: Millis | null, b: Millis): Millis {
  return a === null ? b : Math.max(a, b);
}

/** Moves a moment that ages are measured from, so that a time in which nobody saw does not count. */
export function leaveOut(moment: Millis, unseen: Hole): Millis {
  if (moment >= unseen.to || unseen.to <= unseen.from) return moment;
  return moment <= unseen.from ? moment + unseen.to - unseen.from : unseen.to;
}
