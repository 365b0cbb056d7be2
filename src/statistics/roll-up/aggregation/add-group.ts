import { Decimal } from '../../../domain/cost/decimal.js';
import { shareBounds } from '../../../domain/cost/pay-for-blobs.js';
import type { Prices } from '../../../domain/cost/price-book.js';
import { costOfSubmission, fiatOf, type SubmissionCost } from '../../../domain/cost/submission-cost.js';
import { RowClass, type RowGroup } from './group-rows.js';
import { addFiat, type OpenStatistic } from '../statistic.js';

const BASIS_SUMS = { IMPORTED: 'imported', RECORDED: 'recorded', PRICED: 'priced' } as const;

/** Adds rows that are alike to the statistic of their key. */
export function addGroup(sum: OpenStatistic, group: RowGroup, prices: Prices): void {
  const { rowClass, rows } = group;
  if (rowClass === RowClass.RECONSTRUCTED) sum.reconstructed += rows;
  // Whichever attempt it was is counted as one that failed.
  else if (rowClass === RowClass.UNDECIDED) sum.undecided += rows;
  else sum.attempts += rows;
  if (rowClass === RowClass.LANDED) sum.landed += rows;
  if (rowClass === RowClass.UNREFERENCED) sum.unreferenced += rows;
  addGasPrice(sum, group);
  const cost = costOfSubmission({ ...group, importedFee: group.fee }, prices);
  if (rowClass === RowClass.FAILED) {
    addFailure(sum, rows, cost);
    return;
  }
  addVolume(sum, group);
  addShares(sum, group);
  addCost(sum, group, cost, prices);
}

function addGasPrice(sum: OpenStatistic, { gasPrice, rows, lastAt }: RowGroup): void {
  if (gasPrice === null) return;
  sum.gasPriceCount += rows;
  sum.gasPriceSum = sum.gasPriceSum.plus(gasPrice.times(Decimal.of(rows)));
  const { gasPriceMin: min, gasPriceMax: max, gasPriceLast: last, gasPriceLastAt: knownAt } = sum;
  if (!min || gasPrice.compare(min) < 0) sum.gasPriceMin = gasPrice;
  if (!max || gasPrice.compare(max) > 0) sum.gasPriceMax = gasPrice;
  if (knownAt !== null && last !== null) {
    if (lastAt < knownAt || (lastAt === knownAt && gasPrice.compare(last) <= 0)) return;
  }
  sum.gasPriceLast = gasPrice;
  sum.gasPriceLastAt = lastAt;
}

function addFailure(sum: OpenStatistic, rows: bigint, { fee }: SubmissionCost): void {
  sum.failed += rows;
  if (fee === null) sum.failedUnknown += rows;
  else sum.failedFeeMax += fee.max * rows;
}

function addVolume(sum: OpenStatistic, { blobCount, rows, sizedRows, bytes }: RowGroup): void {
  sum.sizeBytes += bytes;
  if (blobCount === null) {
    sum.unreadable += rows;
    return;
  }
  sum.blobCount += blobCount * rows;
  sum.unreadable += rows - sizedRows;
  sum.measuredBlobs += blobCount * sizedRows;
  sum.measuredBytes += bytes;
}

function addShares(sum: OpenStatistic, group: RowGroup): void {
  const { blobCount, sizeBytes, shares, rows, rowClass } = group;
  if (shares !== null) {
    sum.sharesMin += shares * rows;
    sum.sharesMax += shares * rows;
    if (rowClass === RowClass.RECONSTRUCTED) sum.reconstructedShares += shares * rows;
    return;
  }
  const bounds = blobCount === null || sizeBytes === null ? null : shareBounds(blobCount, sizeBytes, false);
  if (bounds === null) return;
  sum.sharesMin += bounds.min * rows;
  sum.sharesMax += bounds.max * rows;
}

function addCost(
  sum: OpenStatistic,
  { rows, rowClass }: RowGroup,
  { gas, fee }: SubmissionCost,
  prices: Prices,
): void {
  sum.costed += rows;
  if (gas === null) sum.gasUnknown += rows;
  else {
    sum.gasMin += gas.min * rows;
    sum.gasMax += gas.max * rows;
  }
  if (fee === null) {
    sum.feeUnknown += rows;
    return;
  }
  const [min, max] = [fee.min * rows, fee.max * rows];
  sum[BASIS_SUMS[fee.basis]] += rows;
  sum.feeMin += min;
  sum.feeMax += max;
  if (rowClass === RowClass.UNREFERENCED) {
    sum.wastedFeeMin += min;
    sum.wastedFeeMax += max;
  }
  if (prices.fiat === null) return;
  const [fiatMin, fiatMax] = [fiatOf(min, prices.fiat), fiatOf(max, prices.fiat)];
  addFiat(sum.fiat, prices.fiat.unit, { min: fiatMin, max: fiatMax, count: rows });
}
