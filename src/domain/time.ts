/**
 * Moments and lengths of time, in the three units that there are. Each unit is a type of its own, so that the compiler
 * refuses one where another is meant; what is computed from them is a plain number again, and fits all of them.
 */

/** Milliseconds: what clocks and settings have. A moment counts from 1970, UTC. */
export type Millis = number & { readonly unit?: 'ms' };

/** Microseconds: what Postgres keeps of a time. A moment counts from 1970, UTC. */
export type Micros = bigint & { readonly unit?: 'us' };

/** Nanoseconds: what nodes write. A moment counts from 1970, UTC. */
export type Nanos = bigint & { readonly unit?: 'ns' };

/** A quarter of an hour, the shortest stretch that figures are added up over. */
export const QUARTER_US: Micros = 900_000_000n;

/**
 * 2200-01-01: the farthest time that is believed of a block. Blocks of later times count under its first quarter hour,
 * those from before 1970 under that of 1970.
 */
export const FARTHEST_TIME_US: Micros = 7_258_118_400_000_000n;

/** Whole milliseconds as microseconds. */
export function millisToMicros(ms: Millis): Micros {
  return BigInt(ms) * 1_000n;
}

/** Whole milliseconds as nanoseconds. */
export function millisToNanos(ms: Millis): Nanos {
  return BigInt(ms) * 1_000_000n;
}

/** The millisecond that a moment lies in (of one before 1970: the next one). */
export function microsToMillis(us: Micros): Millis {
  return Number(us / 1_000n);
}

export function microsToNanos(us: Micros): Nanos {
  return us * 1_000n;
}

/** The millisecond that a moment lies in (of one before 1970: the next one). */
export function nanosToMillis(ns: Nanos): Millis {
  return Number(ns / 1_000_000n);
}

/** The microsecond that a moment lies in (of one before 1970: the next one). */
export function nanosToMicros(ns: Nanos): Micros {
  return ns / 1_000n;
}
