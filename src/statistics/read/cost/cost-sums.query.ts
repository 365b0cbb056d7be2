import { Decimal } from '../../../domain/cost/decimal.js';
import type { Query } from '../../../platform/sql.js';
import { mapInTurns } from '../../../platform/turns.js';
import type { FiatSum } from '../../roll-up/statistic.js';
import { BUCKET, bucketRows, FILTERED, statisticParameters } from '../plan/bucket-rows.js';
import { groupColumns, slotOf, type GroupRow, type Slot } from '../plan/grouped-rows.js';
import { toIntegers } from '../plan/report-frame.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { getSubmissionSums, sumOf, type SumColumns } from '../plan/sums.query.js';

const OF_HEADERS = 'FILTER (WHERE s.kind = 0)';
const OF_DATA = 'FILTER (WHERE s.kind = 1)';

const COLUMNS = {
  reconstructed: sumOf('reconstructed'),
  landed: sumOf('landed'),
  unreferenced: sumOf('unreferenced'),
  unreadable: sumOf('unreadable'),
  sizeBytes: sumOf('size_bytes'),
  costed: sumOf('costed'),
  gasUnknown: sumOf('gas_unknown'),
  gasMin: sumOf('gas_min'),
  gasMax: sumOf('gas_max'),
  imported: sumOf('imported'),
  recorded: sumOf('recorded'),
  priced: sumOf('priced'),
  feeUnknown: sumOf('fee_unknown'),
  feeMin: sumOf('fee_min'),
  feeMax: sumOf('fee_max'),
  wastedFeeMin: sumOf('wasted_fee_min'),
  wastedFeeMax: sumOf('wasted_fee_max'),
  failed: sumOf('failed'),
  failedUnknown: sumOf('failed_unknown'),
  failedFeeMax: sumOf('failed_fee_max'),
  headerGasMax: `${sumOf('gas_max')} ${OF_HEADERS}`,
  headerFeeMax: `${sumOf('fee_max')} ${OF_HEADERS}`,
  dataGasMax: `${sumOf('gas_max')} ${OF_DATA}`,
  dataFeeMax: `${sumOf('fee_max')} ${OF_DATA}`,
} as const satisfies SumColumns<string>;

/** What submissions cost, in sums over those of which it is known; see the columns of `statistic`. */
export type CostSums = Readonly<Record<keyof typeof COLUMNS, bigint>>;

/** The sums of nothing. */
export const NO_COST = Object.fromEntries(Object.keys(COLUMNS).map((name) => [name, 0n])) as CostSums;

/** A bucket of a group with its cost. */
export interface CostSlot extends Slot {
  readonly sums: CostSums;
  /** By unit. */
  readonly fiat: ReadonlyMap<string, FiatSum>;
}

/** Cost by bucket and group, from the stored buckets. */
export async function getStoredCost(query: Query, plan: ReportPlan): Promise<CostSlot[]> {
  const rows = await getSubmissionSums(query, plan, COLUMNS);
  const fiat = await getFiat(query, plan);
  return mapInTurns(rows, (row) => ({
    ...row,
    sums: toIntegers(row),
    fiat: fiat.get(row.name) ?? new Map(),
  }));
}

interface FiatRow extends GroupRow {
  readonly bucket: number;
  readonly unit: string;
  readonly min: string;
  readonly max: string;
  readonly count: string;
}

async function getFiat(
  query: Query,
  plan: ReportPlan,
): Promise<ReadonlyMap<string, ReadonlyMap<string, FiatSum>>> {
  const { select, groupBy } = groupColumns(plan.groupBy);
  const rows = await query<FiatRow>(
    `SELECT ${BUCKET} AS bucket, ${select}, money.unit, sum((money.value ->> 'min')::numeric) AS min,
            sum((money.value ->> 'max')::numeric) AS max, sum((money.value ->> 'count')::bigint) AS count
       ${bucketRows('statistic')} CROSS JOIN LATERAL jsonb_each(s.fiat) AS money (unit, value)
      WHERE ${FILTERED} GROUP BY ${groupBy}, money.unit`,
    statisticParameters(plan),
  );
  const bySlot = new Map<string, Map<string, FiatSum>>();
  for (const row of rows) {
    const name = slotOf(row.bucket, row);
    const units = bySlot.get(name) ?? new Map<string, FiatSum>();
    bySlot.set(
      name,
      units.set(row.unit, {
        min: Decimal.read(row.min),
        max: Decimal.read(row.max),
        count: BigInt(row.count),
      }),
    );
  }
  return bySlot;
}
