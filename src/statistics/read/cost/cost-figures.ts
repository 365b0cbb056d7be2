import { entryOf } from '../../../domain/collections.js';
import { Decimal } from '../../../domain/cost/decimal.js';
import type { Query } from '../../../platform/sql.js';
import { addFiat, type FiatSum } from '../../roll-up/statistic.js';
import { meanOf, measurer, shareOf, totalsOf, type Sums } from '../measure-rules.js';
import { OWN_COST_NAMES, partOf, type Measured, type MeasuredBy, type RuledName } from '../measures.js';
import { isToldApart, slotColumns, slotOf, type SlotRow } from '../plan/grouped-rows.js';
import type { FramedRow } from '../plan/report-frame.js';
import type { ReportPlan } from '../plan/report-plan.js';
import { storedSubmissions } from '../plan/stored-rows.js';

type Fiat = MeasuredBy<'fiat'>;
const NO_FIAT: Fiat = { fiatMin: null, fiatMax: null, fiatUnit: null };

type FiatSums = ReadonlyMap<string, FiatSum>;
export type FiatBySlot = ReadonlyMap<string, FiatSums>;

interface FiatRow extends SlotRow {
  readonly unit: string;
  readonly min: string;
  readonly max: string;
  readonly count: string;
}

export async function getFiat(query: Query, plan: ReportPlan): Promise<FiatBySlot> {
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
    const money = { min: Decimal.read(row.min), max: Decimal.read(row.max), count: BigInt(row.count) };
    entryOf(bySlot, name, () => new Map<string, FiatSum>()).set(row.unit, money);
  }
  return bySlot;
}

/** The cost of a row in a currency. Rows of failed attempts alone have none, as in `measurer`. */
export function toFiat(
  { sums, isUnknown, isCounted }: FramedRow,
  fiat: FiatSums | undefined,
  plan: ReportPlan,
): Fiat {
  const costed = sums?.costed ?? 0n;
  if (isUnknown || (costed === 0n && isToldApart(plan))) return NO_FIAT;
  return moneyOf(costed, fiat, isCounted);
}

/** @param isBounded false if a part is not counted: then there is no upper bound */
function moneyOf(costed: bigint, fiat: FiatSums = new Map(), isBounded: boolean): Fiat {
  if (costed === 0n)
    return { fiatMin: Decimal.ZERO, fiatMax: isBounded ? Decimal.ZERO : null, fiatUnit: null };
  const [only, another] = [...fiat];
  if (only === undefined || another !== undefined) return NO_FIAT;
  const [fiatUnit, { min, max, count }] = only;
  return { fiatMin: min, fiatMax: isBounded && count === costed ? max : null, fiatUnit };
}

/** Shares of the fee, as far as it is known, else of the gas; both by their upper bounds. The rest belongs to neither kind. */
export function toKindShares(sums: Sums): MeasuredBy<'kindShares'> {
  const {
    feeMax = 0n,
    gasMax = 0n,
    headerFeeMax = 0n,
    headerGasMax = 0n,
    dataFeeMax = 0n,
    dataGasMax = 0n,
  } = sums;
  if (feeMax > 0n)
    return { headerShare: shareOf(headerFeeMax, feeMax), dataShare: shareOf(dataFeeMax, feeMax) };
  if (gasMax > 0n)
    return { headerShare: shareOf(headerGasMax, gasMax), dataShare: shareOf(dataGasMax, gasMax) };
  return { headerShare: null, dataShare: null };
}

type TotalName = RuledName & (typeof OWN_COST_NAMES)[number];
const TOTAL_NAMES = OWN_COST_NAMES.filter((name): name is TotalName => partOf(name) === undefined);

/** The cost of the whole time, each submission once. The coverage is the mean over the past time. */
export interface CostTotal extends Measured<TotalName>, Fiat {
  readonly coverage: number;
  /** False if a part of the time was not monitored and has no records: counts are then lower bounds. */
  readonly isWhole: boolean;
  /** Number of rows; `uncounted` is the number of rows that lack recorded data. */
  readonly rows: number;
  readonly uncounted: number;
}

/** @param framed rows, each submission in one of them, in a fixed order because shares are rounded */
export function toTotal(framed: readonly FramedRow[], fiat: FiatBySlot): CostTotal {
  const uncounted = framed.filter(({ isCounted }) => !isCounted).length;
  if (framed.every(({ isUnknown }) => isUnknown)) return { ...NO_TOTAL, rows: framed.length, uncounted };
  // Nothing can be known about the future, or about the time before the chain.
  const isWhole = !framed.some(({ isUnknown, lengthUs }) => isUnknown && lengthUs > 0n);
  const isCounted = uncounted === 0;
  const money = new Map<string, FiatSum>();
  for (const { slot } of framed) {
    const units = fiat.get(slot.name);
    // A row with several currencies has no single amount, so it adds none.
    if (units?.size === 1) for (const [unit, amount] of units) addFiat(money, unit, amount);
  }
  const sums = framed.flatMap((row) => row.sums ?? []);
  const costed = sums.reduce((sum, row) => sum + (row.costed ?? 0n), 0n);
  return {
    ...totalsOf(TOTAL_NAMES, sums, { isWhole: isWhole && isCounted, isCounted }),
    ...moneyOf(costed, money, isWhole && isCounted),
    coverage: meanOf(framed.map((row) => [row.coverage, Number(row.lengthUs)])),
    isWhole,
    rows: framed.length,
    uncounted,
  };
}

/** The total of a time about which nothing is known. */
export const NO_TOTAL: CostTotal = {
  ...measurer(TOTAL_NAMES, false)(null, true),
  ...NO_FIAT,
  coverage: 0,
  isWhole: false,
  rows: 0,
  uncounted: 0,
};

const MEGABYTE = Decimal.of(1_000_000n);
/** Decimals of a quotient. */
export const QUOTIENT_SCALE = 6;

export function toUnitCosts(
  { feeMin, feeMax, unreadable, sizeBytes }: Measured<'feeMin' | 'feeMax' | 'unreadable' | 'sizeBytes'>,
  blocks: Measured<'blocksIncluded' | 'transactionsIncluded'> | undefined,
): MeasuredBy<'unitCosts'> {
  // With missing bytes, the quotient would not be a bound of anything.
  const bytes = unreadable === 0n ? sizeBytes : null;
  const { blocksIncluded = null, transactionsIncluded = null } = blocks ?? {};
  const inMegabytes = (fee: Decimal | null): Decimal | null => per(fee?.times(MEGABYTE) ?? null, bytes);
  return {
    feePerBlockMin: per(feeMin, blocksIncluded),
    feePerBlockMax: per(feeMax, blocksIncluded),
    feePerTransactionMin: per(feeMin, transactionsIncluded),
    feePerTransactionMax: per(feeMax, transactionsIncluded),
    feePerMegabyteMin: inMegabytes(feeMin),
    feePerMegabyteMax: inMegabytes(feeMax),
  };
}

function per(fee: Decimal | null, count: bigint | null): Decimal | null {
  return fee === null || count === null || count === 0n
    ? null
    : fee.dividedBy(Decimal.of(count), QUOTIENT_SCALE);
}
