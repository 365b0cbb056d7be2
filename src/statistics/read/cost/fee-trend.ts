import type { Decimal } from '../../../domain/cost/decimal.js';
import { forecastMonth } from '../../../domain/cost/month-forecast.js';
import { bucketStart, bucketStarts } from '../../../domain/statistics/time-buckets.js';
import type { Query } from '../../../platform/sql.js';
import { DAY_US } from '../../../domain/time.js';
import { mapInTimeSlices } from '../../../platform/time-slices.js';
import { getReportCoverage } from '../coverage/coverage.query.js';
import { amountOf, sumColumnsOf } from '../measure-rules.js';
import type { MeasuredBy } from '../measures.js';
import { toSlot, type Group } from '../plan/grouped-rows.js';
import { countAgain } from '../plan/recount.js';
import type { FramedRow } from '../plan/report-frame.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { getExtent } from '../plan/scope.query.js';
import { getSubmissionSums } from '../plan/sums.query.js';
import { findUncounted, type Uncounted } from '../plan/uncounted.query.js';
import { QUOTIENT_SCALE } from './cost-figures.js';

const NO_FORECAST = { forecastLow: null, forecastExpected: null, forecastHigh: null };
/** Complete days that are read: the most that the forecast uses. */
const DAYS = 14;

interface Framed {
  readonly query: Query;
  readonly plan: ReportPlan;
  readonly framed: readonly FramedRow[];
}

/** Upper bounds for the fees of a part of a report by slot, and what they lack. */
async function readFees(
  query: Query,
  part: ReportPlan,
): Promise<{ fees: ReadonlyMap<string, Decimal | null>; uncounted: Uncounted }> {
  const plan = await countAgain(query, part, { prices: true, carried: false, blocks: false });
  const uncounted = await findUncounted(query, plan, 'statistics');
  const rows = await getSubmissionSums(query, plan, sumColumnsOf(['feeMax']));
  return { fees: new Map(rows.map(({ name, sums }) => [name, amountOf('feeMax', sums)])), uncounted };
}

/** Changes of feeMax from bucket to bucket. A bucket that is cut off, or not over yet, is not compared with a whole bucket. */
export async function getChanges({
  query,
  plan,
  framed,
}: Framed): Promise<(row: FramedRow) => MeasuredBy<'change'>> {
  const { starts, endUs, fromUs, toUs, nowUs, bucket: size, zone } = plan;
  const extent = await getExtent(query, plan.scope, nowUs);
  const firstUs = starts[0];
  if (extent === undefined || firstUs === undefined) return () => ({ changeToPrevious: null });
  const startUs = bucketStart(firstUs - 1n, size, zone);
  const isRecorded = startUs >= extent.fromUs;
  const before =
    isRecorded &&
    (await readFees(query, { ...plan, fromUs: startUs, toUs: firstUs, endUs: firstUs, starts: [startUs] }));
  const fees = new Map(
    await mapInTimeSlices(
      framed,
      (row) =>
        [row.slot.name, row.isUnknown || !row.isCounted ? null : amountOf('feeMax', row.sums ?? {})] as const,
    ),
  );
  const isWhole = (bucket: number): boolean => {
    const start = starts[bucket] ?? fromUs;
    const end = starts[bucket + 1] ?? endUs;
    return start >= fromUs && start >= extent.fromUs && end <= toUs && end <= nowUs;
  };
  const feeBefore = (bucket: number, group: Group): Decimal | null => {
    const slot = toSlot(Math.max(bucket - 1, 0), group);
    if (bucket > 0) return isWhole(bucket - 1) ? (fees.get(slot.name) ?? null) : null;
    return before && before.uncounted.of(slot).isCounted ? (before.fees.get(slot.name) ?? null) : null;
  };
  return ({ slot: { bucket, group, name } }) => ({
    changeToPrevious: isWhole(bucket) ? changeOf(feeBefore(bucket, group), fees.get(name) ?? null) : null,
  });
}

/** Relative change of the fee (0.1: a tenth more); null if either fee is unknown or the earlier fee is 0. */
function changeOf(before: Decimal | null, now: Decimal | null): number | null {
  if (before === null || now === null || before.isZero()) return null;
  return now.minus(before).dividedBy(before, QUOTIENT_SCALE).toNumber();
}

/**
 * Projects the current month from its days and the days before it, by upper bounds. Only for a report by months whose last
 * month is the current one and is not cut off.
 */
export async function getForecasts({
  query,
  plan,
}: Framed): Promise<(row: FramedRow) => MeasuredBy<'forecast'>> {
  const { bucket, starts, endUs, fromUs, toUs, nowUs } = plan;
  const last = starts.length - 1;
  const startUs = starts[last];
  const isRunning =
    startUs !== undefined && fromUs <= startUs && startUs <= nowUs && nowUs < endUs && nowUs <= toUs;
  if (bucket !== 'MONTH' || !isRunning) return () => NO_FORECAST;
  const days = daysBefore(plan);
  const { fees, uncounted } = await readFees(query, days);
  const coverage = await getReportCoverage(query, days);
  return ({ slot: { bucket: place, group }, sums = {}, isCounted }) => {
    const spent = place === last && isCounted ? amountOf('feeMax', sums) : null;
    const forecast =
      spent &&
      forecastMonth({
        spent,
        days: days.starts.map((_, day) => {
          const slot = toSlot(day, group);
          const fee = fees.get(slot.name);
          const share = uncounted.of(slot).isCounted ? coverage(slot).share : 0;
          return { fee: fee === undefined ? amountOf('feeMax', {}) : fee, coverage: share };
        }),
        daysElapsed: Number(nowUs - startUs) / Number(DAY_US),
        daysInMonth: Number(endUs - startUs) / Number(DAY_US),
      });
    if (!forecast) return NO_FORECAST;
    const { low, expected, high } = forecast;
    return { forecastLow: low, forecastExpected: expected, forecastHigh: high };
  };
}

/** The last 14 times 24 hours, in which a clock change makes one day more or less. */
function daysBefore(month: ReportPlan): ReportPlan {
  const { nowUs, zone } = month;
  const today = bucketStart(nowUs, 'DAY', zone);
  const all = bucketStarts(today - BigInt(DAYS) * DAY_US, today, 'DAY', zone, 2 * DAYS) ?? [];
  const starts = all.slice(-DAYS);
  return { ...month, bucket: 'DAY', fromUs: starts[0] ?? today, toUs: today, endUs: today, starts };
}
