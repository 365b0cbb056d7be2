import { bucketStart, localUs, nextBucket, type Bucket } from '../domain/statistics/time-buckets.js';
import type { Micros } from '../domain/time.js';
import { readMoment } from './moments.js';

const YEAR_MONTH_DAY = /^(\d{4})(?:-(?:(\d\d)(?:-(\d\d))?|[Qq]([1-4])))?$/;
/** A fiscal year is named for the calendar year in which it ends. */
const FISCAL = /^FY(?!000[01])(\d{4})(?:-Q([1-4]))?$/i;

/** Whether a text names a fiscal year, or a quarter of it. */
export function isFiscalPeriod(text: string): boolean {
  return FISCAL.test(text.trim());
}

/**
 * Start of the time given for `--from`: a year, quarter, month or day of a zone, or a time with a zone of its own.
 * @param yearStart the month with which fiscal years begin, 1 to 12
 * @throws UserError for anything else
 */
export function readFrom(text: string, zone: string, yearStart?: number, flag = '--from'): Micros {
  const day = readDay(flag, text, yearStart);
  return day === undefined ? readReportMoment(flag, text) : startOfDay(day.dayUs, zone);
}

/** End of the time given for `--to`: a year, quarter, month or day is included as a whole. */
export function readTo(text: string, zone: string, yearStart?: number): Micros {
  const day = readDay('--to', text, yearStart);
  return day === undefined
    ? readReportMoment('--to', text)
    : nextBucket(startOfDay(day.dayUs, zone), day.size, zone);
}

/** A moment for another flag: a time with a zone, or a day, which begins at midnight UTC. */
export function readReportMoment(flag: string, text: string): Micros {
  return readMoment(
    flag,
    text,
    'Write it as 2026, 2026-Q1, FY2026, FY2026-Q1, 2026-01, 2026-01-31 or 2026-01-31T12:00:00Z.',
  );
}

interface GivenDay {
  /** Midnight UTC of the first day. */
  readonly dayUs: Micros;
  readonly size: Bucket;
}

function readFiscal(flag: string, text: string, yearStart: number): GivenDay | undefined {
  const [matched, year, quarter] = FISCAL.exec(text.trim()) ?? [];
  if (matched === undefined) return undefined;
  const inYearBefore = yearStart === 1 ? 0 : 12;
  const months = Number(year) * 12 - inYearBefore + yearStart - 1 + 3 * (Number(quarter ?? 1) - 1);
  const [first, month] = [Math.floor(months / 12), (months % 12) + 1].map(String);
  const date = `${first?.padStart(4, '0')}-${month?.padStart(2, '0')}-01`;
  const size = { fiscal: quarter === undefined ? 'YEAR' : 'QUARTER', yearStart } as const;
  return { dayUs: readReportMoment(flag, date), size };
}

function readDay(flag: string, text: string, yearStart = 1): GivenDay | undefined {
  const fiscal = readFiscal(flag, text, yearStart);
  if (fiscal !== undefined) return fiscal;
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
