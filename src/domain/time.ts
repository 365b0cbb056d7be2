/**
 * Moments and durations, in the three units used. Each unit is its own type, so that the compiler refuses one where another
 * is expected. Results of arithmetic are plain numbers again and fit all units.
 */

/** Milliseconds, the unit of clocks and settings. A moment counts from 1970, UTC. */
export type Millis = number & { readonly unit?: 'ms' };

/** Microseconds, the unit of times in Postgres. A moment counts from 1970, UTC. */
export type Micros = bigint & { readonly unit?: 'us' };

/** Nanoseconds, the unit of times from nodes. A moment counts from 1970, UTC. */
export type Nanos = bigint & { readonly unit?: 'ns' };

export const SECOND_NS: Nanos = 1_000_000_000n;
const MILLI_NS: Nanos = 1_000_000n;

/** A quarter of an hour, the shortest interval over which figures are summed. */
export const QUARTER_US: Micros = 900_000_000n;

/** 24 hours; a day of a zone may be longer or shorter. */
export const DAY_US: Micros = 86_400_000_000n;

/**
 * 2200-01-01, the latest believable time of a block. Blocks of later times count in the quarter hour that begins here,
 * blocks from before 1970 in the first one of 1970.
 */
export const FARTHEST_TIME_US: Micros = 7_258_118_400_000_000n;

/** @throws RangeError unless `ms` is an integer */
export function millisToMicros(ms: Millis): Micros {
  return BigInt(ms) * 1_000n;
}

/** @throws RangeError unless `ms` is an integer */
export function millisToNanos(ms: Millis): Nanos {
  return BigInt(ms) * 1_000_000n;
}

/** Drops the fraction of a millisecond; a moment before 1970 is rounded up. */
export function microsToMillis(us: Micros): Millis {
  return Number(us / 1_000n);
}

export function microsToNanos(us: Micros): Nanos {
  return us * 1_000n;
}

/** Drops the fraction of a millisecond; a moment before 1970 is rounded up. */
export function nanosToMillis(ns: Nanos): Millis {
  return Number(ns / 1_000_000n);
}

/** Drops the fraction of a microsecond; a moment before 1970 is rounded up. */
export function nanosToMicros(ns: Nanos): Micros {
  return ns / 1_000n;
}

const ISO_TIME =
  /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:[.,](\d+))?\s?(?:(Z)|([+-]\d\d)(?::?(\d\d))?)?)?$/i;

/**
 * Unix nanoseconds of an ISO 8601 time; undefined for anything else. A day alone begins at midnight, a time without a zone
 * is UTC, and digits beyond the ninth decimal are dropped. Callers that accept only some of these forms check the text as
 * well.
 *
 * @param days `rolling` reads a day that its month does not have as a day of the next month: 31 February is 3 March
 */
export function parseTime(text: string, days: 'calendar' | 'rolling' = 'calendar'): Nanos | undefined {
  const [, day = '', minutes = '00:00', seconds = ':00', decimals = '', utc, hours, rest = '00'] =
    ISO_TIME.exec(text) ?? [];
  const zone = utc !== undefined || hours === undefined ? 'Z' : `${hours}:${rest}`;
  const ms = Date.parse(`${day}T${minutes}${seconds}${zone}`);
  if (Number.isNaN(ms) || (days === 'calendar' && !isInCalendar(day))) return undefined;
  return millisToNanos(ms) + BigInt(decimals.slice(0, 9).padEnd(9, '0'));
}

/** The engine reads 31 February as 3 March. */
function isInCalendar(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}

/** Numbers below these are read as seconds, milliseconds and microseconds; each range reaches beyond the year 5000. */
const MAGNITUDES: readonly (readonly [below: bigint, digitsToNanos: number])[] = [
  [10n ** 11n, 9],
  [10n ** 14n, 6],
  [10n ** 17n, 3],
];

/**
 * Unix nanoseconds of a number that is not negative. Its magnitude decides whether it is in seconds, milliseconds,
 * microseconds or nanoseconds.
 *
 * @param decimals the digits after its point; anything smaller than a nanosecond is dropped
 */
export function nanosByMagnitude(whole: bigint, decimals = ''): Nanos {
  const digits = MAGNITUDES.find(([below]) => whole < below)?.[1] ?? 0;
  return BigInt(`${whole}${decimals.slice(0, digits).padEnd(digits, '0')}`);
}

/**
 * A moment as ISO 8601 in UTC.
 *
 * @param decimals number of decimals, further digits are cut off; by default three, six or nine, as few as keep every digit
 * @throws RangeError beyond the years of a `Date`, about 270,000 from now
 */
export function formatTime(ns: Nanos, decimals?: 0 | 3 | 6 | 9): string {
  const rest = ns % MILLI_NS;
  const below = Number(rest < 0n ? rest + MILLI_NS : rest);
  const ms = Number(ns / MILLI_NS) - (rest < 0n ? 1 : 0);
  const day = Math.floor(ms / DAY_MS);
  const text = `${dayText(day)}T${clockText(ms - day * DAY_MS)}`;
  if (below === 0 && (decimals === undefined || decimals === 3)) return `${text}Z`;
  const digits = text.slice(-3) + String(below).padStart(6, '0');
  const shown = digits.slice(0, decimals ?? (below % 1_000 === 0 ? 6 : 9));
  return shown === '' ? `${text.slice(0, -4)}Z` : `${text.slice(0, -3)}${shown}Z`;
}

const DAY_MS = 86_400_000;

/** Most times in one answer lie within a few days. */
const REMEMBERED_DAYS = 1_000;
const dayTexts = new Map<number, string>();

/** A day of UTC, counted from 1970. @throws RangeError beyond the days of a `Date` */
function dayText(number: number): string {
  const known = dayTexts.get(number);
  if (known !== undefined) return known;
  const text = new Date(number * DAY_MS).toISOString().slice(0, -14);
  if (dayTexts.size >= REMEMBERED_DAYS) dayTexts.clear();
  dayTexts.set(number, text);
  return text;
}

/** A time of the day in milliseconds, as `05:00:00.000`. */
function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  const two = (number: number): string => (number < 10 ? `0${number}` : `${number}`);
  const milli = String(1_000 + (ms % 1_000)).slice(1);
  return `${two(Math.floor(minutes / 60))}:${two(minutes % 60)}:${two(seconds % 60)}.${milli}`;
}
