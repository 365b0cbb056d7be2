import type { PriceBook } from '../../../domain/cost/price-book.js';
import type { FiscalBucket } from '../../../domain/statistics/time-buckets.js';
import type { SubmissionKind, SubmissionStatus } from '../../../domain/submissions/submission-codes.js';
import type { Micros } from '../../../domain/time.js';

/** Buckets that are stored, or are sums of stored buckets, the shortest first. */
export const STORED_BUCKETS = ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'] as const;

/** Buckets that are computed from rows at each request. */
const FINE_BUCKETS = ['TEN_SECONDS', 'MINUTE'] as const;

/** The lengths of a report's buckets, the shortest first. */
export const REPORT_BUCKETS = [...FINE_BUCKETS, ...STORED_BUCKETS] as const;
export type ReportBucket = (typeof REPORT_BUCKETS)[number];

/** Buckets that a reader takes: fiscal ones depend on the settings, which only callers know. */
export type PlannedBucket = ReportBucket | FiscalBucket;

/** Whether buckets are shorter than those that are stored. */
export function isFine(bucket: PlannedBucket): bucket is (typeof FINE_BUCKETS)[number] {
  return FINE_BUCKETS.some((fine) => fine === bucket);
}

/** The longest time of a report with such buckets. */
export const LONGEST_FINE_US: Micros = 6n * 3_600_000_000n;

/** Properties that the rows of a bucket can be grouped by. */
export const REPORT_GROUPS = ['NODE', 'CHAIN', 'NAMESPACE', 'KIND', 'STATUS'] as const;
export type ReportGroup = (typeof REPORT_GROUPS)[number];

/** Rows that one report has at most. */
export const LARGEST_REPORT = 10_000;

/** Conditions that must all hold; an empty list matches nothing, and neither does an unknown name. */
export interface ReportFilter {
  /** Ids of nodes. Counts what these nodes showed, not each submission of their chains once. */
  readonly nodes?: readonly string[] | null | undefined;
  readonly chains?: readonly string[] | null | undefined;
  /** 58 hex digits; case and 0x don't matter. */
  readonly namespaces?: readonly string[] | null | undefined;
  readonly kinds?: readonly SubmissionKind[] | null | undefined;
  readonly statuses?: readonly SubmissionStatus[] | null | undefined;
}

export interface ReportRequest {
  readonly filter: ReportFilter;
  readonly bucket: PlannedBucket;
  readonly groupBy: readonly ReportGroup[];
  /**
   * Inclusive, rounded down to the quarter hour, or to a shorter bucket. If left out, from the beginning of the known time, as far
   * back as rows fit; for shorter buckets, six hours before `toUs`.
   */
  readonly fromUs?: Micros | undefined;
  /**
   * Exclusive, rounded up to the quarter hour, or to a shorter bucket. If left out, to the end of the known time; for shorter
   * buckets, to now.
   */
  readonly toUs?: Micros | undefined;
  /** IANA name; the chain's reporting zone when left out. */
  readonly timeZone?: string | undefined;
  readonly nowUs: Micros;
  /** Only times before this moment. */
  readonly asOfUs?: Micros | undefined;
  /** Only data recorded by then, including prices. */
  readonly knownAtUs?: Micros | undefined;
  /** Applies the prices of this moment to all time. */
  readonly pricesAsOfUs?: Micros | undefined;
  /** Price books by chain that replace the recorded books. */
  readonly books?: ReadonlyMap<string, PriceBook> | undefined;
}

/** The group of a row; null for keys that the report is not grouped by. */
export interface GroupKey {
  /** With NODE: id of the node. */
  readonly node: string | null;
  /** With CHAIN; also null if a node has not reported its chain. */
  readonly chain: string | null;
  /** With NAMESPACE: 58 hex digits; also null for rows without a namespace. */
  readonly namespace: string | null;
  readonly kind: SubmissionKind | null;
  readonly status: SubmissionStatus | null;
}
