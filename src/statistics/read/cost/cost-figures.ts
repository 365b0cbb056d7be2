import { Decimal } from '../../../domain/cost/decimal.js';
import type { CostSums } from './cost-sums.query.js';
import type { FiatSum } from '../../roll-up/statistic.js';
import type { BlockFigures } from '../blocks/block-figures.query.js';

/** Fees are in millionths of a TIA. */
const FEE_UNIT = 'utia';

/**
 * What submissions of a row cost. Fees in utia. Null: not known.
 *
 * A minimum is the sum of what is known, which is never more than the truth; a maximum is null as soon as one submission
 * is missing in it, for then nothing bounds the truth.
 */
export interface CostFigures {
  readonly submissions: bigint;
  readonly landed: bigint;
  readonly gasMin: bigint | null;
  readonly gasMax: bigint | null;
  readonly feeMin: Decimal | null;
  readonly feeMax: Decimal | null;
  /** The maximum of those submissions whose fee is known; the minimum of them is feeMin. */
  readonly knownFeeMax: Decimal | null;
  readonly feeUnit: string;
  readonly fiatMin: Decimal | null;
  readonly fiatMax: Decimal | null;
  /** Null without a rate, and where rates of several currencies held. */
  readonly fiatUnit: string | null;
  readonly failedAttempts: bigint;
  readonly failedFeeMax: Decimal | null;
  readonly unreferenced: bigint;
  readonly wastedFeeMin: Decimal | null;
  readonly wastedFeeMax: Decimal | null;
  readonly importedShare: number;
  readonly recordedShare: number;
  readonly pricedShare: number;
  readonly unknownShare: number;
  readonly headerShare: number | null;
  readonly dataShare: number | null;
  readonly sizeBytes: bigint;
  readonly unreadable: bigint;
}

export function toCostFigures(sums: CostSums, fiat: ReadonlyMap<string, FiatSum>): CostFigures {
  const { costed, gasUnknown, feeUnknown, unreferenced } = sums;
  const hasGas = costed > gasUnknown;
  const hasFee = costed > feeUnknown;
  return {
    submissions: costed,
    landed: sums.landed,
    gasMin: hasGas ? sums.gasMin : null,
    gasMax: hasGas && gasUnknown === 0n ? sums.gasMax : null,
    feeMin: hasFee ? Decimal.of(sums.feeMin) : null,
    feeMax: hasFee && feeUnknown === 0n ? Decimal.of(sums.feeMax) : null,
    knownFeeMax: hasFee ? Decimal.of(sums.feeMax) : null,
    feeUnit: FEE_UNIT,
    ...toFiat(costed, fiat),
    failedAttempts: sums.failed,
    failedFeeMax: sums.failed === 0n || sums.failedUnknown > 0n ? null : Decimal.of(sums.failedFeeMax),
    unreferenced,
    wastedFeeMin:
      unreferenced > 0n && (sums.wastedFeeMin > 0n || feeUnknown === 0n)
        ? Decimal.of(sums.wastedFeeMin)
        : null,
    wastedFeeMax: unreferenced > 0n && feeUnknown === 0n ? Decimal.of(sums.wastedFeeMax) : null,
    importedShare: ratio(sums.imported, costed),
    recordedShare: ratio(sums.recorded, costed),
    pricedShare: ratio(sums.priced, costed),
    unknownShare: ratio(feeUnknown, costed),
    ...toKindShares(sums),
    sizeBytes: sums.sizeBytes,
    unreadable: sums.unreadable,
  };
}

function toFiat(
  costed: bigint,
  fiat: ReadonlyMap<string, FiatSum>,
): Pick<CostFigures, 'fiatMin' | 'fiatMax' | 'fiatUnit'> {
  const [only, another] = [...fiat];
  if (only === undefined || another !== undefined) return { fiatMin: null, fiatMax: null, fiatUnit: null };
  const [fiatUnit, { min, max, count }] = only;
  return { fiatMin: min, fiatMax: count === costed ? max : null, fiatUnit };
}

/** Shares of the fee, as far as it is known, else of the gas; of the upper bounds. What is of neither kind is the rest. */
function toKindShares(sums: CostSums): Pick<CostFigures, 'headerShare' | 'dataShare'> {
  const { feeMax, gasMax, headerFeeMax, dataFeeMax, headerGasMax, dataGasMax } = sums;
  if (feeMax > 0n) return { headerShare: ratio(headerFeeMax, feeMax), dataShare: ratio(dataFeeMax, feeMax) };
  if (gasMax > 0n) return { headerShare: ratio(headerGasMax, gasMax), dataShare: ratio(dataGasMax, gasMax) };
  return { headerShare: null, dataShare: null };
}

function ratio(part: bigint, whole: bigint): number {
  return whole === 0n ? 0 : Number(part) / Number(whole);
}

/** Fees by what they bought, in utia. Null where the fee or the number is not known, or is zero. */
export interface UnitCosts {
  /** Per block of the bucket whose header and data are included. */
  readonly feePerBlockMin: Decimal | null;
  readonly feePerBlockMax: Decimal | null;
  /** Per transaction of these blocks. */
  readonly feePerTransactionMin: Decimal | null;
  readonly feePerTransactionMax: Decimal | null;
  /** Per million bytes of blobs. */
  readonly feePerMegabyteMin: Decimal | null;
  readonly feePerMegabyteMax: Decimal | null;
}

const MEGABYTE = Decimal.of(1_000_000n);
/** Digits behind the point of a quotient. */
const QUOTIENT_SCALE = 6;

export function toUnitCosts(
  cost: CostFigures,
  blocks: Pick<BlockFigures, 'blocksIncluded' | 'transactionsIncluded'>,
): UnitCosts {
  const { feeMin, feeMax } = cost;
  // With bytes missing the quotient would be no bound of anything.
  const bytes = cost.unreadable === 0n ? cost.sizeBytes : null;
  const inMegabytes = (fee: Decimal | null): Decimal | null => per(fee?.times(MEGABYTE) ?? null, bytes);
  return {
    feePerBlockMin: per(feeMin, blocks.blocksIncluded),
    feePerBlockMax: per(feeMax, blocks.blocksIncluded),
    feePerTransactionMin: per(feeMin, blocks.transactionsIncluded),
    feePerTransactionMax: per(feeMax, blocks.transactionsIncluded),
    feePerMegabyteMin: inMegabytes(feeMin),
    feePerMegabyteMax: inMegabytes(feeMax),
  };
}

function per(fee: Decimal | null, count: bigint | null): Decimal | null {
  return fee === null || count === null || count === 0n
    ? null
    : fee.dividedBy(Decimal.of(count), QUOTIENT_SCALE);
}

/** By which part of the fee before the fee has risen (0.1: a tenth more) or fallen; null where either is unknown. */
export function changeOf(before: Decimal | null, now: Decimal | null): number | null {
  if (before === null || now === null || before.isZero()) return null;
  return now.minus(before).dividedBy(before, QUOTIENT_SCALE).toNumber();
}
