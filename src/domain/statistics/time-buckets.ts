import { firstOfMonths, mondayOf } from './civil-date.js';
import { zoneOffsets, type ZoneOffsets } from './zone-offsets.js';
import { formatTime, microsToNanos, type Micros } from '../time.js';

export type BucketSize = FixedSize | 'HOUR' | 'DAY' | 'WEEK' | keyof typeof MONTHS;
type FixedSize = keyof typeof FIXED;

export interface FiscalBucket {
  readonly fiscal: 'QUARTER' | 'YEAR';
  /** The month with which the fiscal year begins, 1 to 12. */
  readonly yearStart: number;
}

export type Bucket = BucketSize | FiscalBucket;

const SECOND_US = 1_000_000n;
/** Lengths of buckets that are the same in every zone, in seconds. */
const FIXED = { TEN_SECONDS: 10, MINUTE: 60, QUARTER_HOUR: 900 } as const;
const MONTHS = { MONTH: 1, QUARTER: 3, YEAR: 12 } as const;
const HOUR = 3600;
const DAY = 86_400;

/** No zone has ever been further from UTC than this (Manila until 1844: 15:56 behind), in seconds. */
const FURTHEST = 16 * HOUR;

/** Longest range whose offsets are checked one by one, in seconds: 100 years. */
const LOOKED_THROUGH = 100 * 366 * DAY;

/** Whether this JavaScript engine knows the zone by its name in the IANA database; case-insensitive. */
export function isTimeZone(zone: string): boolean {
  try {
    zoneOffsets(zone);
    return true;
  } catch {
    return false;
  }
}

/**
 * Start of the bucket that a moment lies in.
 *
 * - TEN_SECONDS, MINUTE, QUARTER_HOUR: always of UTC, whatever the zone.
 * - HOUR: a full hour by the zone's clocks, or the moment at which they were changed within it. An hour that the
 *   clocks show twice is two buckets.
 * - DAY: from the first moment whose local date is that day or a later one: mostly 00:00, else where the clocks jump
 *   over it. A day that a zone leaves out has no bucket. If clocks go back over midnight, the new day has begun.
 * - WEEK begins on Monday; MONTH, QUARTER, YEAR and fiscal buckets on the first; all with that day's start.
 *
 * Starts are exact to the second, as far as the engine's zone data are. Since 2012 all of them are whole quarter
 * hours of UTC, but for an hour of Antarctica/Casey in 2020, 2021 and 2022.
 * @throws RangeError for a zone that is not known
 */
export function bucketStart(us: Micros, size: Bucket, zone: string): Micros {
  return micros(startOf(wholeSeconds(us), size, zoneOffsets(zone)));
}

/** Start of the bucket that follows the one of a moment (mostly the start of a bucket). */
export function nextBucket(startUs: Micros, size: Bucket, zone: string): Micros {
  return micros(endOf(wholeSeconds(startUs), size, zoneOffsets(zone)));
}

/**
 * Starts of all buckets that overlap the range, ascending: the first may begin before it.
 * @param toUs exclusive
 * @returns undefined if there are more than `limit`
 */
export function bucketStarts(
  fromUs: Micros,
  toUs: Micros,
  size: Bucket,
  zone: string,
  limit: number,
): Micros[] | undefined {
  const starts: Micros[] = [];
  if (fromUs >= toUs) return starts;
  const offsets = zoneOffsets(zone);
  let at = startOf(wholeSeconds(fromUs), size, offsets);
  for (; micros(at) < toUs; at = endOf(at, size, offsets)) {
    if (starts.length >= limit) return undefined;
    starts.push(micros(at));
  }
  return starts;
}

/** Whether the full hours of a zone are those of UTC throughout. Also false if checking takes too long, beyond 100 years. */
export function hasWholeHourOffsets(zone: string, fromUs: Micros, toUs: Micros): boolean {
  const from = wholeSeconds(fromUs);
  const to = wholeSeconds(toUs);
  if (to - from > LOOKED_THROUGH) return zoneOffsets(zone).isUtc;
  for (const span of zoneOffsets(zone).spans(from, to)) {
    if (span.offset % HOUR !== 0 || (span.from > from && span.from <= to && span.from % HOUR !== 0))
      return false;
  }
  return true;
}

/** The local date and time of a zone at a moment, as microseconds since 1970 on a clock without a zone. */
export function localUs(us: Micros, zone: string): Micros {
  return us + BigInt(zoneOffsets(zone).at(wholeSeconds(us))) * SECOND_US;
}

/** The date that the clocks of a zone show at a moment, as `2026-01-31`. */
export function localDate(us: Micros, zone: string): string {
  return formatTime(microsToNanos(localUs(us, zone)), 0).slice(0, 'yyyy-mm-dd'.length);
}

function startOf(at: number, size: Bucket, offsets: ZoneOffsets): number {
  if (isFixed(size)) return at - modulo(at, FIXED[size]);
  if (size === 'HOUR') return hourStart(at, offsets);
  return dayStart(firstDay(localDay(at, offsets), size, 0), offsets);
}

/** First start after a moment. */
function endOf(at: number, size: Bucket, offsets: ZoneOffsets): number {
  if (isFixed(size)) return at - modulo(at, FIXED[size]) + FIXED[size];
  if (size === 'HOUR') return hourEnd(at, offsets);
  return dayStart(firstDay(localDay(at, offsets), size, 1), offsets);
}

function isFixed(size: Bucket): size is FixedSize {
  return typeof size === 'string' && size in FIXED;
}

function hourStart(at: number, offsets: ZoneOffsets): number {
  const offset = offsets.at(at);
  const full = at - modulo(at + offset, HOUR);
  return offsets.changeWithin(full, at) ?? full;
}

function hourEnd(at: number, offsets: ZoneOffsets): number {
  const offset = offsets.at(at);
  const full = at - modulo(at + offset, HOUR) + HOUR;
  return offsets.changeWithin(at, full) ?? full;
}

/** The latest date that the clocks have shown up to a moment, in days since 1970. */
function localDay(at: number, offsets: ZoneOffsets): number {
  const day = Math.floor((at + offsets.at(at)) / DAY);
  return dayStart(day + 1, offsets) <= at ? day + 1 : day;
}

/** The first moment at which the clocks show a date or a later one. */
function dayStart(day: number, offsets: ZoneOffsets): number {
  const local = day * DAY;
  if (offsets.isUtc) return local;
  for (const span of offsets.spans(local - FURTHEST, local + FURTHEST)) {
    const at = Math.max(span.from, local - span.offset);
    if (at < span.to) return at;
  }
  return local;
}

/** First day of the bucket of days that is `ahead` buckets after the bucket of `day`. */
function firstDay(day: number, size: Exclude<Bucket, FixedSize | 'HOUR'>, ahead: number): number {
  if (typeof size === 'object') return firstOfMonths(day, MONTHS[size.fiscal], ahead, size.yearStart);
  switch (size) {
    case 'DAY':
      return day + ahead;
    case 'WEEK':
      return mondayOf(day) + 7 * ahead;
    default:
      return firstOfMonths(day, MONTHS[size], ahead, 1);
  }
}

/** The second that a moment lies in. */
function wholeSeconds(us: Micros): number {
  const rest = us % SECOND_US;
  return Number((us - (rest < 0n ? rest + SECOND_US : rest)) / SECOND_US);
}

function micros(seconds: number): Micros {
  return BigInt(seconds) * SECOND_US;
}

function modulo(value: number, by: number): number {
  const rest = value % by;
  return rest < 0 ? rest + by : rest;
}
