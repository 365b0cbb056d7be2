import { Decimal } from '../../domain/cost/decimal.js';
import type { Query } from '../../platform/sql.js';
import type { MeasuredBy } from './measures.js';
import type { Slot } from './plan/grouped-rows.js';
import type { ReportPlan } from './plan/report-plan.js';
import { sumOf } from './plan/stored-rows.js';
import { getSubmissionTexts, type SumRow } from './plan/sums.query.js';

/** Gas prices that attempts reported, and that of the latest attempt; null if no attempt reported one. */
type GasPrices = MeasuredBy<'gasPrices'>;

const NONE: GasPrices = { gasPriceMin: null, gasPriceMean: null, gasPriceMax: null, gasPriceLast: null };

const COLUMNS = {
  count: sumOf('gasPriceCount'),
  sum: sumOf('gasPriceSum'),
  min: 'min(s.gas_price_min)',
  max: 'max(s.gas_price_max)',
  last: '(array_agg(s.gas_price_last ORDER BY s.gas_price_last_at DESC NULLS LAST, s.gas_price_last DESC))[1]',
} as const;

/** Decimals of a mean: a millionth of the lowest price that the network accepts. */
const MEAN_SCALE = 12;

export async function getGasPrices(query: Query, plan: ReportPlan): Promise<(slot: Slot) => GasPrices> {
  const rows = await getSubmissionTexts(query, plan, COLUMNS);
  const prices = new Map(rows.map(({ name, sums }) => [name, toGasPrices(sums)]));
  return ({ name }) => prices.get(name) ?? NONE;
}

function toGasPrices(sums: SumRow<keyof typeof COLUMNS, string | null>['sums']): GasPrices {
  const [sum, count] = [Decimal.read(sums.sum ?? '0'), Decimal.read(sums.count ?? '0')];
  if (count.isZero()) return NONE;
  return {
    gasPriceMin: plain(sums.min),
    gasPriceMean: sum.dividedBy(count, MEAN_SCALE).toString(),
    gasPriceMax: plain(sums.max),
    gasPriceLast: plain(sums.last),
  };
}

/** Removes trailing zeros, which a column may contain. */
function plain(text: string | null): string | null {
  return text === null ? null : Decimal.read(text).toString();
}
