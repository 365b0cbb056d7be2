import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import {
  formatTime,
  type Micros,
  microsToNanos,
  type Nanos,
  nanosToMicros,
  parseTime,
} from '../../domain/time.js';
import { badUserInput } from '../errors.js';

const INT64_MIN = -(2n ** 63n);
export const INT64_MAX = 2n ** 63n - 1n;
/** Matches times that have a `T` and a zone. */
const WITH_ZONE = /^\S+T\S+(?:Z|[+-]\d\d(?::?\d\d)?)$/i;
const DECIMAL = /^-?\d+(?:\.\d+)?$/;

/** The first moment of the year 1 and the last microsecond of the year 9999. */
const EARLIEST_TIME: Nanos = -62_135_596_800_000_000_000n;
const LATEST_TIME: Nanos = 253_402_300_799_999_999_000n;

/** Whether a time has a four-digit year in UTC, even after rounding up to the next microsecond. */
export function isWithinTime(time: Nanos): boolean {
  return time >= EARLIEST_TIME && time <= LATEST_TIME;
}

/**
 * An ISO 8601 time with a zone; digits beyond the ninth are dropped.
 * @throws ApiError BAD_USER_INPUT for anything else, and for times before the year 1 or after 9999
 */
export function parseInstant(text: string): Nanos {
  const time = WITH_ZONE.test(text) ? parseTime(text) : undefined;
  if (time === undefined) {
    throw badUserInput(`${quote(text)} is not an ISO 8601 time with a zone, such as 2026-11-21T03:12:00Z.`);
  }
  if (!isWithinTime(time)) throw badUserInput(`${quote(text)} is outside of the years 1 to 9999 UTC.`);
  return time;
}

/**
 * Parses the digits of a 64-bit integer.
 * @throws ApiError BAD_USER_INPUT when it is no integer or needs more than 64 bits
 */
export function parseInt64(text: string): bigint {
  const value = /^-?\d{1,20}$/.test(text) ? BigInt(text) : undefined;
  if (value === undefined || value < INT64_MIN || value > INT64_MAX) {
    throw badUserInput(`${quote(text)} is not a 64-bit integer.`);
  }
  return value;
}

/** Quotes user input for an error message; cut after 60 characters. */
export function quote(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
}

function literalOf(node: ValueNode, kinds: readonly Kind[], name: string): string {
  if (!kinds.includes(node.kind) || !('value' in node) || typeof node.value !== 'string') {
    throw badUserInput(`${name} cannot be given as ${node.kind}.`);
  }
  return node.value;
}

/** `DateTime`; in the code, nanoseconds since 1970. */
export const DateTime = new GraphQLScalarType<Nanos, string>({
  name: 'DateTime',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339',
  description:
    'A time as ISO 8601 text with a zone, such as `2026-11-21T03:12:00Z`. Answers are in UTC, with every digit that is known.',
  serialize: (value) => formatTime(value as Nanos),
  parseValue: (value) => parseInstant(String(value)),
  parseLiteral: (node) => parseInstant(literalOf(node, [Kind.STRING], 'DateTime')),
});

/** Converts a column's microseconds to the nanoseconds of `DateTime`. */
export function toNanos(time: Micros): Nanos;
export function toNanos(time: Micros | null): Nanos | null;
export function toNanos(time: Micros | null): Nanos | null {
  return time === null ? null : microsToNanos(time);
}

/** Converts an argument's nanoseconds to a column's microseconds; the last three digits are dropped. */
export function toMicros(time: Nanos | null | undefined): Micros | undefined {
  return time === null || time === undefined ? undefined : nanosToMicros(time);
}

/** `Int64`; in the code, a bigint, or a value whose text is its digits. */
export const Int64 = new GraphQLScalarType<bigint, string>({
  name: 'Int64',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#long',
  description: 'An exact 64-bit integer, as a string of digits. Arguments may also be written as integers.',
  serialize: (value) => String(value),
  parseValue: (value) => {
    // A JSON number beyond 2^53 has lost digits before we see it.
    if (typeof value === 'number' && !Number.isSafeInteger(value)) {
      throw badUserInput(`${value} is not an exact integer; write it as a string.`);
    }
    return parseInt64(String(value));
  },
  parseLiteral: (node) => parseInt64(literalOf(node, [Kind.INT, Kind.STRING], 'Int64')),
});

/** `Decimal`; in the code, a string. */
export const Decimal = new GraphQLScalarType<string, string>({
  name: 'Decimal',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema11-2/#decimal',
  description: 'An exact decimal number, as a string.',
  serialize: (value) => String(value),
  parseValue: (value) => parseDecimal(String(value)),
  parseLiteral: (node) => parseDecimal(literalOf(node, [Kind.INT, Kind.FLOAT, Kind.STRING], 'Decimal')),
});

function parseDecimal(text: string): string {
  if (!DECIMAL.test(text)) throw badUserInput(`${quote(text)} is not a decimal number.`);
  return text;
}

/** `JSON`, for output only. */
export const Json = new GraphQLScalarType({
  name: 'JSON',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc8259',
  description: 'Any JSON value, with every digit of its numbers as sent.',
});
