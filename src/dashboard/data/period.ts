import { bucketStart, localDate, nextBucket } from '../../domain/statistics/time-buckets.js';
import { microsToMillis, millisToMicros } from '../../domain/time.js';
import { formatTime } from './clock.js';

/** Periods of the cost page, and the size of the buckets in each. */
export const PERIODS = { DAY: 'HOUR', WEEK: 'DAY', MONTH: 'DAY', QUARTER: 'MONTH', YEAR: 'MONTH' } as const;
export type PeriodSize = keyof typeof PERIODS;

/** A day, week, month, quarter or year by the clocks of a zone; ms since 1970, the end excluded. */
export interface Period {
  readonly size: PeriodSize;
  readonly fromMs: number;
  readonly toMs: number;
  /** `25 Nov 2026`, `23 Nov 2026 to 29 Nov 2026`, `November 2026`, `Q4 2026`, `2026`. */
  readonly name: string;
}

/** The period that contains a moment; ms since 1970. */
export function periodAt(ms: number, size: PeriodSize, zone: string): Period {
  const from = bucketStart(millisToMicros(ms), size, zone);
  const [fromMs, toMs] = [from, nextBucket(from, size, zone)].map(microsToMillis) as [number, number];
  return { size, fromMs, toMs, name: nameOf(size, fromMs, toMs, zone) };
}

function nameOf(size: PeriodSize, fromMs: number, toMs: number, zone: string): string {
  const [first, last] = [fromMs, toMs - 1].map((ms) => bucketName(ms, 'DAY', zone));
  const year = localDate(millisToMicros(fromMs), zone).slice(0, 4);
  const month = Number(localDate(millisToMicros(fromMs), zone).slice(5, 7));
  return {
    DAY: `${first}`,
    WEEK: `${first} to ${last}`,
    MONTH: bucketName(fromMs, 'MONTH', zone),
    QUARTER: `Q${Math.ceil(month / 3)} ${year}`,
    YEAR: year,
  }[size];
}

const BUCKET_NAMES = {
  HOUR: { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' },
  DAY: { day: 'numeric', month: 'short', year: 'numeric' },
  MONTH: { month: 'long', year: 'numeric' },
} as const;

/** A bucket by the moment that begins it: `25 Nov, 07:00`, `25 Nov 2026`, `November 2026`. @param ms since 1970 */
export function bucketName(ms: number, bucket: keyof typeof BUCKET_NAMES, zone: string): string {
  return formatTime(ms, zone, BUCKET_NAMES[bucket]);
}

export function periodBefore({ size, fromMs }: Period, zone: string): Period {
  return periodAt(fromMs - 1, size, zone);
}

export interface CostChoice {
  readonly shown: Period;
  /** The period for comparison. */
  readonly other: Period;
  readonly by: 'KIND' | 'NAMESPACE';
}

/**
 * The part of the other period to compare: the whole period, or, while the shown period runs, its part up to the same point.
 * @param nowMs the present of the page, in ms since 1970
 * @returns its end; ms since 1970
 */
export function comparedToMs({ shown, other }: CostChoice, nowMs: number): number {
  const isRunning = isRunningAt(shown, nowMs);
  return isRunning ? Math.min(other.toMs, other.fromMs + nowMs - shown.fromMs) : other.toMs;
}

/** Whether a period has begun and is not over. @param nowMs since 1970 */
export function isRunningAt({ fromMs, toMs }: Period, nowMs: number): boolean {
  return fromMs < nowMs && nowMs < toMs;
}
