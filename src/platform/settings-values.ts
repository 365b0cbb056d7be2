import { isIP } from 'node:net';
import { z } from 'zod';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const DURATION = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h)$/;

/** No duration of a setting may be longer: 30 days. */
const LONGEST_MS = 30 * 24 * 3_600_000;

/** Milliseconds of `500ms`, `2s`, `15s`, `5m`, `1h`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = DURATION.exec(text) ?? [];
  if (amount === undefined || unit === undefined) return undefined;
  const ms = Number(amount) * UNIT_MS[unit as keyof typeof UNIT_MS];
  return Number.isInteger(ms) && ms <= LONGEST_MS ? ms : undefined;
}

/** A duration as text, given in milliseconds from then on. */
export const durationValue = z
  .string('must be a duration like 500ms, 15s or 5m')
  .transform((text, context) => {
    const ms = parseDuration(text.trim());
    if (ms !== undefined) return ms;
    context.addIssue('must be a duration like 500ms, 15s or 5m');
    return z.NEVER;
  });

const UNIT_BYTES = { MB: 1e6, GB: 1e9 } as const;
const BYTES_COMPLAINT = 'must be a number of bytes from 1MB to 1000GB';

/** An amount of data as `64MB` or `1GB`, in bytes. */
export const bytesValue = z.string(BYTES_COMPLAINT).transform((text, context) => {
  const [, amount, unit] = /^(\d{1,4})(MB|GB)$/i.exec(text.trim()) ?? [];
  const bytes = Number(amount ?? 0) * UNIT_BYTES[(unit ?? 'MB').toUpperCase() as keyof typeof UNIT_BYTES];
  if (bytes >= UNIT_BYTES.MB && bytes <= 1_000 * UNIT_BYTES.GB) return bytes;
  context.addIssue(BYTES_COMPLAINT);
  return z.NEVER;
});

const PORT_COMPLAINT = 'must be a port from 0 to 65535';

/** A TCP port; 0 takes a free one. Text from flags and variables, a number from the file. */
export const portValue = z
  .union([z.string().regex(/^\d{1,5}$/, PORT_COMPLAINT), z.number()], PORT_COMPLAINT)
  .transform(Number)
  .pipe(z.number().int(PORT_COMPLAINT).min(0, PORT_COMPLAINT).max(65_535, PORT_COMPLAINT));

const RATE_COMPLAINT = 'must be a whole number from 0 to 1000000000';

/** Requests a minute; 0 for no limit. Text from flags and variables, a number from the file. */
export const rateValue = z
  .union([z.string().regex(/^\d{1,10}$/, RATE_COMPLAINT), z.number()], RATE_COMPLAINT)
  .transform(Number)
  .pipe(z.number().int(RATE_COMPLAINT).min(0, RATE_COMPLAINT).max(1e9, RATE_COMPLAINT));

const ORIGIN_COMPLAINT =
  'must be origins like https://dash.example.org or http://localhost:3000, without a path';

/**
 * Origins of web pages, exactly as browsers name them: a list, or a text with blanks between them. There is no `*`: the API
 * may answer without a key on loopback, and then every page that somebody opens could read the record.
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

/** A part of the work: `2/4` is the second of four. */
export interface Shard {
  /** From 1 to `count`. */
  readonly index: number;
  readonly count: number;
}

/** `i/n` with 1 <= i <= n <= 1000. */
export const shardValue = z.string('must be like 2/4').transform((text, context): Shard => {
  const [, index, count] = (/^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? []).map(Number);
  if (index !== undefined && count !== undefined && index >= 1 && index <= count && count <= 1_000) {
    return { index, count };
  }
  context.addIssue('must be like 2/4, the second part of four');
  return z.NEVER;
});

/** A non-empty text without control characters. */
export const textValue = z
  .string('must be a text')
  .regex(/^[^\p{Cc}]+$/u, 'must be a text without control characters')
  .max(4_096, 'is too long');

/** A URL with one of the protocols (`http:`). The complaint never repeats the value, which may hold a password. */
export function urlValue(...protocols: string[]): z.ZodType<string> {
  const names = protocols.map((protocol) => `${protocol}//`).join(' or ');
  return z
    .string(`must be a URL with ${names}`)
    .refine(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be a URL with ${names}`,
    );
}

/** A name of the IANA time zone database, such as `Asia/Kathmandu`. */
export const timeZoneValue = z
  .string('must be a time zone like Europe/Berlin')
  .refine(isTimeZone, 'must be a time zone like Europe/Berlin');

function isTimeZone(name: string): boolean {
  // The engine also takes bare offsets, which are no zone: they have no summer time.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    return Boolean(new Intl.DateTimeFormat('en', { timeZone: name }));
  } catch {
    return false;
  }
}

const DAY_OR_TIME = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d)(:\d\d)?(?:\.(\d{1,3}))?(Z|[+-]\d\d:\d\d))?$/i;

/** A moment as `2026-01-01T00:00:00.000Z`: of a time with a zone, or of a day, which begins at midnight of UTC. */
export function parseInstantText(text: string): string | undefined {
  const [, day = '', minutes = '00:00', seconds = ':00', decimals = '0', zone = 'Z'] =
    DAY_OR_TIME.exec(text) ?? [];
  const midnight = Date.parse(`${day}T00:00:00Z`);
  // The engine takes 31 February as 3 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined;
  const ms = Date.parse(`${day}T${minutes}${seconds}.${decimals}${zone.toUpperCase()}`);
  if (Number.isNaN(ms)) return undefined;
  const moment = new Date(ms).toISOString();
  // Beyond year 9999 the text has another length.
  return moment.length === 24 ? moment : undefined;
}

/** A moment, given as {@link parseInstantText} reads it. */
export const instantValue = z
  .string('must be a time like 2026-01-01T00:00:00Z')
  .transform((text, context): string => {
    const moment = parseInstantText(text.trim());
    if (moment !== undefined) return moment;
    context.addIssue('must be a time like 2026-01-01T00:00:00Z, or a day');
    return z.NEVER;
  });

/** An exact decimal, kept as text: money is never a float. The file may give it as a number. */
export const decimalValue = z
  .union([z.string(), z.number()], 'must be a decimal number')
  .transform(String)
  .pipe(
    z
      .string()
      .regex(/^\d{1,20}(\.\d{1,18})?$/, 'must be a decimal number, in quotes if it is very small or large'),
  );

/** Whether a server that listens on this address is reached from this computer only. */
export function isLoopback(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  return address === 'localhost' || address === '::1' || (isIP(address) === 4 && address.startsWith('127.'));
}
