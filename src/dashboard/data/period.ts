import { bucketStart, localDate, nextBucket } from '../../domain/statistics/time-buckets.js';
import { microsToMillis, millisToMicros } from '../../domain/time.js';

/** Times that costs are looked at by, and the buckets that each of them is told apart in. */
export const PERIODS = { DAY: 'HOUR', WEEK: 'DAY', MONTH: 'DAY', YEAR: 'MONTH' } as const;
export type PeriodSize = keyof typeof PERIODS;

/** A day, week, month or year by the clocks of a zone; ms since 1970, the end excluded. */
export interface Period {
  readonly size: PeriodSize;
  readonly fromMs: number;
  readonly toMs: number;
  /** Its first day, and of a week its last one: `2026-11-25`, `2026-11`, `2026`. */
  readonly name: string;
}

/** The period that a moment lies in. */
export function periodAt(ms: number, size: PeriodSize, zone: string): Period {
  const from = bucketStart(millisToMicros(ms), size, zone);
  const to = nextBucket(from, size, zone);
  const first = localDate(from, zone);
  const name = {
    DAY: first,
    WEEK: `${first} to ${localDate(to - 1n, zone)}`,
    MONTH: first.slice(0, 7),
    YEAR: first.slice(0, 4),
  }[size];
  return { size, fromMs: microsToMillis(from), toMs: microsToMillis(to), name };
}

/** The period before one. */
export function periodBefore({ size, fromMs }: Period, zone: string): Period {
  return periodAt(fromMs - 1, size, zone);
}

/** What of a chain's costs is looked at. */
export interface CostChoice {
  readonly shown: Period;
  /** The period that it is compared with. */
  readonly other: Period;
  readonly by: 'KIND' | 'NAMESPACE';
}
