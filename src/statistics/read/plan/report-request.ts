import type { SubmissionKind } from '../../../domain/submissions/submission-codes.js';
import type { SubmissionStatus } from '../../../domain/submissions/submission-row.js';
import type { Micros } from '../../../domain/time.js';

/** How long a bucket of a report is, from the shortest on. */
export const REPORT_BUCKETS = ['QUARTER_HOUR', 'HOUR', 'DAY', 'WEEK', 'MONTH', 'YEAR'] as const;
export type ReportBucket = (typeof REPORT_BUCKETS)[number];

/** What the rows of a bucket can be told apart by. */
export const REPORT_GROUPS = ['NODE', 'CHAIN', 'NAMESPACE', 'KIND', 'STATUS'] as const;
export type ReportGroup = (typeof REPORT_GROUPS)[number];

/** Rows that one report holds at most. */
export const LARGEST_REPORT = 10_000;

/** Conditions that must all hold; a list that is given and empty matches nothing, a name that nothing bears neither. */
export interface ReportFilter {
  /** Ids of nodes. Counts what these nodes showed, not each submission of their chains once. */
  readonly nodes?: readonly string[] | null | undefined;
  readonly chains?: readonly string[] | null | undefined;
  /** 58 hex digits; case and 0x don't matter. */
  readonly namespaces?: readonly string[] | null | undefined;
  readonly kinds?: readonly SubmissionKind[] | null | undefined;
  readonly statuses?: readonly SubmissionStatus[] | null | undefined;
}

/** What a report is asked for. */
export interface ReportRequest {
  readonly filter: ReportFilter;
  readonly bucket: ReportBucket;
  readonly groupBy: readonly ReportGroup[];
  /** Inclusive, down to the quarter hour; when left out from the beginning of what is known, as far back as rows fit. */
  readonly fromUs?: Micros | undefined;
  /** Exclusive, up to the quarter hour; to the end of what is known when left out. */
  readonly toUs?: Micros | undefined;
  /** IANA name; the chain's reporting zone when left out. */
  readonly timeZone?: string | undefined;
  readonly nowUs: Micros;
  /** Only what lies before it. */
  readonly asOfUs?: Micros | undefined;
  /** Only what was recorded by then. */
  readonly knownAtUs?: Micros | undefined;
}

/** Whose row of a bucket it is; null for what the report is not grouped by. */
export interface GroupKey {
  /** Of NODE: id of the node. */
  readonly node: string | null;
  /** Of CHAIN; null also where a node has not said its chain. */
  readonly chain: string | null;
  /** Of NAMESPACE: 58 hex digits; null also where the rows name none. */
  readonly namespace: string | null;
  readonly kind: SubmissionKind | null;
  readonly status: SubmissionStatus | null;
}
