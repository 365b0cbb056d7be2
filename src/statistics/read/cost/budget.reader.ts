import { budgetPeriodAt } from '../../../domain/cost/budget-period.js';
import type { ChainBudget } from '../../../domain/cost/budget.js';
import { Decimal, UTIA_PER_TIA } from '../../../domain/cost/decimal.js';
import { nextBucket } from '../../../domain/statistics/time-buckets.js';
import type { Micros } from '../../../domain/time.js';
import type { Query } from '../../../platform/sql.js';
import { getZones, zoneOf } from '../plan/scope.query.js';
import { readCostsWithTotal } from '../report.reader.js';

/** The running period of a budget. Amounts are in the unit of the budget. */
export interface RunningBudget {
  readonly fromUs: Micros;
  readonly toUs: Micros;
  /** The lower bound of the cost so far; null: unknown. */
  readonly spent: Decimal | null;
  /** The forecast of the cost at the end; null: unknown, or the budget is for a day or not in TIA. */
  readonly expected: Decimal | null;
}

/**
 * Reads the cost of a chain in the running period of a budget. The forecast of a quarter or year adds the daily fee that the
 * forecast of the month expects to the lower bound of the cost so far.
 */
export async function readBudget(
  query: Query,
  chain: string,
  { per, unit, yearStart }: Pick<ChainBudget, 'per' | 'unit' | 'yearStart'>,
  nowUs: Micros,
): Promise<RunningBudget> {
  const zone = zoneOf({ zones: await getZones(query) }, chain);
  const period = budgetPeriodAt(nowUs, per, zone, yearStart);
  const bucket = per === 'DAY' ? 'DAY' : 'MONTH';
  const { rows, total } = await readCostsWithTotal(
    query,
    {
      filter: { chains: [chain] },
      bucket,
      groupBy: [],
      fromUs: period.fromUs,
      toUs: nowUs,
      timeZone: zone,
      nowUs,
    },
    ['feeMin', 'feeMax', 'fiatMin', 'fiatUnit', 'forecastExpected'],
  );
  if (unit !== 'TIA')
    return { ...period, spent: total.fiatUnit === unit ? total.fiatMin : null, expected: null };
  const last = rows.length > 0 ? rows.at(rows.length - 1) : undefined;
  const { forecastExpected, feeMax } = last ?? { forecastExpected: null, feeMax: null };
  const monthLeftUs = nextBucket(nowUs, 'MONTH', zone) - nowUs;
  const { feeMin } = total;
  const expected =
    per === 'MONTH' || forecastExpected === null || feeMax === null || feeMin === null
      ? forecastExpected
      : feeMin.plus(
          forecastExpected
            .minus(feeMax)
            .times(Decimal.of(period.toUs - nowUs))
            .dividedBy(Decimal.of(monthLeftUs), 6),
        );
  return { ...period, spent: toTia(feeMin), expected: toTia(expected) };
}

function toTia(utia: Decimal | null): Decimal | null {
  return utia && utia.dividedBy(UTIA_PER_TIA, 6);
}
