import { least } from '../../../domain/collections.js';
import {
  bucketStart,
  bucketStarts,
  hasWholeHourOffsets,
  isTimeZone,
  nextBucket,
} from '../../../domain/statistics/time-buckets.js';
import type { PriceBook } from '../../../domain/cost/price-book.js';
import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';
import { loadPriceBooks } from '../../../projections/prices/prices.js';
import { quarterOf } from '../../../projections/quarters.js';
import type { BucketRows } from '../../roll-up/stored-rows.js';
import { findPositionAt } from './log-position.query.js';
import { ReadFault } from './read-fault.js';
import { getExtent, findScope, zoneOf, type Scope } from './scope.query.js';
import {
  isFine,
  LARGEST_REPORT,
  LONGEST_FINE_US,
  REPORT_BUCKETS,
  type PlannedBucket,
  type ReportBucket,
  type ReportFilter,
  type ReportGroup,
  type ReportRequest,
} from './report-request.js';
import type { ReportTime } from './pieces.js';

/** A report with everything decided: what is read, and which buckets it goes into. */
export interface ReportPlan extends ReportTime {
  readonly scope: Scope;
  readonly filter: ReportFilter;
  readonly groupBy: ReadonlySet<ReportGroup>;
  /** Starts of the buckets, ascending; the first may lie before `fromUs`, which cuts its bucket. */
  readonly starts: readonly Micros[];
  /** End of the last bucket, which may lie after `toUs`. */
  readonly endUs: Micros;
  readonly nowUs: Micros;
  /** Whether both ends of the time were requested, so that the report has every bucket between them. */
  readonly isBounded: boolean;
  /** Log position: only what was known there counts. */
  readonly knownAt?: bigint | undefined;
  /** Price books by chain that apply instead of the recorded books. */
  readonly prices?: ReadonlyMap<string, PriceBook> | undefined;
  /** Sums computed for this report alone, which replace the stored sums of their table. */
  readonly recounted?: Partial<BucketRows> | undefined;
  /**
   * Sums added up from rows, in addition to the stored sums: those of the quarter hour that `toUs` cuts. Buckets shorter than a
   * quarter hour have no stored sums, so these are then all sums of the report.
   */
  readonly addedUp?: BucketRows | undefined;
  /** Whether the report is grouped or filtered by namespace, kind or status, which blocks do not have. */
  readonly isOfSubmissions: boolean;
}

/**
 * Decides what a report reads.
 * @returns undefined if no time was requested and nothing is known, or nothing of the time lies before `asOf`
 * @throws ReadFault BAD_INPUT for an unknown zone, times that are no range, zones that disagree, too many buckets
 */
export async function planReport(query: Query, request: ReportRequest): Promise<ReportPlan | undefined> {
  const { filter, bucket, groupBy, asOfUs, knownAtUs, pricesAsOfUs, books } = request;
  requireRange(request.fromUs, request.toUs);
  // For later times it was not yet known that nothing had happened.
  const nowUs = least(request.nowUs, asOfUs, knownAtUs);
  const scope = await findScope(query, filter, groupBy);
  const dayZone = findZone(request, scope);
  const whole = await findRange(query, { ...request, nowUs }, scope, dayZone);
  const range = whole && { ...whole, toUs: least(whole.toUs, asOfUs) };
  if (range === undefined || range.fromUs >= range.toUs) return undefined;
  const zone = bucket === 'HOUR' && hasWholeHourOffsets(dayZone, range.fromUs, range.toUs) ? 'UTC' : dayZone;
  const starts = bucketStarts(range.fromUs, range.toUs, bucket, zone, LARGEST_REPORT);
  if (starts === undefined) throw tooManyBuckets(bucket, range);
  const knownAt = knownAtUs === undefined ? undefined : await findPositionAt(query, knownAtUs);
  return {
    ...range,
    scope,
    filter,
    bucket,
    zone,
    starts,
    endUs: nextBucket(starts.at(-1) ?? range.fromUs, bucket, zone),
    nowUs,
    knownAt,
    prices:
      books ??
      (pricesAsOfUs === undefined
        ? undefined
        : await loadPriceBooks(query, { knownAt, asOfUs: pricesAsOfUs })),
    groupBy: new Set(groupBy),
    isBounded: request.fromUs !== undefined && request.toUs !== undefined,
    isOfSubmissions:
      groupBy.some((group) => group === 'NAMESPACE' || group === 'KIND' || group === 'STATUS') ||
      [filter.namespaces, filter.kinds, filter.statuses].some((list) => list !== null && list !== undefined),
  };
}

/** @throws ReadFault BAD_INPUT if `fromUs` is not before `toUs`; either may be left out */
export function requireRange(fromUs: Micros | undefined, toUs: Micros | undefined): void {
  if (fromUs !== undefined && toUs !== undefined && fromUs >= toUs)
    throw new ReadFault('BAD_INPUT', '`from` must be before `to`.');
}

/** Whether buckets are at most hours, which are those of UTC unless a zone is requested. */
export function isOfClock(bucket: PlannedBucket): boolean {
  return bucket === 'HOUR' || bucket === 'QUARTER_HOUR' || isFine(bucket);
}

/** @throws ReadFault BAD_INPUT for more than six hours of buckets shorter than a quarter hour */
export function requireShort(bucket: PlannedBucket, fromUs: Micros, toUs: Micros): void {
  if (isFine(bucket) && toUs - fromUs > LONGEST_FINE_US)
    throw new ReadFault(
      'BAD_INPUT',
      `The bucket ${bucket} is for at most six hours: request a shorter time by \`from\` and \`to\` or the longer bucket QUARTER_HOUR.`,
    );
}

