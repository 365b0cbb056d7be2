import type { SubmissionKind } from '../../../domain/submissions/submission-codes.js';
import type { SubmissionStatus } from '../../../domain/submissions/submission-row.js';
import type { Micros } from '../../../domain/time.js';

/** The lengths of a report's buckets, the shortest first. */
export const REPORT_BUCKETS = ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
export type ReportBucket = (typeof REPORT_BUCKETS)[number];

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
  readonly bucket: ReportBucket;
  readonly groupBy: readonly ReportGroup[];
  /** Inclusive, rounded down to the quarter hour. If left out, from the beginning of the known time, as far back as rows fit. */
  readonly fromUs?: Micros | undefined;
  /** Exclusive, rounded up to the quarter hour. If left out, to the end of the known time. */
  readonly toUs?: Micros | undefined;
  /** IANA name; the chain's reporting zone when left out. */
  readonly timeZone?: string | undefined;
  readonly nowUs: Micros;
  /** Only times before this moment. */
  readonly asOfUs?: Micros | undefined;
  /** Only data recorded by then. */
  readonly knownAtUs?: Micros | undefined;
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
