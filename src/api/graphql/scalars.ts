import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { badUserInput } from '../errors.js';

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;
const NANOSECONDS_PER_SECOND = 1_000_000_000n;
const ISO_TIME = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d(?::\d\d)?)(?:[.,](\d{1,9})\d*)?(Z|[+-]\d\d(?::?\d\d)?)$/i;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** The first moment of the year 1 and the last microsecond of the year 9999, Unix nanoseconds. */
const EARLIEST_TIME = -62_135_596_800_000_000_000n;
const LATEST_TIME = 253_402_300_799_999_999_000n;

/** Whether a time, Unix nanoseconds, has a year of four digits in UTC, also after it was taken up to a microsecond. */
export function isWithinTime(nanoseconds: bigint): boolean {
  return nanoseconds >= EARLIEST_TIME && nanoseconds <= LATEST_TIME;
}

/**
 * Unix nanoseconds of an ISO 8601 time with a zone; digits beyond the ninth are dropped.
 * @throws ApiError BAD_USER_INPUT for anything else, and for times before the year 1 or after 9999
 */
export function parseInstant(text: string): bigint {
  const [, day, clock, decimals = '', zone = ''] = ISO_TIME.exec(text) ?? [];
  const milliseconds =
    day === undefined ? NaN : Date.parse(`${day}T${toFullClock(clock)}${toFullZone(zone)}`);
  // Date.parse lets 31 February pass as 3 March.
  if (Number.isNaN(milliseconds) || !isDayOfCalendar(day ?? '')) {
    throw badUserInput(`${quote(text)} is no ISO 8601 time with a zone, such as 2026-11-21T03:12:00Z.`);
  }
  const nanoseconds = BigInt(milliseconds) * 1_000_000n + BigInt(decimals.padEnd(9, '0'));
  if (!isWithinTime(nanoseconds))
    throw badUserInput(`${quote(text)} lies outside of the years 1 to 9999 of UTC.`);
  return nanoseconds;
}

function toFullClock(clock = ''): string {
  return clock.length === 5 ? `${clock}:00` : clock;
}

function toFullZone(zone: string): string {
  if (/^z$/i.test(zone)) return 'Z';
  return `${zone.slice(0, 3)}:${zone.slice(3).replace(':', '') || '00'}`;
}

function isDayOfCalendar(day: string): boolean {
  const midnight = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(day);
}

/** Unix nanoseconds as ISO 8601 in UTC, with three, six or nine decimals: as many as it takes to lose none. */
export function formatInstant(nanoseconds: bigint): string {
  const rest = ((nanoseconds % NANOSECONDS_PER_SECOND) + NANOSECONDS_PER_SECOND) % NANOSECONDS_PER_SECOND;
  const seconds = (nanoseconds - rest) / NANOSECONDS_PER_SECOND;
  const decimals = rest
    .toString()
    .padStart(9, '0')
    .replace(/(?:000){1,2}$/, '');
  return `${new Date(Number(seconds) * 1000).toISOString().slice(0, -4)}${decimals}Z`;
}

/**
 * A 64-bit integer from its digits.
 * @throws ApiError BAD_USER_INPUT when it is no integer or needs more than 64 bits
 */
export function parseInt64(text: string): bigint {
  const value = /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < INT64_MIN || value > INT64_MAX) {
    throw badUserInput(`${quote(text)} is no 64-bit integer.`);
  }
  return value;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function literalOf(node: ValueNode, kinds: readonly Kind[], name: string): string {
  if (!kinds.includes(node.kind) || !('value' in node) || typeof node.value !== 'string') {
    throw badUserInput(`${name} cannot be given as ${node.kind}.`);
  }
  return node.value;
}

/** `DateTime`. Inside: Unix nanoseconds as a bigint. */
export const DateTime = new GraphQLScalarType<bigint, string>({
  name: 'DateTime',
  description:
    'A time as ISO 8601 text with a zone, such as `2026-11-21T03:12:00Z`. Answers are in UTC, with every digit that is known.',
  serialize: (value) => formatInstant(value as bigint),
  parseValue: (value) => parseInstant(String(value)),
  parseLiteral: (node) => parseInstant(literalOf(node, [Kind.STRING], 'DateTime')),
});

/** `Int64`. Inside: a bigint; a column that comes as digits may stay what it is. */
export const Int64 = new GraphQLScalarType<bigint, string>({
  name: 'Int64',
  description:
    'An exact 64-bit integer, as a string of its digits. Arguments may be written as integers too.',
  serialize: (value) => String(value),
  parseValue: (value) => {
    // A JSON number beyond 2^53 has lost digits before we see it.
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw badUserInput(`${value} is no exact integer; write it as a string.`);
    }
    return parseInt64(String(value));
  },
  parseLiteral: (node) => parseInt64(literalOf(node, [Kind.INT, Kind.STRING], 'Int64')),
});

/** `Decimal`. Inside: a string. */
export const Decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  description: 'An exact decimal number, as a string.',
  serialize: (value) => String(value),
  parseValue: (value) => parseDecimal(String(value)),
  parseLiteral: (node) => parseDecimal(literalOf(node, [Kind.INT, Kind.FLOAT, Kind.STRING], 'Decimal')),
});

function parseDecimal(text: string): string {
  if (!DECIMAL.test(text)) throw badUserInput(`${quote(text)} is no decimal number.`);
  return text;
}

/** `JSON`. Only in answers. */
export const Json = new GraphQLScalarType({
  name: 'JSON',
  description: 'Any JSON value, every digit of its numbers as it was sent.',
});
