import type { Millis } from '../time.js';

/** The shortest and the longest time between two polls of a list. */
export interface PaceLimits {
  readonly floorMs: Millis;
  readonly ceilingMs: Millis;
}

/** How fast rows come, and how long to wait until the next poll. Plain data. */
export interface Pace {
  readonly intervalMs: Millis;
  /** Weighted mean of fresh rows per second; null until two polls are known. */
  readonly rowsPerSecond: number | null;
  readonly lastPoll: Millis | null;
}

export interface PacedPoll {
  readonly at: Millis;
  /**
   * `CONTINUED`: rows, if any, were placed after the known ones; `BROKEN`: first contact, reset, loss, another list,
   * or an answer that is stale, cut or contradicts itself;
   * `REFUSED`: no list.
   */
  readonly outcome: 'CONTINUED' | 'BROKEN' | 'REFUSED';
  readonly fresh: number;
  readonly ringSize: number;
  readonly bytes: number;
  /** Whether the newest attempt in the list failed; true without a list. */
  readonly hasFailure: boolean;
  readonly isEmpty: boolean;
}

/** Age at which a rate has half its weight. */
const HALF_LIFE_MS = 15_000;
/** Rows that may come between two polls: far fewer than a ring holds, so that bursts stay inside the overlap. */
const ROWS_PER_POLL = 8;
/** A poll that finds more than this share of the ring fresh raises the rate at once. */
const BURST_SHARE = 0.25;
/**
 * Ceiling while attempts fail, since silence would hide the end of the trouble, and while the list is empty, since an empty
 * list proves nothing about a longer time.
 */
const TROUBLED_CEILING_MS = 2_000;
/** Highest rate at which polls make a node send. */
const BYTES_PER_MS = 1_000;

export function initialPace(limits: PaceLimits): Pace {
  return { intervalMs: limits.floorMs, rowsPerSecond: null, lastPoll: null };
}

/**
 * The next poll follows after `max(floor, min(ceiling, 2 × the previous interval, 8 rows / rate))`, or after the floor if
 * anything broke the sequence of rows. The interval is longer for large lists, so that the node never sends more than 1
 * MB/s.
 */
export function nextPace(pace: Pace, limits: PaceLimits, poll: PacedPoll): Pace {
  const rowsPerSecond = poll.outcome === 'CONTINUED' ? rateAfter(pace, poll) : pace.rowsPerSecond;
  const { floorMs } = limits;
  const isTroubled = poll.hasFailure || poll.isEmpty;
  const ceilingMs = isTroubled ? Math.min(limits.ceilingMs, TROUBLED_CEILING_MS) : limits.ceilingMs;
  const byRate = rowsPerSecond ? (ROWS_PER_POLL / rowsPerSecond) * 1000 : Infinity;
  const wanted = Math.max(floorMs, Math.min(ceilingMs, 2 * pace.intervalMs, byRate));
  const intervalMs = Math.max(poll.outcome === 'CONTINUED' ? wanted : floorMs, poll.bytes / BYTES_PER_MS);
  return { intervalMs, rowsPerSecond, lastPoll: poll.at };
}

function rateAfter(pace: Pace, poll: PacedPoll): number | null {
  if (pace.lastPoll === null) return pace.rowsPerSecond;
  const elapsedMs = Math.max(1, poll.at - pace.lastPoll);
  const now = (poll.fresh / elapsedMs) * 1000;
  const before = pace.rowsPerSecond ?? now;
  if (poll.fresh > poll.ringSize * BURST_SHARE) return Math.max(before, now);
  const weight = 0.5 ** (elapsedMs / HALF_LIFE_MS);
  return before * weight + now * (1 - weight);
}
