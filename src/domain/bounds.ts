/*
 * Bounds of numbers. Nodes send what they like, and the log keeps it as sent, so every number from a node or from the log
 * is checked against these bounds. They lie far above everything real, and so far below the limits of columns that neither
 * a height plus one nor a sum overflows.
 */

import { type Micros, type Millis, millisToMicros } from './time.js';

/** Highest height of a chain or of the DA layer. */
export const HIGHEST_HEIGHT = 2n ** 62n;

/** Highest count of items counted one by one (blobs, transactions, answers); fits a signed 32-bit column. */
export const LARGEST_COUNT = 2_147_483_647;

/** Most bytes of one batch. */
export const LARGEST_SIZE = 2n ** 62n;

/** Highest amount in any unit of money: a gas price, a fee, a rate. */
export const LARGEST_MONEY = 10n ** 30n;

/** Largest exponent, positive or negative, of a number in exponent notation. */
export const LARGEST_EXPONENT = 30;

/** End of the year 9999: no clock shows more, and later years have no ISO text of four digits. */
const LATEST_MS: Millis = 253_402_300_799_999;

export const LARGEST_INT64 = 2n ** 63n - 1n;
const INTEGER = /^[+-]?\d{1,100}$/;

/** A height from 1 to {@link HIGHEST_HEIGHT}, unchanged; null for any other number. */
export function toHeight(value: bigint | null): bigint | null {
  return value !== null && value > 0n && value <= HIGHEST_HEIGHT ? value : null;
}

/** Reads a height from a decimal text of the log; null if it is not a valid height. */
export function readHeight(text: string | null): bigint | null {
  return text === null ? null : toHeight(readInteger(text));
}

/**
 * Reads a range of heights from the log, both ends included, clipped to valid heights. Null if it contains no valid height.
 */
export function readHeightRange(from: string, to: string): { from: bigint; to: bigint } | null {
  const [first, last] = [readInteger(from), readInteger(to)];
  if (first === null || last === null) return null;
  const range = { from: first > 1n ? first : 1n, to: last < HIGHEST_HEIGHT ? last : HIGHEST_HEIGHT };
  return range.from <= range.to ? range : null;
}

/** Reads an integer from a number or decimal text of the log; null if it is not an integer. */
export function readInteger(value: string | number): bigint | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : null;
  return INTEGER.test(value) ? BigInt(value.replace('+', '')) : null;
}

/** Clamps to a signed 64-bit column, for values that are only compared and shown, such as versions and times. */
export function toInt64(value: bigint): bigint {
  return value > LARGEST_INT64 ? LARGEST_INT64 : value < -LARGEST_INT64 ? -LARGEST_INT64 : value;
}

/** A count from 0 to {@link LARGEST_COUNT}, unchanged; null for any other number. */
export function toCount(value: number | null): number | null {
  return value !== null && Number.isSafeInteger(value) && value >= 0 && value <= LARGEST_COUNT ? value : null;
}

/** Truncates and clamps to a valid count, where a count is required. NaN becomes 0. */
export function nearestCount(value: number): number {
  return nearest(value, LARGEST_COUNT);
}

/** Truncates and clamps to a safe integer of bytes. NaN becomes 0. */
export function nearestSize(value: number): number {
  return nearest(value, Number.MAX_SAFE_INTEGER);
}

/** Rounds an estimate to the nearest integer; null if it is negative, NaN or beyond the safe integers. */
export function toEstimate(value: number | null): bigint | null {
  return value !== null && value >= 0 && value <= Number.MAX_SAFE_INTEGER ? BigInt(Math.round(value)) : null;
}

/** A time that a clock can show, from 1970 to 9999; null for any other number. */
export function toClockTime(ms: Millis): Millis | null {
  return Number.isFinite(ms) && ms >= 0 && ms <= LATEST_MS ? ms : null;
}

/** Clamps a time of the observer's own clock to the years 1970 to 9999: every observation needs a time. */
export function toMicros(ms: Millis): Micros {
  return millisToMicros(nearest(ms, LATEST_MS));
}

/** The offset between two clocks in whole milliseconds; null beyond the range of clock times. */
export function toClockOffset(ms: Millis | null): bigint | null {
  return ms !== null && Number.isFinite(ms) && Math.abs(ms) <= LATEST_MS ? BigInt(Math.round(ms)) : null;
}

/** Text as a database column returns it: U+0000 and lone surrogates become U+FFFD. */
export function toStorable(text: string): string {
  return Buffer.from(text.replaceAll('\0', '\ufffd')).toString();
}

function nearest(value: number, most: number): number {
  return Number.isNaN(value) ? 0 : Math.min(Math.max(Math.trunc(value), 0), most);
}
