import type { Millis } from '../time.js';

/** The least and the most time between two looks at a list. */
export interface PaceLimits {
  readonly floorMs: Millis;
  readonly ceilingMs: Millis;
}

/** How fast rows come, and how soon to look again. Plain data. */
export interface Pace {
  readonly intervalMs: Millis;
  /** Weighted mean of fresh rows per second; null before two looks are known. */
  readonly rowsPerSecond: number | null;
  readonly lastLook: Millis | null;
}

/** What one look at the list showed. */
export interface PacedLook {
  readonly at: Millis;
  /**
   * `CONTINUED`: rows were placed behind the known ones (or there were none); `BROKEN`: first contact, reset, loss or another
   * list; `REFUSED`: no list.
   */
  readonly outcome: 'CONTINUED' | 'BROKEN' | 'REFUSED';
  readonly fresh: number;
  readonly ringSize: number;
  /** Bytes of the body. */
  readonly bytes: number;
  /** Whether a failed attempt was among the fresh rows. */
  readonly hasFailure: boolean;
  /** Whether the list held no row. */
  readonly isEmpty: boolean;
}

/** The weight of what was seen this long ago is one half. */
const HALF_LIFE_MS = 15_000;
/** Rows that may come between two looks: far fewer than a ring holds, so that bursts stay inside the overlap. */
const ROWS_PER_LOOK = 8;
/** A look that found more than this share of the ring fresh raises the rate at once. */
const BURST_SHARE = 0.25;
/** While attempts fail, silence would hide the end of the trouble; and an empty list says nothing of a longer time. */
const TROUBLED_CEILING_MS = 2_000;
/** No node has to send more than this for us. */
const BYTES_PER_MS = 1_000;

/** Before the first look. */
export function initialPace(limits: PaceLimits): Pace {
  return { intervalMs: limits.floorMs, rowsPerSecond: null, lastLook: null };
}

/**
 * When to look next: after `max(floor, min(ceiling, 2 × the interval before, 8 rows / rate))`. After anything that
 * broke the line it is the floor. It is never so often that a large list makes the node send more than 1 MB/s.
 */
export function nextPace(pace: Pace, limits: PaceLimits, look: PacedLook): Pace {
  const rowsPerSecond = look.outcome === 'CONTINUED' ? rateAfter(pace, look) : pace.rowsPerSecond;
  const { floorMs } = limits;
  const isTroubled = look.hasFailure || look.isEmpty;
  const ceilingMs = isTroubled ? Math.min(limits.ceilingMs, TROUBLED_CEILING_MS) : limits.ceilingMs;
  const byRate = rowsPerSecond ? (ROWS_PER_LOOK / rowsPerSecond) * 1000 : Infinity;
  const wanted = Math.max(floorMs, Math.min(ceilingMs, 2 * pace.intervalMs, byRate));
  const intervalMs = Math.max(look.outcome === 'CONTINUED' ? wanted : floorMs, look.bytes / BYTES_PER_MS);
  return { intervalMs, rowsPerSecond, lastLook: look.at };
}

function rateAfter(pace: Pace, look: PacedLook): number | null {
  if (pace.lastLook === null) return pace.rowsPerSecond;
  const elapsedMs = Math.max(1, look.at - pace.lastLook);
  const now = (look.fresh / elapsedMs) * 1000;
  const before = pace.rowsPerSecond ?? now;
  if (look.fresh > look.ringSize * BURST_SHARE) return Math.max(before, now);
  const weight = 0.5 ** (elapsedMs / HALF_LIFE_MS);
  return before * weight + now * (1 - weight);
}
