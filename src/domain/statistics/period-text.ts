import { formatTime, microsToNanos, type Micros } from '../time.js';
import { localDate, localUs, type Bucket, type BucketSize, type FiscalBucket } from './time-buckets.js';

const DAY_US = 86_400_000_000n;

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

const PERIOD_DIGITS: Readonly<Record<BucketSize, number>> = {
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

/** The name of a bucket's size, such as `QUARTER_HOUR` or `FISCAL_YEAR`. */
export function toSizeName(bucket: Bucket): string {
  return typeof bucket === 'object' ? `FISCAL_${bucket.fiscal}` : bucket;
}

/** The name of a bucket's size in sentences: `quarter hour`. */
export function toSizeWords(bucket: Bucket): string {
  return toSizeName(bucket).toLowerCase().replace('_', ' ');
}

/** A fiscal year by the year in which it ends, such as `FY2026`; its first quarter is `FY2026-Q1`. */
function toFiscalText(startUs: Micros, { fiscal, yearStart }: FiscalBucket, zone: string): string {
  const [year = 0, month = 1] = localDate(startUs, zone).split('-').map(Number);
  const monthsBefore = (month - yearStart + 12) % 12;
  const name = `FY${Math.floor((year * 12 + month - 1 - monthsBefore + 11) / 12)}`;
  return fiscal === 'YEAR' ? name : `${name}-Q${monthsBefore / 3 + 1}`;
}

/**
 * A bucket by its start: `2026-01-31 12:00`, `2026-01-31`, `2026-01`, `2026-Q1`, `2026`, `FY2026-Q1` or `FY2026`; a week by its
 * Monday.
 */
export function toPeriodText(startUs: Micros, bucket: Bucket, zone: string): string {
  if (typeof bucket === 'object') return toFiscalText(startUs, bucket, zone);
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
