import { Decimal } from '../../../domain/cost/decimal.js';
import type { Query } from '../../../platform/sql.js';
import type { FiatSum } from '../../roll-up/statistic.js';
import { COST_FIGURES, sumsOf, type SumsOf } from '../figures.js';
import { slotColumns, slotOf, type Slot, type SlotRow } from '../plan/grouped-rows.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { storedSubmissions, sumOf } from '../plan/stored-rows.js';
import { getSubmissionSums, sumColumns } from '../plan/sums.query.js';

const OF_HEADERS = 'FILTER (WHERE s.kind = 0)';
const OF_DATA = 'FILTER (WHERE s.kind = 1)';

/** Sums of one kind of submissions, from which figures of cost are computed. */
const KIND_COLUMNS = {
  headerGasMax: `${sumOf('gasMax')} ${OF_HEADERS}`,
  headerFeeMax: `${sumOf('feeMax')} ${OF_HEADERS}`,
  dataGasMax: `${sumOf('gasMax')} ${OF_DATA}`,
  dataFeeMax: `${sumOf('feeMax')} ${OF_DATA}`,
};
const COLUMNS = { ...sumColumns(sumsOf(COST_FIGURES)), ...KIND_COLUMNS };

/** Sums of the cost of submissions, as far as it is known; see the columns of `statistic`. */
export type CostSums = SumsOf<(typeof COST_FIGURES)[keyof typeof COST_FIGURES]> &
  Readonly<Record<keyof typeof KIND_COLUMNS, bigint>>;

export interface Cost {
  readonly sums: CostSums;
  /** Amounts in each currency unit. */
  readonly fiat: ReadonlyMap<string, FiatSum>;
}

export const NO_COST: Cost = {
  sums: Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, 0n])) as CostSums,
  fiat: new Map(),
};

const NO_FIAT: Cost['fiat'] = new Map();

/** A bucket of a group with its cost. */
export interface CostSlot extends Slot, Cost {}

/** Cost by bucket and group, from the stored buckets. */
export async function getStoredCost(query: Query, plan: ReportPlan): Promise<CostSlot[]> {
  const rows = await getSubmissionSums(query, plan, COLUMNS);
  const fiat = await getFiat(query, plan);
  return rows.map(({ bucket, group, name, sums }) => ({
    bucket,
    group,
    name,
    sums,
    fiat: fiat.get(name) ?? NO_FIAT,
  }));
}

interface FiatRow extends SlotRow {
  readonly unit: string;
  readonly min: string;
  readonly max: string;
  readonly count: string;
}

async function getFiat(
  query: Query,
  plan: ReportPlan,
): Promise<ReadonlyMap<string, ReadonlyMap<string, FiatSum>>> {
  const stored = storedSubmissions(plan);
  const { select, groupBy } = slotColumns(plan, stored);
  const rows = await query<FiatRow>(
    `SELECT ${select}, money.unit, sum((money.value ->> 'min')::numeric) AS min,
            sum((money.value ->> 'max')::numeric) AS max, sum((money.value ->> 'count')::bigint) AS count
       ${stored.from} CROSS JOIN LATERAL jsonb_each(s.fiat) AS money (unit, value)
      GROUP BY ${groupBy}, money.unit`,
    stored.parameters,
  );
  const bySlot = new Map<string, Map<string, FiatSum>>();
  for (const row of rows) {
    const { name } = slotOf(row);
    const units = bySlot.get(name) ?? new Map<string, FiatSum>();
    const money = { min: Decimal.read(row.min), max: Decimal.read(row.max), count: BigInt(row.count) };
    bySlot.set(name, units.set(row.unit, money));
  }
  return bySlot;
}
