import { LARGEST_MONEY } from '../../../domain/bounds.js';
import { Decimal } from '../../../domain/cost/decimal.js';
import type { Micros } from '../../../domain/time.js';
import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { shareBounds } from '../../../domain/cost/pay-for-blobs.js';
import type { Prices } from '../../../domain/cost/price-book.js';
import {
  costOfSubmission,
  fiatOf,
  type CostBounds,
  type CostFacts,
} from '../../../domain/cost/submission-cost.js';
import { addFiat, type OpenStatistic } from '../statistic.js';

const MOST_MONEY = Decimal.of(LARGEST_MONEY);
const CONFIRMED = evidenceCodeOf('CONFIRMED');
const UNREFERENCED = evidenceCodeOf('UNREFERENCED');
const UNDECIDED = evidenceCodeOf('UNDECIDED');

/** The way in which a row counts. */
export const RowClass = {
  SUCCESS: 0,
  FAILED: 1,
  LANDED: 2,
  UNREFERENCED: 3,
  RECONSTRUCTED: 4,
  UNDECIDED: 5,
} as const;

/** A row, or equal rows, of a piece with everything that their cost depends on. */
export interface PricedRow extends CostFacts {
  readonly piece: number;
  readonly chain: string;
  readonly namespaceKey: number;
  readonly kind: number;
  readonly status: number;
  readonly rowClass: number;
}

/** Equal rows; `sizeBytes` is of each row, if it is needed to compute its cost. */
export interface CostGroup extends PricedRow {
  readonly rows: bigint;
  /** Number of rows with known bytes; `bytes` is their sum. */
  readonly sizedRows: bigint;
  readonly bytes: bigint;
  readonly lastAt: Micros;
}

/** A row as the database returns it. */
export type Unread<Row extends PricedRow> = Omit<Row, 'gasPrice' | 'importedFee' | 'bytes'> &
  Readonly<Record<'gasPrice' | 'importedFee', string | null>>;

const CLASS_OF_ROW = `CASE WHEN r.evidence = ${UNDECIDED} THEN ${RowClass.UNDECIDED}
           WHEN r.node_key IS NULL THEN ${RowClass.RECONSTRUCTED}
           WHEN r.status = 0 AND r.evidence = ${UNREFERENCED} THEN ${RowClass.UNREFERENCED}
           WHEN r.status = 0 THEN ${RowClass.SUCCESS}
           WHEN r.evidence = ${CONFIRMED} THEN ${RowClass.LANDED}
           ELSE ${RowClass.FAILED} END`;

/** SQL: the columns of a {@link PricedRow} but `sizeBytes`, from rows `r` and, if it is joined, `fee`. */
export function pricedColumns(hasFees: boolean): string {
  return `r.piece, r.chain, r.namespace_key AS "namespaceKey", r.kind, r.status, ${CLASS_OF_ROW} AS "rowClass",
      r.gas_price AS "gasPrice", ${hasFees ? 'fee.fee_utia' : 'NULL::numeric'} AS "importedFee",
      r.blob_count::int8 AS "blobCount", r.shares::int8 AS shares, r.signed_shares::int8 AS "signedShares"`;
}

export function pricedRows(hasFees: boolean): string {
  return `FROM r ${hasFees ? 'LEFT JOIN fee ON fee.owner_key = r.owner_key AND fee.row_id = r.row_id' : ''}`;
}

/** SQL that follows the common table expressions with `r` and, if it is joined, `fee`. */
export function groupRows(hasFees: boolean): string {
  return `SELECT ${pricedColumns(hasFees)},
      CASE WHEN r.shares IS NULL OR r.signed_shares IS NULL THEN r.size_bytes END AS "sizeBytes",
      count(*) AS rows, count(r.size_bytes) AS "sizedRows", coalesce(sum(r.size_bytes), 0) AS bytes,
      max(r.time_at) AS "lastAt"
    ${pricedRows(hasFees)}
    GROUP BY 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12`;
}

export function readPricedRow<Row extends Unread<PricedRow>>(
  row: Row,
): Row & Pick<CostFacts, 'gasPrice' | 'importedFee'> {
  const { gasPrice, importedFee } = row;
  return {
    ...row,
    gasPrice: gasPrice === null ? null : readGasPrice(gasPrice),
    importedFee: importedFee === null ? null : BigInt(importedFee),
  };
}

/** Null for an impossible price, which counts as unknown. */
function readGasPrice(text: string): Decimal | null {
  const price = Decimal.parse(text);
  return price && price.compare(MOST_MONEY) <= 0 ? price : null;
}

const BASIS_SUMS = { IMPORTED: 'imported', RECORDED: 'recorded', PRICED: 'priced' } as const;

export function addGroup(sum: OpenStatistic, group: CostGroup, prices: Prices): void {
  const { rowClass, rows } = group;
  if (rowClass === RowClass.RECONSTRUCTED) sum.reconstructed += rows;
  // The attempt behind it, whichever it was, is counted as failed.
  else if (rowClass === RowClass.UNDECIDED) sum.undecided += rows;
  else sum.attempts += rows;
  if (rowClass === RowClass.LANDED) sum.landed += rows;
  if (rowClass === RowClass.UNREFERENCED) sum.unreferenced += rows;
  addGasPrice(sum, group);
  const cost = costOfSubmission(group, prices);
  if (rowClass === RowClass.FAILED) {
    addFailure(sum, rows, cost);
    return;
  }
  addVolume(sum, group);
  addShares(sum, group);
  addCost(sum, group, cost, prices);
}

function addGasPrice(sum: OpenStatistic, { gasPrice, rows, lastAt }: CostGroup): void {
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

function addFailure(sum: OpenStatistic, rows: bigint, { fee }: CostBounds): void {
  sum.failed += rows;
  if (fee === null) sum.failedUnknown += rows;
  else sum.failedFeeMax += fee.max * rows;
}

function addVolume(sum: OpenStatistic, { blobCount, rows, sizedRows, bytes }: CostGroup): void {
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

function addShares(sum: OpenStatistic, group: CostGroup): void {
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
  { rows, rowClass }: CostGroup,
  { gas, fee }: CostBounds,
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
