import type { Millis } from './time.js';

/** Bytes that were written on one day. Plain JSON. */
export interface DaySpending {
  /** Days of UTC since 1970. */
  readonly day: number;
  readonly bytes: number;
}

const DAY_MS = 86_400_000;

/** A stored day further ahead than this is a clock's mistake. */
const DAYS_AHEAD = 1;

/** Bytes spent on the day of `at`. Setting the clock back does not start a day again. */
export function spentOn(spending: DaySpending | undefined, at: Millis): number {
  return spending && spending.day >= dayOf(at) ? spending.bytes : 0;
}

/** Adds bytes that were written at `at`. */
export function spend(spending: DaySpending | undefined, at: Millis, bytes: number): DaySpending {
  const today = dayOf(at);
  // Bytes of a day far ahead count as today's, and that day moves back to tomorrow.
  const known = Math.min(spending?.day ?? 0, today + DAYS_AHEAD);
  return { day: Math.max(today, known), bytes: spentOn(spending, at) + bytes };
}

/** Milliseconds to wait after writing `bytes`, so that a day's bytes stay within the budget. */
export function timeFor(bytes: number, bytesPerDay: number): Millis {
  return Math.ceil((bytes / bytesPerDay) * DAY_MS);
}

function dayOf(at: Millis): number {
  return Math.floor(at / DAY_MS);
}
