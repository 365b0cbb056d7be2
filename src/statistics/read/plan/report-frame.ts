import { localDate } from '../../../domain/statistics/time-buckets.js';
import type { Query } from '../../../platform/sql.js';
import { isTimeSliceOver, mapInTimeSlices, nextTimeSlice } from '../../../platform/time-slices.js';
import type { Micros } from '../../../domain/time.js';
import {
  getNamespaces,
  ownerGroups,
  constantGroups,
  toGroupKey,
  toSlot,
  type Group,
  type Slot,
} from './grouped-rows.js';
import { getReportCoverage, shareOf } from '../coverage/coverage.query.js';
import type { Sums } from '../measure-rules.js';
import { compareRowKeys, groupOrder } from './report-order.js';
import { tooManyRows, type ReportPlan } from './report-plan.js';
import { LARGEST_REPORT, type GroupKey } from './report-request.js';
import { getBlockSums, getSubmissionSums, type BlockSums } from './sums.query.js';
import type { UncountedData, Uncounted } from './uncounted.query.js';

/** A row of a report: its slot, how much of its time is covered, and the stored figures. */
export interface FramedRow extends Pick<UncountedData, 'isCounted' | 'isDecided'> {
  readonly slot: Slot;
  /** Start of the bucket. */
  readonly timeUs: Micros;
  readonly dates: BucketDates;
  readonly group: GroupKey;
  /** Share of the bucket's requested and past time in which no row can have been missed and all rows are counted. */
  readonly coverage: number;
  /** Length of that time; the sum for several nodes or chains. */
  readonly lengthUs: Micros;
  /** Undefined if nothing is stored. */
  readonly sums: Sums | undefined;
  /**
   * Whether nothing is stored, and no part of the time is covered or not everything is counted: a zero would say more than is
   * known.
   */
  readonly isUnknown: boolean;
  /** Undefined if no block is stored, the rows are not by nodes and chains alone, or blocks were not requested. */
  readonly blocks: BlockSums | undefined;
}

/**
 * The dates of a bucket in the zone whose days are counted. The bucket's start is a time in UTC, and may lie on the day before.
 */
export interface BucketDates {
  /** `2026-01-31`; null unless it is a day. */
  readonly day: string | null;
  /** The first day of its month, such as `2026-01-01`; null unless it is a day or a month. */
  readonly month: string | null;
}

/**
 * The rows of a report, by time and then by group.
 *
 * A report by namespace, kind or status has the rows for which something is stored. If a bucket of a node or chain has no such
 * row and is not counted yet, it gets a row without namespace, kind and status, about which nothing is known. Any other report
 * has every bucket of every group if both ends of its time were requested. Otherwise it has the buckets in which a submission
 * or a block is stored, and the covered buckets in which nothing happened.
 *
 * @param uncounted what the figures lack
 * @param tellsBlocks whether the blocks of each row were requested
 * @throws ReadFault BAD_INPUT for more rows than a report may have
 */
export async function frameReport(
  query: Query,
  plan: ReportPlan,
  uncounted: Uncounted,
  tellsBlocks: boolean,
  columns: Readonly<Record<string, string>>,
): Promise<FramedRow[]> {
  const standing = constantGroups(plan);
  const wholeCount = plan.starts.length * (standing?.length ?? 0);
  if (plan.isBounded && wholeCount > LARGEST_REPORT)
    throw tooManyRows(String(wholeCount), plan.bucket, plan.groupBy);
  const found = new Map((await getSubmissionSums(query, plan, columns)).map((row) => [row.name, row]));
  // A chain that only blocks show, such as a chain without a name, has rows where its blocks are.
  const hasAllRows = plan.isBounded && standing !== undefined && !plan.groupBy.has('CHAIN');
  const readsBlocks = !plan.isOfSubmissions && (tellsBlocks || !hasAllRows);
  const blockRows = readsBlocks ? await getBlockSums(query, plan) : [];
  const blocks = new Map(blockRows.map((row) => [row.name, row]));
  const coverage = await getReportCoverage(query, plan);
  const slots = new Map<string, Slot>(found);
  for (const slot of blocks.values()) slots.set(slot.name, slot);
  for (const group of standing ?? []) {
    for (let bucket = 0; bucket < plan.starts.length; bucket++) {
      if (isTimeSliceOver()) await nextTimeSlice();
      const slot = toSlot(bucket, group);
      if (plan.isBounded || coverage(slot).share > 0) slots.set(slot.name, slot);
    }
  }
  if (standing === undefined) addUncounted(slots, plan, uncounted);
  if (slots.size > LARGEST_REPORT) throw tooManyRows(String(slots.size), plan.bucket, plan.groupBy);
  const all = [...slots.values()];
  const names = await getNamespaces(
    query,
    all.map(({ group }) => group),
  );
  const dates = await mapInTimeSlices(plan.starts, (start) => datesOf(start, plan));
  const rows = await mapInTimeSlices(all, (slot) => {
    const { share: watched, lengthUs } = coverage(slot);
    const { us, ...state } = uncounted.of(slot);
    const share = us === 0n ? watched : Math.max(0, watched - shareOf(us, lengthUs));
    return {
      slot,
      ...state,
      dates: dates[slot.bucket] ?? NO_DATES,
      timeUs: plan.starts[slot.bucket] ?? plan.fromUs,
      group: toGroupKey(slot.group, plan.scope.nodes, names),
      coverage: share,
      lengthUs,
      sums: found.get(slot.name)?.sums,
      isUnknown: (share === 0 || !state.isCounted) && !found.has(slot.name),
      blocks: blocks.get(slot.name)?.sums,
    };
  });
  return sortByPlace(rows, plan.groupBy.size > 0);
}

/**
 * Adds a row about which nothing is known for each bucket of a node or chain that has no row and is not counted, as far as a
 * report may have more rows.
 */
function addUncounted(slots: Map<string, Slot>, plan: ReportPlan, uncounted: Uncounted): void {
  const told = new Set([...slots.values()].map(({ bucket, group }) => toSlot(bucket, toOwner(group)).name));
  for (const [bucket, start] of plan.starts.entries()) {
    if (start > plan.nowUs) return;
    for (const group of ownerGroups(plan)) {
      const slot = toSlot(bucket, group);
      if (slots.size < LARGEST_REPORT && !told.has(slot.name) && !uncounted.of(slot).isCounted)
        slots.set(slot.name, slot);
    }
  }
}

function toOwner(group: Group): Group {
  return { ...group, namespaceKey: null, kind: null, status: null };
}

const NO_DATES: BucketDates = { day: null, month: null };

function datesOf(startUs: Micros, { bucket, zone }: ReportPlan): BucketDates {
  if (bucket !== 'DAY' && bucket !== 'MONTH') return NO_DATES;
  const date = localDate(startUs, zone);
  return { day: bucket === 'DAY' ? date : null, month: `${date.slice(0, 'yyyy-mm'.length)}-01` };
}

function sortByPlace<Row extends { readonly timeUs: Micros; readonly group: GroupKey }>(
  rows: readonly Row[],
  isGrouped: boolean,
): Row[] {
  const placed = rows.map((row) => ({
    row,
    timeUs: row.timeUs,
    group: isGrouped ? groupOrder(row.group) : [],
  }));
  return placed.sort(compareRowKeys).map(({ row }) => row);
}
