import {
  HIGHEST_HEIGHT,
  LARGEST_COUNT,
  LARGEST_EXPONENT,
  LARGEST_INT64,
  LARGEST_MONEY,
  LARGEST_SIZE,
} from '../bounds.js';
import type { JsonValue } from '../exact-json.js';
import { type Nanos, nanosByMagnitude, parseTime } from '../time.js';

/** Times that include seconds. */
const TO_THE_SECOND = /:\d\d:\d\d(?:[.,]\d{1,18})?\s?(?:Z|[+-]\d\d(?::?\d\d)?)?$/i;
const SECONDS = /^(-?\d{1,20})(?:\.(\d{1,18}))?$/;
const ZERO_TIME_SECONDS = -62_135_596_800n;

/**
 * A time as a node wrote it: ISO text (UTC without a zone), or a number whose magnitude decides between seconds,
 * milliseconds, microseconds and nanoseconds. Null for the zero time (0, empty text, the year 1). Undefined if it cannot be
 * read, lies before 1970 or does not fit 64 bits (after 2262).
 */
export function readNodeTime(value: string | number): Nanos | null | undefined {
  const text = String(value).trim();
  const [, whole, decimals] = SECONDS.exec(text) ?? [];
  const ns = whole === undefined ? readText(text) : readNumber(BigInt(whole), decimals);
  return ns !== null && ns !== undefined && ns > LARGEST_INT64 ? undefined : ns;
}

function readNumber(whole: bigint, decimals = ''): Nanos | null | undefined {
  if (whole > 0n) return nanosByMagnitude(whole, decimals);
  const isZeroTime = (whole === 0n && /^0*$/.test(decimals)) || whole === ZERO_TIME_SECONDS;
  return isZeroTime ? null : undefined;
}

function readText(text: string): Nanos | null | undefined {
  if (text === '' || text.startsWith('0001-01-01T00:00:00')) return null;
  const ns = TO_THE_SECOND.test(text) ? parseTime(text, 'rolling') : undefined;
  if (ns === undefined || ns < 0n) return undefined;
  return ns === 0n ? null : ns;
}

/** A field of a row, with the name under which it was found. Missing and null fields are undefined instead. */
export interface RowField {
  readonly name: string;
  readonly value: Exclude<JsonValue, null>;
}

const DECIMAL = /^([+-]?)(\d{1,40})(?:\.(\d{1,40}))?(?:[eE]([+-]?\d{1,2}))?$/;
const NOT_HEX = /[^0-9a-f]/;
const BASE64 = /^[A-Za-z0-9+/_-]+={0,2}$/;

/** The first of `names` that has a value in the row. */
export function findField(
  row: { [name: string]: JsonValue },
  names: readonly string[],
): RowField | undefined {
  for (const name of names) {
    const value = Object.hasOwn(row, name) ? row[name] : undefined;
    if (value !== undefined && value !== null) return { name, value };
  }
  return undefined;
}

/** Text, or a number as text; undefined for anything else. */
export function readFieldText({ value }: RowField): string | undefined {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined;
}

/** A height from 0 on, as a number or as text; undefined for anything else. */
export function readFieldHeight(field: RowField): bigint | undefined {
  return readFieldInteger(field, HIGHEST_HEIGHT);
}

/** A number of bytes, as a number or as text; undefined for anything else. */
export function readFieldSize(field: RowField): bigint | undefined {
  return readFieldInteger(field, LARGEST_SIZE);
}

function readFieldInteger({ value }: RowField, most: bigint): bigint | undefined {
  const text = typeof value === 'number' && Number.isSafeInteger(value) ? String(value) : value;
  if (typeof text !== 'string' || !/^\+?\d{1,19}$/.test(text)) return undefined;
  const integer = BigInt(text.replace('+', ''));
  return integer <= most ? integer : undefined;
}

/** A count from 0 on, or the length of a list; undefined for anything else. */
export function readFieldCount(field: RowField): number | undefined {
  if (Array.isArray(field.value)) return field.value.length;
  const count = readFieldInteger(field, BigInt(LARGEST_COUNT));
  return count === undefined ? undefined : Number(count);
}

/**
 * A price above zero as an exact decimal without exponent or trailing zeros. Null where the node does not know it: newer
 * versions then write 0, older ones -1 (times a factor on a retry) for "automatic". Undefined for anything that is not a
 * price or is too large for one.
 */
export function readFieldPrice(field: RowField): string | null | undefined {
  const parts = DECIMAL.exec(readFieldText(field)?.trim() ?? '');
  if (!parts) return undefined;
  const [, sign, whole = '', fraction = '', exponent = '0'] = parts;
  if (Math.abs(Number(exponent)) > LARGEST_EXPONENT) return undefined;
  const digits = whole + fraction;
  if (sign === '-' || /^0*$/.test(digits)) return null;
  const point = whole.length + Number(exponent);
  const padded = point <= 0 ? '0'.repeat(1 - point) + digits : digits.padEnd(point, '0');
  const left = point <= 0 ? 1 : point;
  const decimals = padded.slice(left).replace(/0+$/, '');
  const integer = padded.slice(0, left).replace(/^0+(?=\d)/, '');
  if (BigInt(integer) >= LARGEST_MONEY && (BigInt(integer) > LARGEST_MONEY || decimals !== '')) {
    return undefined;
  }
  return decimals === '' ? integer : `${integer}.${decimals}`;
}

/** Reads bytes of a known length, in hex (with or without 0x, any case) or base64, as lower-case hex. */
export function readHexOfLength(text: string, byteLength: number): string | undefined {
  const digits = text.trim().toLowerCase().replace(/^0x/, '');
  if (digits.length === byteLength * 2 && !NOT_HEX.test(digits)) return digits;
  const base64 = text.trim();
  if (Math.ceil(byteLength / 3) * 4 - base64.length > 2 || !BASE64.test(base64)) return undefined;
  const bytes = Buffer.from(base64, 'base64');
  return bytes.length === byteLength ? bytes.toString('hex') : undefined;
}
