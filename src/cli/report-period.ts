import { bucketStart, localUs, nextBucket } from '../domain/statistics/time-buckets.js';
import { formatTime, microsToNanos, type Micros } from '../domain/time.js';
import type { ReportBucket } from '../statistics/read/plan/report-request.js';
import { readMoment } from './moments.js';

const YEAR_MONTH_DAY = /^(\d{4})(?:-(?:(\d\d)(?:-(\d\d))?|[Qq]([1-4])))?$/;
const DAY_US = 86_400_000_000n;

/**
 * Start of the time given for `--from`: a year, quarter, month or day of a zone, or a time with a zone of its own.
 * @throws UserError for anything else
 */
export function readFrom(text: string, zone: string): Micros {
  const day = readDay('--from', text);
  return day === undefined ? readReportMoment('--from', text) : startOfDay(day.dayUs, zone);
}

/** End of the time given for `--to`: a year, quarter, month or day is included as a whole. */
export function readTo(text: string, zone: string): Micros {
  const day = readDay('--to', text);
  return day === undefined
    ? readReportMoment('--to', text)
    : nextBucket(startOfDay(day.dayUs, zone), day.size, zone);
}

/** A moment for another flag: a time with a zone, or a day, which begins at midnight UTC. */
export function readReportMoment(flag: string, text: string): Micros {
  return readMoment(flag, text, 'Write it as 2026, 2026-Q1, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z.');
}

interface GivenDay {
  /** Midnight UTC of the first day. */
  readonly dayUs: Micros;
  readonly size: 'YEAR' | 'QUARTER' | 'MONTH' | 'DAY';
}

function readDay(flag: string, text: string): GivenDay | undefined {
  const [matched, year = '', month, day, quarter] = YEAR_MONTH_DAY.exec(text.trim()) ?? [];
  if (matched === undefined) return undefined;
  if (quarter !== undefined) {
    const first = String(3 * Number(quarter) - 2).padStart(2, '0');
    return { dayUs: readReportMoment(flag, `${year}-${first}-01`), size: 'QUARTER' };
  }
  const size = day !== undefined ? 'DAY' : month !== undefined ? 'MONTH' : 'YEAR';
  return { dayUs: readReportMoment(flag, `${year}-${month ?? '01'}-${day ?? '01'}`), size };
}

/** The first moment of a date by the clocks of a zone. */
function startOfDay(dayUs: Micros, zone: string): Micros {
  const start = bucketStart(dayUs, 'DAY', zone);
  // West of UTC, midnight UTC still belongs to the day before.
  return localUs(dayUs, zone) < dayUs ? nextBucket(start, 'DAY', zone) : start;
}

/** A moment by the clocks of a zone, to the minute: `2026-01-31 12:00`. */
export function toLocalText(us: Micros, zone: string): string {
  return formatTime(microsToNanos(localUs(us, zone)), 0)
    .slice(0, 16)
    .replace('T', ' ');
}

/** A moment by the clocks of a zone as German spreadsheets read it: `31.01.2026`, with the time unless it is midnight. */
export function toGermanText(us: Micros, zone: string): string {
  const [date = '', time] = toLocalText(us, zone).split(' ');
  const german = date.split('-').toReversed().join('.');
  return time === '00:00' ? german : `${german} ${time}`;
}

const PERIOD_DIGITS: Readonly<Record<ReportBucket, number>> = {
  TEN_SECONDS: 19,
  MINUTE: 16,
  QUARTER_HOUR: 16,
  HOUR: 16,
  DAY: 10,
  WEEK: 10,
  MONTH: 7,
  QUARTER: 7,
  YEAR: 4,
};

const HOUR_US = 3_600_000_000n;

/** The offset of an hour that the clocks show twice, as ` +02:00`; empty for any other hour. */
function offsetOf(startUs: Micros, zone: string): string {
  const shown = localUs(startUs, zone);
  if (![-HOUR_US, HOUR_US].some((us) => localUs(startUs + us, zone) === shown)) return '';
  const minutes = Number((shown - startUs) / (HOUR_US / 60n));
  const digits = [Math.trunc(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return ` ${minutes < 0 ? '-' : '+'}${digits.map((part) => String(part).padStart(2, '0')).join(':')}`;
}

/** A bucket by its start: `2026-01-31 12:00`, `2026-01-31`, `2026-01`, `2026-Q1` or `2026`; a week by its Monday. */
export function toPeriodText(startUs: Micros, bucket: ReportBucket, zone: string): string {
  const period = toLocalText(startUs, zone).slice(0, PERIOD_DIGITS[bucket]);
  if (bucket === 'HOUR' || bucket === 'QUARTER_HOUR') return period + offsetOf(startUs, zone);
  if (bucket === 'QUARTER') return `${period.slice(0, 4)}-Q${Math.ceil(Number(period.slice(5)) / 3)}`;
  return bucket === 'WEEK' ? `week of ${period}` : period;
}

/** A range in words, in days if it consists of whole days; the end is the last moment of the range. */
export function toRangeText(fromUs: Micros, toUs: Micros, zone: string): string {
  const isWhole = [fromUs, toUs].every((us) => localUs(us, zone) % DAY_US === 0n);
  if (!isWhole) return `${toLocalText(fromUs, zone)} to ${toLocalText(toUs, zone)}`;
  const [first, last] = [fromUs, toUs - 1n].map((us) => toLocalText(us, zone).slice(0, 10));
  return first === last ? `${first}` : `${first} to ${last}`;
}
