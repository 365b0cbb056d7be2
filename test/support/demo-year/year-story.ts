import type { Millis } from '../../../src/domain/time.js';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** From `from`, included, to `to`, excluded. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

/** Times that docs/ quotes are in it. A release moves it when the story has become long, or ends soon. */
const BEGIN = Date.UTC(2025, 9, 29);
const MONTHS_13 = 395 * DAY;
const TOLD = BEGIN + MONTHS_13;

function span(ago: Millis, lasts: Millis): Span {
  return { from: TOLD - ago, to: TOLD - ago + lasts };
}

/** Events in the life of the chain, and their times. */
export const STORY = {
  from: BEGIN,
  /** Nothing special happens from here on. */
  toldAt: TOLD,
  /** For demos that begin long after a release. */
  to: TOLD + 180 * DAY,
  /** The first node works, but cannot be reached. */
  outage: span(330 * DAY + 5 * HOUR, 5 * HOUR + 20 * MINUTE),
  /** The DA layer refuses every attempt. */
  refusal: span(260 * DAY + 15 * HOUR, 6 * HOUR),
  /** The first node is not monitored and is restarted meanwhile: rows that were never seen are gone. */
  unwatched: span(215 * DAY + 9 * HOUR, 26 * HOUR),
  restartAt: TOLD - 214 * DAY - 13 * HOUR,
  /** Much is posted, at a high price. */
  expensive: span(185 * DAY, 30 * DAY),
  priceChangeAt: TOLD - 100 * DAY,
  /** The second node is monitored from here on. */
  secondFrom: TOLD - 75 * DAY,
  leaderChangeAt: TOLD - 60 * DAY - 10 * HOUR,
  /** The first node is no longer monitored from here on. */
  firstTo: TOLD - 45 * DAY,
  /** The DA layer accepts the batches, but no block is shown as included. */
  frozen: span(44 * HOUR, 9 * HOUR),
  /** Much is posted. */
  lively: span(3 * DAY, 3 * DAY),
} as const;

export function isIn(at: Millis, { from, to }: Span): boolean {
  return at >= from && at < to;
}
