/*
 * What a number can be. Nodes send what they like, and the log keeps it as sent; so whoever takes a number from a node or
 * from the log holds it against these bounds. They lie far above everything real, and so far below what columns take
 * that neither a height plus one nor a sum runs over.
 */

import { type Micros, type Millis, millisToMicros } from './time.js';

/** Highest height of a chain or of the DA layer. */
export const HIGHEST_HEIGHT = 2n ** 62n;

/** Most of what is counted one by one (blobs, transactions, answers); a signed column of 32 bits holds it. */
export const LARGEST_COUNT = 2_147_483_647;

/** Most bytes of a batch. */
export const LARGEST_SIZE = 2n ** 62n;

/** Most of any unit of money: a gas price, a fee, a rate. */
export const LARGEST_MONEY = 10n ** 30n;

/** Largest exponent, of either sign, of a number that is written with one. */
export const LARGEST_EXPONENT = 30;

/** End of the year 9999: no clock shows more, and later years have no ISO text of four digits. */
const LATEST_MS: Millis = 253_402_300_799_999;

const LARGEST_INT64 = 2n ** 63n - 1n;
const INTEGER = /^[+-]?\d{1,100}$/;

/** A height that can be one, from 1 on; else null. */
export function toHeight(value: bigint | null): bigint | null {
  return value !== null && value > 0n && value <= HIGHEST_HEIGHT ? value : null;
}

/** The same of a decimal text of the log. */
export function readHeight(text: string | null): bigint | null {
  return text === null ? null : toHeight(readInteger(text));
}

/**
 * A range of heights of the log, both ends within it, without what lies beyond all heights. Null: there is none in it.
 */
export function readHeightRange(from: string, to: string): { from: bigint; to: bigint } | null {
  const [first, last] = [readInteger(from), readInteger(to)];
  if (first === null || last === null) return null;
  const range = { from: first > 1n ? first : 1n, to: last < HIGHEST_HEIGHT ? last : HIGHEST_HEIGHT };
  return range.from <= range.to ? range : null;
}

/** An integer of the log, a number or a decimal text; null for what is none. */
export function readInteger(value: string | number): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null;
  return INTEGER.test(value) ? BigInt(value.replace('+', '')) : null;
}

/** The nearest integer that a signed 64-bit column holds: for what is only compared and shown, as versions and times. */
export function toInt64(value: bigint): bigint {
  return value > LARGEST_INT64 ? LARGEST_INT64 : value < -LARGEST_INT64 ? -LARGEST_INT64 : value;
}

/** A count that can be one, else null. */
export function toCount(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) && value >= 0 && value <= LARGEST_COUNT ? value : null;
}

/** The nearest number that can be a count: for what must be one. What is no number counts as none. */
export function nearestCount(value: number): number {
  return nearest(value, LARGEST_COUNT);
}

/** The same of bytes that are held as a number. */
export function nearestSize(value: number): number {
  return nearest(value, Number.MAX_SAFE_INTEGER);
}

/** A number from 0 on that may be an estimate, to the next integer; null for what is none. */
export function toEstimate(value: number | null): bigint | null {
  return value !== null && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? BigInt(Math.round(value)) : null;
}

/** A time that a clock can show, from 1970 to 9999; else null. */
export function toClockTime(ms: Millis): Millis | null {
  return Number.isFinite(ms) && ms >= 0 && ms <= LATEST_MS ? ms : null;
}

/** The same of the observer's own clock, the nearest where it is none: it must have been some time. */
export function toMicros(ms: Millis): Micros {
  return millisToMicros(nearest(ms, LATEST_MS));
}

/** How far two clocks can be apart, in whole milliseconds; null for what lies beyond. */
export function toClockOffset(ms: Millis | null): bigint | null {
  return ms !== null && Number.isFinite(ms) && Math.abs(ms) <= LATEST_MS ? BigInt(Math.round(ms)) : null;
}

/** Text as a column of the database gives it back: without U+0000 and lone surrogates, which it takes for U+FFFD. */
export function toStorable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\ufffd')).toString();
}

function nearest(value: number, most: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(Math.trunc(value), 0), most);
}