/** The zone of days and longer buckets; hours are in UTC unless the request names a zone whose hours differ. */
function findZone({ timeZone, bucket }: ReportRequest, scope: Scope): string {
  if (timeZone !== undefined) return requireTimeZone(timeZone);
  if (isOfClock(bucket)) return 'UTC';
  const chains = scope.owners.map(({ chain }) => chain).filter((chain) => chain !== '');
  const zones = [...new Set(chains.map((chain) => zoneOf(scope, chain)))].sort();
  if (zones.length > 1) {
    throw new ReadFault(
      'BAD_INPUT',
      `These chains count their days in different zones (${zones.join(', ')}): choose a zone by \`timeZone\`, or request chains of one zone.`,
    );
  }
  return zones[0] ?? 'UTC';
}

/** @throws ReadFault BAD_INPUT for an unknown zone */
export function requireTimeZone(zone: string): string {
  if (isTimeZone(zone)) return zone;
  throw new ReadFault(
    'BAD_INPUT',
    `${JSON.stringify(zone.slice(0, 60))} is not a time zone; give an IANA name such as Europe/Berlin.`,
  );
}

type ReportRange = Pick<ReportTime, 'fromUs' | 'toUs'>;

async function findRange(
  query: Query,
  { fromUs, toUs, bucket, nowUs }: ReportRequest,
  scope: Scope,
  zone: string,
): Promise<ReportRange | undefined> {
  if (isFine(bucket)) return findFineRange({ fromUs, toUs, bucket, nowUs });
  const given = {
    fromUs: fromUs === undefined ? undefined : quarterOf(fromUs),
    toUs: toUs === undefined ? undefined : ceilToQuarter(toUs),
  };
  if (given.fromUs !== undefined && given.toUs !== undefined)
    return { fromUs: given.fromUs, toUs: given.toUs };
  const extent = await getExtent(query, scope, nowUs);
  const whole = extent && {
    fromUs: bucketStarts(extent.fromUs, extent.fromUs + 1n, bucket, zone, 1)?.[0] ?? extent.fromUs,
    toUs: nextBucket(extent.lastUs, bucket, zone),
  };
  const to = given.toUs ?? whole?.toUs;
  if (whole === undefined || to === undefined) return undefined;
  // A single row with an odd time, which the caller may not even know of, would otherwise lead to too many buckets.
  const furthest = to - MOST_BY_DEFAULT * lengthOf(bucket);
  const from = given.fromUs ?? (whole.fromUs < furthest ? bucketStart(furthest, bucket, zone) : whole.fromUs);
  return from >= to ? undefined : { fromUs: from, toUs: to };
}

/** If left out, the end is now, and the start six hours before the end. */
function findFineRange({
  fromUs,
  toUs,
  bucket,
  nowUs,
}: Pick<ReportRequest, 'fromUs' | 'toUs' | 'bucket' | 'nowUs'>): ReportRange | undefined {
  const to = toUs ?? nowUs;
  const from = fromUs ?? to - LONGEST_FINE_US;
  if (from >= to) return undefined;
  requireShort(bucket, from, to);
  const start = bucketStart(to, bucket, 'UTC');
  return {
    fromUs: bucketStart(from, bucket, 'UTC'),
    toUs: start === to ? to : nextBucket(start, bucket, 'UTC'),
  };
}

/** The number of buckets of a report without a requested start: as many as fit, however long days are when clocks change. */
const MOST_BY_DEFAULT = BigInt(LARGEST_REPORT) - 10n;

/** The first start of a quarter hour that is not before a moment. */
export function ceilToQuarter(us: Micros): Micros {
  const start = quarterOf(us);
  return start === us ? us : nextBucket(start, 'QUARTER_HOUR', 'UTC');
}

const LENGTH_US: Readonly<Record<ReportBucket, Micros>> = {
  TEN_SECONDS: 10_000_000n,
  MINUTE: 60_000_000n,
  QUARTER_HOUR: 900_000_000n,
  HOUR: 3_600_000_000n,
  DAY: 86_400_000_000n,
  WEEK: 7n * 86_400_000_000n,
  MONTH: 30n * 86_400_000_000n,
  QUARTER: 91n * 86_400_000_000n,
  YEAR: 365n * 86_400_000_000n,
};

function lengthOf(bucket: PlannedBucket): Micros {
  return LENGTH_US[calendarSizeOf(bucket)];
}

function calendarSizeOf(bucket: PlannedBucket): ReportBucket {
  return typeof bucket === 'object' ? bucket.fiscal : bucket;
}

function tooManyBuckets(bucket: PlannedBucket, { fromUs, toUs }: ReportRange): ReadFault {
  const count = (toUs - fromUs) / lengthOf(bucket);
  return tooManyRows(`about ${count}`, bucket);
}

/** @param count the number of rows, in words */
export function tooManyRows(
  count: string,
  bucket: PlannedBucket,
  groupBy?: ReadonlySet<ReportGroup>,
): ReadFault {
  const coarser = REPORT_BUCKETS[REPORT_BUCKETS.indexOf(calendarSizeOf(bucket)) + 1];
  const ways = [
    'a shorter time by `from` and `to`',
    ...(coarser === undefined ? [] : [`the longer bucket ${coarser}`]),
    ...(groupBy !== undefined && groupBy.size > 0
      ? ['fewer groups in `groupBy`', 'a narrower `filter`']
      : []),
  ];
  return new ReadFault(
    'BAD_INPUT',
    `This would be ${count} rows; the limit is ${LARGEST_REPORT}: request ${ways.slice(0, -1).join(', ')}${ways.length > 1 ? ' or ' : ''}${ways.at(-1)}.`,
  );
}
