import type { Millis } from '../../domain/time.js';

/** The chain of the demo that nobody ever ran, and its two nodes. */
export const YEAR_CHAIN = 'made-up-year';
export const FIRST_NODE = 'made-up-a';
export const SECOND_NODE = 'made-up-b';

export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** A time from its first moment to the one behind its last. */
export interface Span {
  readonly from: Millis;
  readonly to: Millis;
}

/** What happens to the chain, and when. */
export interface YearStory extends Span {
  /** The first node works on, but nobody can reach it. */
  readonly outage: Span;
  /** The DA layer refuses every attempt. */
  readonly refusal: Span;
  /** Nobody looks, and the first node is started anew meanwhile: rows are gone that nobody saw. */
  readonly unwatched: Span;
  readonly restartAt: Millis;
  /** Much is posted, at a high price. */
  readonly expensive: Span;
  readonly priceChangeAt: Millis;
  /** From when the second node is watched. */
  readonly secondFrom: Millis;
  readonly leaderChangeAt: Millis;
  /** From when the first node is no longer watched. */
  readonly firstTo: Millis;
  /** The DA layer takes the batches, but no block is shown as included. */
  readonly frozen: Span;
  /** When more is going on than usual. */
  readonly lively: readonly Span[];
}

const MONTHS_13 = 395 * DAY;
/** The same for every demo, so that docs/ can quote the story. A release moves it when the story has become long. */
const BEGIN = Date.UTC(2025, 9, 29);

/**
 * The story up to `end`, Unix milliseconds. Whatever happens is in its first thirteen months; the time since is quiet but for its
 * end. With a clock that is behind, the story begins earlier instead of ending in the future.
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

/** Whether a moment lies in a time. */
export function isIn(at: Millis, { from, to }: Span): boolean {
  return at >= from && at < to;
}
