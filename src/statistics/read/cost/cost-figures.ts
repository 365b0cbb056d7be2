import { Decimal } from '../../../domain/cost/decimal.js';
import { addFiat, type FiatSum } from '../../roll-up/statistic.js';
import type { BlockFigures } from '../blocks/block-figures.query.js';
import { figureOf, meanOf, shareOf, totalOf } from '../figure-rules.js';
import {
  COST_FIGURES,
  type CostFigureName,
  type CostFigures,
  type FigureRule,
  type FiguresFor,
  type RuledFigures,
} from '../figures.js';
import { NO_COST, type Cost, type CostSums } from './cost-sums.query.js';

type Fiat = Pick<CostFigures, 'fiatMin' | 'fiatMax' | 'fiatUnit'>;
const NO_FIAT: Fiat = { fiatMin: null, fiatMax: null, fiatUnit: null };
const RULED = (Object.keys(COST_FIGURES) as CostFigureName[]).flatMap((name) => {
  const figure = COST_FIGURES[name];
  return 'rule' in figure ? [{ name, figure }] : [];
});

/**
 * The cost of the submissions of a row.
 * @param isToldApart whether rows are grouped by namespace, kind or status. Rows of failed attempts alone then have no fee,
 * rather than a fee of 0, so that sums over rows equal a single row of them all
 * @param isCounted false if the sums cover a part: then there are no upper bounds
 */
export function toCostFigures({ sums, fiat }: Cost, isToldApart: boolean, isCounted: boolean): CostFigures {
  const hasNone = isToldApart && sums.costed === 0n;
  const money = hasNone ? NO_FIAT : toFiat(sums.costed, fiat);
  return Object.assign(
    toRuled((figure) => {
      if (figure.rule === 'SHARE') return shareOf(sums[figure.sum], sums[figure.of]);
      if (!isCounted && isUpperBound(figure)) return null;
      return hasNone && isOfSubmissions(figure) ? null : figureOf(figure, sums);
    }),
    isCounted ? money : { ...money, fiatMax: null },
    toKindShares(sums),
  );
}

/** Also true for figures of only those submissions whose fee is known. */
function isUpperBound(figure: CostRule): boolean {
  return figure.rule === 'MOST' || figure.sum === 'feeMax';
}

/** Whether a figure is a sum of gas or money over submissions. */
function isOfSubmissions(figure: CostRule): boolean {
  return figure.unit !== 'COUNT' && 'of' in figure && figure.of !== 'failed';
}

/** The figures of a row about which nothing is known. */
export const UNKNOWN_COST: CostFigures = {
  ...toRuled((figure) => (figure.rule === 'SHARE' ? 0 : null)),
  ...NO_FIAT,
  ...toKindShares(NO_COST.sums),
};

export type TotalFigures = RuledFigures & Fiat;

/**
 * @param costs of the rows, each submission in one of them, in a fixed order because shares are rounded
 * @param isWhole false if nothing is known about some rows, or a part is not counted: then the sums have no upper bounds
 * @param isCounted false if a part of the recorded data is not counted
 */
export function toTotalFigures(costs: readonly Cost[], isWhole: boolean, isCounted: boolean): TotalFigures {
  const rows = costs.map(({ sums }) => sums);
  const fiat = new Map<string, FiatSum>();
  for (const cost of costs) {
    // A row with several currencies has no single amount, so it adds none.
    if (cost.fiat.size === 1) for (const [unit, money] of cost.fiat) addFiat(fiat, unit, money);
  }
  const money = toFiat(
    rows.reduce((sum, { costed }) => sum + costed, 0n),
    fiat,
  );
  return Object.assign(
    toRuled((figure) => {
      if (figure.rule === 'SHARE')
        return meanOf(
          rows.map((sums) => [shareOf(sums[figure.sum], sums[figure.of]), Number(sums[figure.of])]),
        );
      const isUnbounded = (figure.rule === 'MOST' && !isWhole) || (isUpperBound(figure) && !isCounted);
      return isUnbounded ? null : totalOf(figure, rows);
    }),
    isWhole ? money : { ...money, fiatMax: null },
  );
}

function toRuled(valueOf: (figure: CostRule) => bigint | number | null): RuledFigures {
  const figures: Record<string, bigint | number | Decimal | null> = {};
  for (const { name, figure } of RULED) {
    const value = valueOf(figure);
    figures[name] = figure.unit === 'UTIA' && typeof value === 'bigint' ? Decimal.of(value) : value;
  }
  return figures as unknown as RuledFigures;
}

type CostRule = Extract<(typeof COST_FIGURES)[CostFigureName], FigureRule>;

function toFiat(costed: bigint, fiat: ReadonlyMap<string, FiatSum>): Fiat {
  if (costed === 0n) return { fiatMin: Decimal.ZERO, fiatMax: Decimal.ZERO, fiatUnit: null };
  const [only, another] = [...fiat];
  if (only === undefined || another !== undefined) return NO_FIAT;
  const [fiatUnit, { min, max, count }] = only;
  return { fiatMin: min, fiatMax: count === costed ? max : null, fiatUnit };
}

/** Shares of the fee, as far as it is known, else of the gas; both by their upper bounds. The rest belongs to neither kind. */
function toKindShares(sums: CostSums): Pick<CostFigures, 'headerShare' | 'dataShare'> {
  const { feeMax, gasMax, headerFeeMax, dataFeeMax, headerGasMax, dataGasMax } = sums;
  if (feeMax > 0n)
    return { headerShare: shareOf(headerFeeMax, feeMax), dataShare: shareOf(dataFeeMax, feeMax) };
  if (gasMax > 0n)
    return { headerShare: shareOf(headerGasMax, gasMax), dataShare: shareOf(dataGasMax, gasMax) };
  return { headerShare: null, dataShare: null };
}

/** Upper bound for the fee; null if not known. */
export function toFeeMax({ sums }: Cost): Decimal | null {
  const feeMax = figureOf(COST_FIGURES.feeMax, sums);
  return feeMax === null ? null : Decimal.of(feeMax);
}

const MEGABYTE = Decimal.of(1_000_000n);
/** Decimals of a quotient. */
const QUOTIENT_SCALE = 6;

/** Unit costs if the fee or the number is not known. */
export const NO_UNIT_COSTS: FiguresFor<'unitCosts'> = {
  feePerBlockMin: null,
  feePerBlockMax: null,
  feePerTransactionMin: null,
  feePerTransactionMax: null,
  feePerMegabyteMin: null,
  feePerMegabyteMax: null,
};

export function toUnitCosts(
  { feeMin, feeMax, unreadable, sizeBytes }: CostFigures,
  { blocksIncluded, transactionsIncluded }: BlockFigures,
): FiguresFor<'unitCosts'> {
  // With missing bytes, the quotient would not be a bound of anything.
  const bytes = unreadable === 0n ? sizeBytes : null;
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

/** Relative change of the fee (0.1: a tenth more); null if either fee is unknown or the earlier fee is 0. */
export function changeOf(before: Decimal | null, now: Decimal | null): number | null {
  if (before === null || now === null || before.isZero()) return null;
  return now.minus(before).dividedBy(before, QUOTIENT_SCALE).toNumber();
}
