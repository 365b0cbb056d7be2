import type { Polls } from '../events.js';
import type { HealthThresholds } from './health-thresholds.js';
import type { Millis } from '../time.js';

/** A gap between two polls that is longer than allowed. */
export interface PollGap {
  readonly from: Millis;
  readonly to: Millis;
}

/** The part of `Polls` that says when polls were made. */
export type PollTimes = Pick<Polls, 'first' | 'last' | 'count' | 'longestGapMs'>;

export function onePoll(at: Millis): PollTimes {
  return { first: at, last: at, count: 1, longestGapMs: 0 };
}

/**
 * Up to when polls prove that nothing else happened. That is the last poll but one, since the results of the last one may be in
 * several events, or in an event that is still being written. Only the first poll, the last one and the longest gap are known, so
 * this errs to the early side.
 *
 * @param lookedAt the last poll before these
 */
export function quietTo(looks: PollTimes, lookedAt: Millis | null): Millis | null {
  const isKnown = looks.last <= (lookedAt ?? -Infinity);
  const proven = looks.count < 2 || isKnown ? null : Math.max(looks.first, looks.last - looks.longestGapMs);
  if (proven === null || proven >= looks.last) return isKnown ? null : lookedAt;
  return Math.max(lookedAt ?? proven, proven);
}

/**
 * The gap between polls, if any: between the previously known poll and these, or among these. Its place among them is not known;
 * it is put at their end, since the poll that ends a gap usually finds something.
 */
export function findPollGap(
  looks: PollTimes,
  lookedAt: Millis | null,
  thresholds: HealthThresholds,
): PollGap | undefined {
  const { notWatchedAfterMs } = thresholds;
  if (lookedAt !== null && looks.last <= lookedAt) return undefined;
  if (lookedAt !== null && looks.first - lookedAt > notWatchedAfterMs) {
    return { from: lookedAt, to: looks.first };
  }
  // A gap that is longer than the time they span lies before the first.
  if (looks.longestGapMs > looks.last - looks.first) return undefined;
  const from = Math.max(looks.last - looks.longestGapMs, looks.first, lookedAt ?? looks.first);
  return looks.last - from > notWatchedAfterMs ? { from, to: looks.last } : undefined;
}

export function later(a: Millis | null, b: Millis): Millis {
  return a === null ? b : Math.max(a, b);
}

/** Moves a moment from which ages are measured, so that a time without sight does not count. */
export function leaveOut(moment: Millis, unseen: PollGap): Millis {
  if (moment >= unseen.to || unseen.to <= unseen.from) return moment;
  return moment <= unseen.from ? moment + unseen.to - unseen.from : unseen.to;
}
