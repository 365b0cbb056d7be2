import type { Millis } from './time.js';

/** Bytes that were written on one day. Plain JSON. */
export interface DaySpending {
  /** Days of UTC since 1970. */
  readonly day: number;
  readonly bytes: number;
}

const DAY_MS = 86_400_000;

/** A day that is further ahead was a clock's mistake. */
const DAYS_AHEAD = 1;

/** What was spent on the day of `at`. A clock that is set back does not open a day again. */
export function spentOn(spending: DaySpending | undefined, at: Millis): number {
  return spending && spending.day >= dayOf(at) ? spending.bytes : 0;
}

/** Adds bytes that were written at `at`. */
export function spend(spending: DaySpending | undefined, at: Millis, bytes: number): DaySpending {
  const today = dayOf(at);
  // What was spent on a day far ahead counts as today's, and no longer.
  const known = Math.min(spending?.day ?? 0, today + DAYS_AHEAD);
  return { day: Math.max(today, known), bytes: spentOn(spending, at) + bytes };
}

/** How long to wait after `bytes`, so that as many come in a day as the budget has, in milliseconds. */
export function timeFor(bytes: number, bytesPerDay: number): Millis {
  return Math.ceil((bytes / bytesPerDay) * DAY_MS);
}

function dayOf(at: Millis): number {
  return Math.floor(at / DAY_MS);
}
