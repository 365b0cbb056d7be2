import { bucketStart, localDate, nextBucket } from '../../domain/statistics/time-buckets.js';
import { microsToMillis, millisToMicros, type Micros } from '../../domain/time.js';

/** Periods of the cost page, and the size of the buckets in each. */
export const PERIODS = { DAY: 'HOUR', WEEK: 'DAY', MONTH: 'DAY', QUARTER: 'MONTH', YEAR: 'MONTH' } as const;
export type PeriodSize = keyof typeof PERIODS;

/** A day, week, month, quarter or year by the clocks of a zone; ms since 1970, the end excluded. */
export interface Period {
  readonly size: PeriodSize;
  readonly fromMs: number;
  readonly toMs: number;
  /** `2026-11-25`, for a week also its last day, `2026-11`, `2026 Q4`, `2026`. */
  readonly name: string;
}

/** The period that contains a moment; ms since 1970. */
export function periodAt(ms: number, size: PeriodSize, zone: string): Period {
  const [from, to] = size === 'QUARTER' ? quarterAt(ms, zone) : boundsAt(ms, size, zone);
  const first = localDate(from, zone);
  const name = {
    DAY: first,
    WEEK: `${first} to ${localDate(to - 1n, zone)}`,
    MONTH: first.slice(0, 7),
    QUARTER: `${first.slice(0, 4)} Q${Math.ceil(Number(first.slice(5, 7)) / 3)}`,
    YEAR: first.slice(0, 4),
  }[size];
  return { size, fromMs: microsToMillis(from), toMs: microsToMillis(to), name };
}

type Bounds = readonly [from: Micros, to: Micros];

function boundsAt(ms: number, size: Exclude<PeriodSize, 'QUARTER'>, zone: string): Bounds {
  const from = bucketStart(millisToMicros(ms), size, zone);
  return [from, nextBucket(from, size, zone)];
}

/** A quarter of a year, beginning with January, April, July or October. */
function quarterAt(ms: number, zone: string): Bounds {
  let [start] = boundsAt(ms, 'YEAR', zone);
  for (;;) {
    let end = start;
    for (let month = 0; month < 3; month += 1) end = nextBucket(end, 'MONTH', zone);
    if (millisToMicros(ms) < end) return [start, end];
    start = end;
  }
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
