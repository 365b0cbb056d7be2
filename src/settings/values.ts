import { isIP } from 'node:net';
import { z } from 'zod';
import { isGasText, isPriceText } from '../domain/cost/price-book.js';
import { isPriceUnit } from '../domain/cost/price-faults.js';
import { parseInstantText } from '../domain/instant-text.js';
import type { Shard } from '../domain/shard.js';
import { isTimeZone } from '../domain/statistics/time-buckets.js';
import type { Millis } from '../domain/time.js';

/**
 * A value that is written as text; the file may also give a number.
 *
 * @param complaint message for invalid values
 * @param read returns undefined for invalid text
 */
export function written<T>(complaint: string, read: (text: string) => T | undefined) {
  const given = z.union([z.string(), z.number()], complaint).meta({ description: complaint });
  return given.transform((text, context): T => {
    const value = read(String(text).trim());
    if (value !== undefined) return value;
    context.addIssue(complaint);
    return z.NEVER;
  });
}

/** A text; in the file also a whole number, since EVM chains are called by one. */
export function textLike(pattern: RegExp, complaint: string) {
  const given = z.union([z.string(), z.int()], 'must be a text, in quotes');
  return given.transform(String).pipe(z.string().regex(pattern, complaint).max(4_096, 'is too long'));
}

/** A non-empty text without control characters. */
export const textValue = textLike(/^[^\p{Cc}]+$/u, 'must be text without control characters');

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/;

/** Longest duration of a setting: 30 days. */
const LONGEST_MS: Millis = 30 * 24 * 3_600_000;

/** Parses `500ms`, `2s`, `15s`, `5m` or `1h` into milliseconds; undefined for anything else. */
export function parseDuration(text: string): Millis | undefined {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  const ms = Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return Number.isInteger(ms) && ms <= LONGEST_MS ? ms : undefined;
}

/** Milliseconds. */
export const durationValue = written('must be a duration like 500ms, 15s or 5m', parseDuration);

/** Milliseconds; for health rules. */
export const thresholdValue = written('must be a duration like 15s', parseDuration);

const UNIT_BYTES = { MB: 1e6, GB: 1e9 } as const;

/** An amount of data as `64MB` or `1GB`, in bytes. */
export const bytesValue = written('must be a number of bytes from 1MB to 1000GB', (text) => {
  const [, amount, unit = 'MB'] = /^(\d{1,4})(MB|GB)$/i.exec(text) ?? [];
  const bytes = Number(amount ?? 0) * UNIT_BYTES[unit.toUpperCase() as keyof typeof UNIT_BYTES];
  return bytes >= UNIT_BYTES.MB && bytes <= 1_000 * UNIT_BYTES.GB ? bytes : undefined;
});

/** A TCP port; 0 takes a free one. */
export const portValue = written('must be a port from 0 to 65535', (text) => wholeNumber(text, 65_535));

/** Requests a minute; 0 for no limit. */
export const rateValue = written('must be a whole number from 0 to 1000000000', (text) =>
  wholeNumber(text, 1e9),
);

function wholeNumber(text: string, largest: number): number | undefined {
  return /^\d{1,10}$/.test(text) && Number(text) <= largest ? Number(text) : undefined;
}

/** `i/n` with 1 <= i <= n <= 1000. */
export const shardValue = written('must be like 2/4, the second part of four', (text): Shard | undefined => {
  const [, index = 0, count = 0] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  return index >= 1 && index <= count && count <= 1_000 ? { index, count } : undefined;
});

/** A time, read and kept in the form of {@link parseInstantText}. */
export const instantValue = written('must be a time like 2026-01-01T00:00:00Z, or a day', parseInstantText);

/**
 * An exact decimal above 0, kept as text: money is never a float. A price of 0 is refused, because nothing is free: a user who
 * writes 0 does not know the price.
 */
export const priceValue = written(
  'must be a decimal number, in quotes if it is very small or large',
  (text) => (isPriceText(text) ? text : undefined),
).refine((text) => /[1-9]/.test(text), 'must be more than 0');

/** An amount of gas, kept as text. */
export const gasValue = written('must be a whole number that is not negative', (text) =>
  isGasText(text) ? text : undefined,
);

export const currencyValue = written('must be a currency like EUR', (text) =>
  isPriceUnit(text) ? text : undefined,
);

/** A name of the IANA time zone database, such as `Asia/Kathmandu`. */
export const timeZoneValue = written('must be a time zone like Europe/Berlin', (text) =>
  isTimeZone(text) ? text : undefined,
);

const ENCODED = 'percent-encoded (% is %25, @ is %40, / is %2F, ? is %3F, # is %23)';

/** A URL with one of the protocols (`http:`). The complaint never repeats the value, which may hold a password. */
export function urlValue(...protocols: string[]): z.ZodString {
  const names = protocols.map((protocol) => `${protocol}//`);
  const complaint = `must be a URL with ${names.join(' or ')}`;
  return z.string(complaint).superRefine((text, context) => {
    if (!URL.canParse(text)) {
      const isNear = names.some((name) => text.startsWith(name));
      context.addIssue(isNear ? `must be a valid URL, with user and password ${ENCODED}` : complaint);
    } else if (!protocols.includes(new URL(text).protocol)) context.addIssue(complaint);
    else if (!isDecodable(text)) context.addIssue(`must have its user and password ${ENCODED}`);
  });
}

function isDecodable(text: string): boolean {
  const { username, password, pathname } = new URL(text);
  try {
    return decodeURIComponent(`${username}:${password}${pathname}`) !== '';
  } catch {
    return false;
  }
}

const ORIGIN_COMPLAINT =
  'must be origins like https://dash.example.org or http://localhost:3000, without a path';

/**
 * Origins of web pages, exactly as browsers name them: a list, or a text separated by blanks. There is no `*`: on loopback the
 * API may answer without a key, and then every page that somebody opens could read the record.
 */
export const originsValue = z
  .union(
    [z.string().transform((text) => text.split(/\s+/).filter(Boolean)), z.array(z.string())],
    ORIGIN_COMPLAINT,
  )
  .pipe(z.array(z.string().refine(isOrigin, ORIGIN_COMPLAINT)).max(100, 'must be 100 origins at most'));

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;
}

export const apiKeyValue = textLike(
  /^[\x21-\x7e]{16,200}$/,
  'must have 16 to 200 visible characters without spaces',
);

/** Whether a server that listens on this address can only be reached from this computer. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
