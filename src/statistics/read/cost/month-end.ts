import { forecastMonth, type MonthForecast } from '../../../domain/cost/month-forecast.js';
import { bucketStart, bucketStarts } from '../../../domain/statistics/time-buckets.js';
import type { Query } from '../../../platform/sql.js';
import type { FiguresFor } from '../figures.js';
import { toSlot } from '../plan/grouped-rows.js';
import type { FramedRow } from '../plan/report-frame.js';
import { getReportCoverage } from '../coverage/coverage.query.js';
import type { ReportPlan } from '../plan/report-plan.js';
import type { Uncounted } from '../plan/uncounted.query.js';
import { toFeeMax } from './cost-figures.js';
import { type CostSlot, NO_COST } from './cost-sums.query.js';

type ForecastFigures = FiguresFor<'forecast'>;
const NO_FORECAST: ForecastFigures = { forecastLow: null, forecastExpected: null, forecastHigh: null };
const DAY_US = 86_400_000_000n;
/** Complete days that are read: the most that the forecast uses. */
const DAYS = 14;

/** Reads the cost of a part of a report, and what this cost lacks. */
export interface CostSources {
  readonly getCost: (plan: ReportPlan) => Promise<readonly CostSlot[]>;
  readonly findUncounted: (plan: ReportPlan) => Promise<Uncounted>;
}

/**
 * Projects the current month from its days and the days before it, by upper bounds. Only for a report by months whose last
 * month is the current one and is not cut off.
 */
export async function getForecasts(
  query: Query,
  plan: ReportPlan,
  { getCost, findUncounted }: CostSources,
): Promise<(row: FramedRow<CostSlot>) => ForecastFigures> {
  const { bucket, starts, endUs, fromUs, toUs, nowUs, zone } = plan;
  const last = starts.length - 1;
  const startUs = starts[last];
  const isRunning =
    startUs !== undefined && fromUs <= startUs && startUs <= nowUs && nowUs < endUs && nowUs <= toUs;
  if (bucket !== 'MONTH' || !isRunning) return () => NO_FORECAST;
  const days = daysBefore(plan);
  const byName = new Map((await getCost(days)).map((slot) => [slot.name, slot]));
  const coverage = await getReportCoverage(query, days);
  const uncounted = await findUncounted(days);
  return ({ slot: { bucket: place, group }, found, isCounted }) => {
    if (place !== last || !isCounted) return NO_FORECAST;
    const spent = toFeeMax(found ?? NO_COST);
    const forecast =
      spent &&
      forecastMonth({
        spent,
        days: days.starts.map((_, day) => {
          const slot = toSlot(day, group);
          const isWatched = uncounted.of(slot).isCounted;
          return {
            fee: toFeeMax(byName.get(slot.name) ?? NO_COST),
            coverage: isWatched ? coverage(slot).share : 0,
          };
        }),
        daysElapsed: Number(nowUs - startUs) / Number(DAY_US),
        daysInMonth: Number(endUs - startUs) / Number(DAY_US),
      });
    return forecast ? toFigures(forecast) : NO_FORECAST;
  };

  function daysBefore(month: ReportPlan): ReportPlan {
    const today = bucketStart(nowUs, 'DAY', zone);
    // The last 14 times 24 hours, in which a clock change makes one day more or less.
    const all = bucketStarts(today - BigInt(DAYS) * DAY_US, today, 'DAY', zone, 2 * DAYS) ?? [];
    const newest = all.slice(-DAYS);
    return { ...month, bucket: 'DAY', fromUs: newest[0] ?? today, toUs: today, endUs: today, starts: newest };
  }
}

function toFigures({ low, expected, high }: MonthForecast): ForecastFigures {
  return { forecastLow: low, forecastExpected: expected, forecastHigh: high };
}
