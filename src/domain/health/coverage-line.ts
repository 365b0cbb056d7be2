import { nearestCount, toCount } from '../bounds.js';
import type { LossFact } from '../events.js';
import { enterVerdict, NO_INTERVALS, type IntervalBook, type IntervalEdit } from './health-intervals.js';
import type { PollGap } from './health-polls.js';
import { duration, limitBy, type Limit } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { RETIRED_RULE } from './trouble.js';
import { WRITTEN_WITHIN_MS } from './unwatched.js';
import type { Millis } from '../time.js';

/** Our own coverage of a node, as JSON. Its line begins with the first time in which something may have been missed. */
export interface CoverageLine {
  readonly book: IntervalBook;
  /** When the node was removed from the settings; null if it never was. */
  readonly retiredAt: Millis | null;
}

export const NO_COVERAGE_LINE: CoverageLine = { book: NO_INTERVALS, retiredAt: null };

export interface Uncovered {
  readonly rule: 'unwatched' | 'rows-missed';
  readonly reason: string;
  readonly limit: Limit | null;
}

/**
 * The moment from which the list was not polled in a gap. Polls without news wait to be recorded, and a kill loses them. They
 * were made for as long as the log shows that Hindsight polled the node, but wait for a minute at most.
 *
 * @param reportedTo the last recorded poll of anything of the node before the polls stopped
 */
export function unpolledFrom({ from, to }: PollGap, reportedTo: Millis | null): Millis {
  return Math.min(to, Math.max(from, Math.min(reportedTo ?? from, from + WRITTEN_WITHIN_MS)));
}

/**
 * Judges a gap in the polls of the list. Undefined if the list was unpolled for no longer than allowed, or if the node was
 * removed from the settings in the gap.
 *
 * @param unpolled the part of the gap in which the list was not polled
 */
export function findUnpolled(
  { retiredAt }: CoverageLine,
  gap: PollGap,
  unpolled: PollGap,
  { notWatchedAfterMs }: Pick<HealthThresholds, 'notWatchedAfterMs'>,
): Uncovered | undefined {
  const lengthMs = unpolled.to - unpolled.from;
  if (lengthMs <= notWatchedAfterMs) return undefined;
  if (retiredAt !== null && retiredAt >= gap.from && retiredAt <= gap.to) return undefined;
  const reason = `Not polled for ${duration(lengthMs)}: submissions may be missing.`;
  return { rule: 'unwatched', reason, limit: limitBy('notWatchedAfterMs', notWatchedAfterMs) };
}

/** A gap of at most this length in which no row is proven to be missing is not reported; it remains among the losses. */
export const SHORT_GAP_MS: Millis = 30_000;

/** Judges missing rows of the list; undefined if it is proven that no row is missing, or the gap is too short to report. */
export function findMissed({ minLost, maxLost }: LossFact, { from, to }: PollGap): Uncovered | undefined {
  if (maxLost === 0 || (minLost === 0 && to - from <= SHORT_GAP_MS)) return undefined;
  const reason = `Not polled for ${duration(to - from)}: ${missingInWords(nearestCount(minLost), toCount(maxLost))}.`;
  return { rule: 'rows-missed', reason, limit: null };
}

/**
 * `at least 2 submissions are missing`, `an unknown number of submissions may be missing`.
 *
 * @param max null if unbounded
 */
export function missingInWords(min: number | bigint, max: number | bigint | null): string {
  const [least, most] = [BigInt(min), max === null ? null : BigInt(max)];
  if (most === 0n) return 'no submission is missing';
  if (least === 0n)
    return `${most === null ? 'an unknown number of' : `up to ${most}`} submissions may be missing`;
  if (most === null) return `at least ${least} submissions are missing`;
  if (least < most) return `${least} to ${most} submissions are missing`;
  return least === 1n ? '1 submission is missing' : `${least} submissions are missing`;
}

/** Enters a time in which something may have been missed, and full coverage after it. Reported times stay. */
export function enterUncovered(
  book: IntervalBook,
  { from, to }: PollGap,
  uncovered: Uncovered,
): { readonly book: IntervalBook; readonly edits: readonly IntervalEdit[] } {
  const at = Math.max(from, book.open?.from ?? from);
  if (!(at < to)) return { book, edits: [] };
  const begun = enterVerdict(book, { at, state: 'WARNING', ...uncovered }, null);
  const ended = enterVerdict(begun.book, { at: to, ...COVERED }, null);
  return {
    book: { ...ended.book, closed: ended.book.closed.slice(-1) },
    edits: [...begun.edits, ...ended.edits],
  };
}

/** The verdict after a time in which something may have been missed. */
export const COVERED = {
  state: 'HEALTHY',
  rule: 'covered',
  reason: 'No submission is known to be missing.',
  limit: null,
} as const;

/** The verdict on each line of a node from when it is removed from the settings. */
export const RETIRED = {
  state: 'UNKNOWN',
  rule: RETIRED_RULE,
  reason: 'No longer monitored: the node was removed from the settings.',
  limit: null,
} as const;
