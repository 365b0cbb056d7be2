import { SUBMISSION_KINDS, SUBMISSION_STATUSES } from '../../domain/submissions/submission-codes.js';
import {
  isFine,
  LARGEST_REPORT,
  LONGEST_FINE_US,
  type ReportBucket,
  type ReportFilter,
  type ReportGroup,
} from '../../statistics/read/plan/report-request.js';
import type { FieldCost } from '../graphql/field-cost.js';
import type { CostArgs, ReportArgs } from './report-args.type.js';

/** Fixed cost of a report: it reads many buckets, however few it returns. */
const COST_OF_REPORT = 45_000;
/** Fixed cost of a report that reads the submissions themselves: two fit into a request. */
const COST_OF_RECOUNT = 900_000;

/** Cost of a row: it is merged from several statements, and takes memory while its answer is made. */
const COST_OF_ROW = 80;

/** Fixed cost of a report with buckets that are not stored: it reads up to six hours of submissions. */
const COST_OF_FINE = 200_000;

const HOUR_NS = 3_600_000_000_000n;
const DAY_NS = 24n * HOUR_NS;
const LENGTH_NS: Readonly<Record<ReportBucket, bigint>> = {
  TEN_SECONDS: HOUR_NS / 360n,
  MINUTE: HOUR_NS / 60n,
  QUARTER_HOUR: HOUR_NS / 4n,
  HOUR: HOUR_NS,
  DAY: DAY_NS,
  WEEK: 7n * DAY_NS,
  MONTH: 28n * DAY_NS,
  QUARTER: 90n * DAY_NS,
  YEAR: 365n * DAY_NS,
};

/**
 * Longest assumed record if `from` is not given: three years. A longer record costs more than assumed, by the rows of the further
 * years, but the limit of rows per report still bounds it.
 */
const ASSUMED_NANOS = 3n * LENGTH_NS.YEAR;

/** Assumed number of groups if the filter does not name them. Further groups are cut off while answering. */
const GROUPS: Readonly<
  Record<ReportGroup, { readonly named: keyof ReportFilter; readonly assumed: number }>
> = {
  NODE: { named: 'nodes', assumed: 10 },
  CHAIN: { named: 'chains', assumed: 4 },
  NAMESPACE: { named: 'namespaces', assumed: 8 },
  KIND: { named: 'kinds', assumed: SUBMISSION_KINDS.length },
  STATUS: { named: 'statuses', assumed: SUBMISSION_STATUSES.length },
};

/**
 * Estimates the cost from the buckets of the requested time and the possible groups. With `knownAt`, the report sums single
 * submissions.
 */
export function reportCost(args: ReportArgs, nowNs: bigint, recordFromNs?: bigint): FieldCost {
  return {
    fixed:
      typeof args.knownAt === 'bigint'
        ? COST_OF_RECOUNT
        : isFine(args.bucket)
          ? COST_OF_FINE
          : COST_OF_REPORT,
    rows: Math.min(countBuckets(args, nowNs, recordFromNs) * countGroups(args), LARGEST_REPORT),
    perRow: COST_OF_ROW,
    remedy: hasBothEnds(args)
      ? NARROWER
      : `give both \`from\` and \`to\` (without both, three years count), ${NARROWER}`,
  };
}

const NARROWER = 'request a shorter time, a longer `bucket`, fewer groups or fewer fields';

function hasBothEnds({ from, to }: ReportArgs): boolean {
  return typeof from === 'bigint' && typeof to === 'bigint';
}

/** As {@link reportCost}; `pricesAsOf` is applied to each submission. */
export function costReportCost(args: CostArgs, nowNs: bigint, recordFromNs?: bigint): FieldCost {
  const isOfRows = typeof args.pricesAsOf === 'bigint';
  return { ...reportCost(args, nowNs, recordFromNs), ...(isOfRows && { fixed: COST_OF_RECOUNT }) };
}

/** Largest number of buckets in the requested time. */
export function countBuckets(
  { bucket, from, to, asOf }: Pick<ReportArgs, 'bucket' | 'from' | 'to' | 'asOf'>,
  nowNs: bigint,
  recordFromNs?: bigint,
): number {
  const last = to ?? (typeof from === 'bigint' && from > nowNs ? from : nowNs);
  const end = typeof asOf === 'bigint' && asOf < last ? asOf : last;
  const assumed = end - ASSUMED_NANOS;
  const begin = recordFromNs !== undefined && recordFromNs > assumed ? recordFromNs : assumed;
  // Longer times of shorter buckets are refused.
  const longest = isFine(bucket) ? LONGEST_FINE_US * 1_000n : undefined;
  const asked = end - (from ?? begin);
  const length = longest !== undefined && asked > longest ? longest : asked;
  // Either end may cut a bucket.
  return length <= 0n ? 1 : Number(length / LENGTH_NS[bucket]) + 2;
}

function countGroups({ filter, groupBy }: ReportArgs): number {
  const wanted = new Set(groupBy);
  // A node has one chain.
  if (wanted.has('NODE')) wanted.delete('CHAIN');
  let count = 1;
  for (const group of wanted) count *= filter?.[GROUPS[group].named]?.length ?? GROUPS[group].assumed;
  return Math.max(count, 1);
}
