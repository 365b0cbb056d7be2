const HOUR_S = 3_600;
const DAY_S = 24 * HOUR_S;

/** How long a bucket is about; seconds. */
const BUCKET_S = { HOUR: HOUR_S, DAY: DAY_S, WEEK: 7 * DAY_S, MONTH: 30 * DAY_S } as const;
export type ChartBucket = keyof typeof BUCKET_S;

/** The bucket with which a range has some hundred points. */
export function bucketFor(fromMs: number, toMs: number): ChartBucket {
  const days = (toMs - fromMs) / 1000 / DAY_S;
  return days <= 8 ? 'HOUR' : days <= 800 ? 'DAY' : 'WEEK';
}

/** A row of figures by its bucket. */
export interface Bucketed {
  readonly time: string;
}

/**
 * Rows for a chart, a bucket each: where there is no row, or nobody watched and nothing is known, there is a gap.
 * @param rows ascending
 * @returns starts of the buckets in seconds since 1970, and the rows at them
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
    // One empty bucket is enough to break a line, however long nothing is known. Days have 23 to 25 hours, months 28 to 31 days.
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
