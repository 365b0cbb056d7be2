import type { Millis } from '../../domain/time.js';

/** The demo's synthetic chain and its two nodes. */
export const YEAR_CHAIN = 'made-up-year';
export const FIRST_NODE = 'made-up-a';
export const SECOND_NODE = 'made-up-b';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** From `from`, included, to `to`, excluded. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

/** Events in the life of the chain, and their times. */
export interface YearStory extends Span {
  /** The first node works, but cannot be reached. */
  readonly outage: Span;
  /** The DA layer refuses every attempt. */
  readonly refusal: Span;
  /** The first node is not monitored and is restarted meanwhile: rows that were never seen are gone. */
  readonly unwatched: Span;
  readonly restartAt: Millis;
  /** Much is posted, at a high price. */
  readonly expensive: Span;
  readonly priceChangeAt: Millis;
  /** The second node is monitored from here on. */
  readonly secondFrom: Millis;
  readonly leaderChangeAt: Millis;
  /** The first node is no longer monitored from here on. */
  readonly firstTo: Millis;
  /** The DA layer accepts the batches, but no block is shown as included. */
  readonly frozen: Span;
  /** Times with more activity than usual. */
  readonly lively: readonly Span[];
}

const MONTHS_13 = 395 * DAY;
/** The same for every demo, so that docs/ can quote the story. A release moves it when the story has become long. */
const BEGIN = Date.UTC(2025, 9, 29);

/**
 * The story up to `end`, Unix milliseconds. Everything happens in its first thirteen months; the time since is quiet, except its
 * end. If the clock is behind, the story begins earlier instead of ending in the future.
 */
export function tellStory(end: Millis): YearStory {
  const from = Math.min(BEGIN, end - MONTHS_13);
  const told = from + MONTHS_13;
  const span = (ago: Millis, lasts: Millis): Span => ({ from: told - ago, to: told - ago + lasts });
  const unwatched = span(215 * DAY + 9 * HOUR, 26 * HOUR);
  return {
    from,
    to: end,
    outage: span(330 * DAY + 5 * HOUR, 5 * HOUR + 20 * MINUTE),
    refusal: span(260 * DAY + 15 * HOUR, 6 * HOUR),
    unwatched,
    restartAt: unwatched.from + 20 * HOUR,
    expensive: span(185 * DAY, 30 * DAY),
    priceChangeAt: told - 100 * DAY,
    secondFrom: told - 75 * DAY,
    leaderChangeAt: told - 60 * DAY - 10 * HOUR,
    firstTo: told - 45 * DAY,
    frozen: span(44 * HOUR, 9 * HOUR),
    lively: [span(3 * DAY, 3 * DAY), { from: end - 3 * DAY, to: end }],
  };
}

export function isIn(at: Millis, { from, to }: Span): boolean {
  return at >= from && at < to;
}
