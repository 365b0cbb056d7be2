import type { LossFact } from '../events.js';
import { enterVerdict, NO_INTERVALS, type IntervalBook, type IntervalEdit } from './health-intervals.js';
import type { Hole } from './health-looks.js';
import { duration, limitBy, type Limit } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import { RETIRED_RULE } from './trouble.js';
import { WRITTEN_WITHIN_MS } from './unwatched.js';
import type { Millis } from '../time.js';

/** Our own coverage of a node, as JSON: its line begins with the first time in which something may have been missed. */
export interface CoverageLine {
  readonly book: IntervalBook;
  /** When nobody was to look at it any more. */
  readonly retiredAt: Millis | null;
}

export const NO_COVERAGE_LINE: CoverageLine = { book: NO_INTERVALS, retiredAt: null };

/** Why a time is not covered. */
export interface Uncovered {
  readonly rule: 'unwatched' | 'rows-missed';
  readonly reason: string;
  readonly limit: Limit | null;
}

/**
 * From when on the list was not polled in a hole. Polls in which nothing happened wait to be recorded, and a kill takes
 * them: they were made for as long as the log shows that Hindsight polled the node, but wait for a minute at most.
 *
 * @param reportedTo the last poll on record of anything of the node before it was not polled
 */
export function unpolledFrom({ from, to }: Hole, reportedTo: Millis | null): Millis {
  return Math.min(to, Math.max(from, Math.min(reportedTo ?? from, from + WRITTEN_WITHIN_MS)));
}

/**
 * What a hole in the polls of the list means. Undefined where the list was not polled for no longer than it may be, and
 * where the node was taken out of the settings in the hole.
 *
 * @param unpolled the part of the hole in which the list was not polled
 */
export function findUnlooked(
  { retiredAt }: CoverageLine,
  hole: Hole,
  unpolled: Hole,
  { notWatchedAfterMs }: Pick<HealthThresholds, 'notWatchedAfterMs'>,
): Uncovered | undefined {
  const lengthMs = unpolled.to - unpolled.from;
  if (lengthMs <= notWatchedAfterMs) return undefined;
  if (retiredAt !== null && retiredAt >= hole.from && retiredAt <= hole.to) return undefined;
  const reason = `Not polled for ${duration(lengthMs)}: submissions may be missing.`;
  return { rule: 'unwatched', reason, limit: limitBy('notWatchedAfterMs', notWatchedAfterMs) };
}

/** Of a hole that is no longer, and in which no row is proven to be missing, nobody is told; it stands among the losses. */
export const SHORT_HOLE_MS: Millis = 30_000;

/** What a hole in the list means; undefined where it is proven that no row is missing, or nobody is told of it. */
export function findMissed({ minLost, maxLost }: LossFact, { from, to }: Hole): Uncovered | undefined {
  if (maxLost === 0 || (minLost === 0 && to - from <= SHORT_HOLE_MS)) return undefined;
  const reason = `Not polled for ${duration(to - from)}: ${missingInWords(minLost, maxLost)}.`;
  return { rule: 'rows-missed', reason, limit: null };
}

/**
 * `at least 2 submissions are missing`, `an unknown number of submissions may be missing`.
 *
 * @param max null where nothing bounds it
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

/** Enters a time in which something may have been missed, and that all was seen behind it. What was told before stays. */
export function enterUncovered(
  book: IntervalBook,
  { from, to }: Hole,
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

/** Behind a time in which something may have been missed. */
export const COVERED = {
  state: 'HEALTHY',
  rule: 'covered',
  reason: 'No submission is known to be missing.',
  limit: null,
} as const;

/** On each line of a node from when on it is out of the settings. */
export const RETIRED = {
  state: 'UNKNOWN',
  rule: RETIRED_RULE,
  reason: 'No longer monitored: the node was removed from the settings.',
  limit: null,
} as const;
