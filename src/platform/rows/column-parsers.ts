import { types, type CustomTypesConfig } from 'pg';

const INT8 = 20;
const BYTEA = 17;
const TIMESTAMPTZ = 1184;
/** `int8[]`, which the driver's list of types lacks. */
const INT8_ARRAY = 1016 as Parameters<typeof types.getTypeParser>[0];

/** Infinite times in Postgres' own encoding: no other time has these numbers. */
export const INFINITY_US = 2n ** 63n - 1n;
export const MINUS_INFINITY_US = -(2n ** 63n);

const TIME =
  /^(\d{4,})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d{1,6}))?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?( BC)?$/;

const BLANK = 32;
const ZERO = 48;
/** `2026-11-21 05:00:00+00`: without decimals. */
const LENGTH_TO_SECONDS = 22;

const parseArray = types.getTypeParser(INT8_ARRAY, 'text') as (text: string) => (string | null)[];

/**
 * Parses a time as Postgres writes it (ISO, any zone) into Unix microseconds. The driver itself would return a Date, which only
 * has milliseconds.
 */
function parseTimestamptz(value: string): bigint {
  const usual = parseUsualTime(value);
  if (usual !== undefined) return usual;
  if (value === 'infinity') return INFINITY_US;
  if (value === '-infinity') return MINUS_INFINITY_US;
  const match = TIME.exec(value);
  if (!match) throw new Error(`The database wrote a time that is not ISO: ${JSON.stringify(value)}`);
  const [, year, month, day, hour, minute, second, fraction = '', sign, ...zone] = match;
  const [hours = '0', minutes = '0', seconds = '0', era] = zone;
  const local = new Date(0);
  local.setUTCFullYear(era === undefined ? Number(year) : 1 - Number(year), Number(month) - 1, Number(day));
  local.setUTCHours(Number(hour), Number(minute), Number(second));
  const offset = (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
  return (BigInt(local.getTime()) - BigInt(offset) * 1_000n) * 1_000n + BigInt(fraction.padEnd(6, '0'));
}

/** Fast path for nearly all times: four-digit year, UTC, exact as a double; undefined for others. */
function parseUsualTime(value: string): bigint | undefined {
  if (value.charCodeAt(10) !== BLANK || !value.endsWith('+00')) return undefined;
  const two = (at: number): number => value.charCodeAt(at) * 10 + value.charCodeAt(at + 1) - 11 * ZERO;
  const seconds = (two(11) * 60 + two(14)) * 60 + two(17);
  const decimals = value.length === LENGTH_TO_SECONDS ? 0 : Number(value.slice(20, -3).padEnd(6, '0'));
  const us = (dayOf(value.slice(0, 10)) + seconds * 1_000) * 1_000 + decimals;
  return Number.isSafeInteger(us) ? BigInt(us) : undefined;
}

/** Most times on a page of rows fall on the same day. */
let lastDay = { text: '1970-01-01', ms: 0 };

/** The start of a UTC day in Unix milliseconds; NaN for an invalid date. */
function dayOf(text: string): number {
  if (lastDay.text !== text) lastDay = { text, ms: Date.parse(`${text}T00:00:00Z`) };
  return lastDay.ms;
}

/** @throws when the session writes bytes in the format of before Postgres 9, which `prepare()` of our connections rules out */
function parseBytea(value: string): string {
  if (!value.startsWith('\\x')) throw new Error('The database wrote bytes that are not hex digits');
  return value.slice(2);
}

const PARSERS: ReadonlyMap<number, (value: string) => unknown> = new Map<number, (value: string) => unknown>([
  [INT8, BigInt],
  [INT8_ARRAY, (value) => parseArray(value).map((item) => (item === null ? null : BigInt(item)))],
  [BYTEA, parseBytea],
  [TIMESTAMPTZ, parseTimestamptz],
]);

/**
 * Parsers for our connections: exact integers, microseconds and hex digits, see `ColumnTypes`. Passed to a pool, never set for
 * the whole process: the job queue uses the same driver and expects its defaults.
 */
export const OUR_TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    format === 'binary'
      ? types.getTypeParser(oid, format)
      : (PARSERS.get(oid) ?? types.getTypeParser(oid, 'text'))) as CustomTypesConfig['getTypeParser'],
};
