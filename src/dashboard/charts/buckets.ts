import { nextBucket } from '../../domain/statistics/time-buckets.js';
import { microsToMillis, millisToMicros } from '../../domain/time.js';

const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** Approximate length of a bucket; seconds. */
const BUCKET_S = {
  TEN_SECONDS: 10,
  MINUTE: 60,
  QUARTER_HOUR: HOUR_S / 4,
  HOUR: HOUR_S,
  DAY: DAY_S,
  WEEK: 7 * DAY_S,
  MONTH: 30 * DAY_S,
} as const;
export type ChartBucket = keyof typeof BUCKET_S;

/** The bucket size that gives a range some hundred points. Up to six hours, figures are computed from single rows. */
export function bucketFor(fromMs: number, toMs: number): ChartBucket {
  const hours = (toMs - fromMs) / 1000 / HOUR_S;
  if (hours <= 0.5) return 'TEN_SECONDS';
  if (hours <= 6) return 'MINUTE';
  return hours <= 48 ? 'QUARTER_HOUR' : hours <= 8 * 24 ? 'HOUR' : hours <= 800 * 24 ? 'DAY' : 'WEEK';
}

/** The bucket size for cost, which is not computed in shorter buckets than quarter hours. */
export function costBucketFor(fromMs: number, toMs: number): ChartBucket {
  const bucket = bucketFor(fromMs, toMs);
  return bucket === 'TEN_SECONDS' || bucket === 'MINUTE' ? 'QUARTER_HOUR' : bucket;
}

/** The zone by whose clocks buckets begin: shorter buckets begin alike in all zones, so answers for them fit every reader. */
export function zoneOfBuckets(bucket: ChartBucket, zone: string): string {
  return ['DAY', 'WEEK', 'MONTH'].includes(bucket) ? zone : 'UTC';
}

export interface Bucketed {
  readonly time: string;
}

/**
 * Rows for a chart, one per bucket, with a gap where there is no row, or nothing was monitored and nothing is known.
 * @param rows ascending
 * @returns starts of the buckets in seconds since 1970, and their rows
 */
export function fillBuckets<Row extends Bucketed>(
  rows: readonly Row[],
  bucket: ChartBucket,
): { readonly times: number[]; readonly rows: (Row | undefined)[] } {
  const step = BUCKET_S[bucket];
  const times: number[] = [];
  const filled: (Row | undefined)[] = [];
  for (const row of rows) {
    const time = Date.parse(row.time) / 1000;
    const last = times.at(-1);
    // One empty bucket is enough to break a line, however long the gap. Days have 23 to 25 hours, months 28 to 31 days.
    if (last !== undefined && time > last + 1.5 * step) {
      times.push(last + step);
      filled.push(undefined);
      if (time - step > last + 1.5 * step) {
        times.push(time - step);
        filled.push(undefined);
      }
    }
    times.push(time);
    filled.push(row);
  }
  return { times, rows: filled };
}

/** A row with the figures that show whether anything is known of its bucket. */
interface KnownRow extends Bucketed {
  readonly coverage: number;
  readonly attemptsFloat: number | null;
  readonly sizeBytesFloat: number | null;
  readonly pendingAtEndFloat: number | null;
}

/** The first bucket of which anything is known; undefined when it is the first of all, or when there is none. */
export function knownFrom(rows: readonly KnownRow[]): string | undefined {
  const index = rows.findIndex(
    ({ coverage, attemptsFloat, sizeBytesFloat, pendingAtEndFloat }) =>
      coverage > 0 || attemptsFloat || sizeBytesFloat || pendingAtEndFloat !== null,
  );
  return index > 0 ? rows[index]?.time : undefined;
}

/** A stretch of time that is not fully covered; seconds since 1970. */
export interface UncoveredRange {
  readonly from: number;
  readonly to: number;
  /** Share of the stretch that is not covered, above 0 and up to 1. */
  readonly share: number;
}

/**
 * Buckets that are not fully covered.
 * @param rows ascending
 * @param now the present, ISO 8601: the future does not count as uncovered
 */
export function uncoveredOf(
  rows: readonly (Bucketed & { readonly coverage: number })[],
  bucket: ChartBucket,
  now: string,
): UncoveredRange[] {
  const [step, end] = [BUCKET_S[bucket], Date.parse(now) / 1000];
  const starts = rows.map(({ time }) => Date.parse(time) / 1000);
  return rows.flatMap(({ coverage }, index) => {
    const from = starts[index] ?? 0;
    const to = Math.min(starts[index + 1] ?? from + step, from + 1.5 * step, end);
    return coverage < 1 && from < to ? [{ from, to, share: 1 - coverage }] : [];
  });
}

/** A partly counted bucket; seconds since 1970. */
export type InPart = Omit<UncoveredRange, 'share'>;

/**
 * Partly counted buckets: the range shown cuts them, they are not over, or some of their records are not in their figures yet.
 * @param rows ascending
 * @param span the range shown, ms since 1970
 * @param present the end of what is known, ISO 8601
 */
export function inPartOf(
  rows: readonly (Bucketed & { readonly counted: boolean })[],
  bucket: ChartBucket,
  zone: string,
  span: { readonly fromMs: number; readonly toMs: number },
  present: string,
): InPart[] {
  // Like the server, reads the ends of a range in whole quarter hours, or in shorter buckets.
  const stepMs = Math.min(BUCKET_S[bucket], BUCKET_S.QUARTER_HOUR) * 1000;
  const from = Math.floor(span.fromMs / stepMs) * stepMs;
  const to = Math.min(Math.ceil(span.toMs / stepMs) * stepMs, Date.parse(present));
  const starts = rows.map(({ time }) => Date.parse(time));
  return rows.flatMap(({ counted }, index) => {
    const start = starts[index] ?? 0;
    // Computing the end of a bucket is slow, so it is done for few.
    const mayBeCut = start < to && (starts[index + 1] ?? Infinity) > to;
    if (counted && start >= from && !mayBeCut) return [];
    const end = microsToMillis(nextBucket(millisToMicros(start), bucket, zone));
    return counted && start >= from && end <= to ? [] : [{ from: start / 1000, to: end / 1000 }];
  });
}
