import { types, type CustomTypesConfig } from 'pg';

const INT8 = 20;
const BYTEA = 17;
const TIMESTAMPTZ = 1184;
/** `int8[]`, which the driver's list of types lacks. */
const INT8_ARRAY = 1016 as Parameters<typeof types.getTypeParser>[0];

/** As Postgres counts them: no other time has these numbers. */
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
 * A time as Postgres writes it (ISO, of any zone) in Unix microseconds. The driver itself would make a Date of it, which
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

/** The same of a time as nearly all are, of four digits a year in UTC and exact as a double; undefined of others. */
function parseUsualTime(value: string): bigint | undefined {
  if (value.charCodeAt(10) !== BLANK || !value.endsWith('+00')) return undefined;
  const two = (at: number): number => value.charCodeAt(at) * 10 + value.charCodeAt(at + 1) - 11 * ZERO;
  const seconds = (two(11) * 60 + two(14)) * 60 + two(17);
  const decimals = value.length === LENGTH_TO_SECONDS ? 0 : Number(value.slice(20, -3).padEnd(6, '0'));
  const us = (dayOf(value.slice(0, 10)) + seconds * 1_000) * 1_000 + decimals;
  return Number.isSafeInteger(us) ? BigInt(us) : undefined;
}

/** Of the times of a page of rows most are of one day. */
let lastDay = { text: '1970-01-01', ms: 0 };

/** The start of a day of UTC in Unix milliseconds; NaN for what is none. */
function dayOf(text: string): number {
  if (lastDay.text !== text) lastDay = { text, ms: Date.parse(`${text}T00:00:00Z`) };
  return lastDay.ms;
}

/** @throws where the session writes bytes in the form of before Postgres 9, which `prepare()` of our connections forbids */
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
 * What values are read as on connections of ours: exact integers, microseconds and hex digits, see `ColumnTypes`. Given to
 * a pool, never set for the whole process: the job queue has the same driver and expects what that does by itself.
 */
export const OUR_TYPES: CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    format === 'binary'
      ? types.getTypeParser(oid, format)
      : (PARSERS.get(oid) ?? types.getTypeParser(oid, 'text'))) as CustomTypesConfig['getTypeParser'],
};
