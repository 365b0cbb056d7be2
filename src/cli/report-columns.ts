import { Decimal } from '../domain/cost/decimal.js';
import { nextBucket } from '../domain/statistics/time-buckets.js';
import type { ReportGroup } from '../statistics/read/plan/report-request.js';
import { isUnknown, type ChainReport, type ReportLine } from './report-data.js';
import { toPeriodText } from './report-period.js';

/** A value of a report for machines: exact numbers as text, shares as numbers. */
export type ReportValue = string | number | null;

interface ReportColumn {
  readonly name: string;
  readonly read: (row: ReportLine, report: ChainReport) => ReportValue;
}

const UTIA_PER_TIA = Decimal.of(1_000_000n);

/** utia as TIA, all six digits; null where it is not known. */
export function toTia(utia: Decimal | null): string | null {
  if (utia === null) return null;
  const [whole = '0', decimals = ''] = utia.dividedBy(UTIA_PER_TIA, 6).toString().split('.');
  return `${whole}.${decimals.padEnd(6, '0')}`;
}

function toTime(us: bigint): string {
  return new Date(Number(us / 1_000n)).toISOString();
}

const text = (value: bigint | Decimal | null | undefined): string | null =>
  value === null || value === undefined ? null : String(value);

const integer = (name: string, of: (row: ReportLine) => bigint | null): ReportColumn => ({
  name,
  read: (row) => (isUnknown(row) ? null : text(of(row))),
});
const tia = (name: string, of: (row: ReportLine) => Decimal | null | undefined): ReportColumn => ({
  name,
  read: (row) => toTia(of(row) ?? null),
});
const share = (name: string, of: (row: ReportLine) => number | null | undefined): ReportColumn => ({
  name,
  read: (row) => of(row) ?? null,
});

/** All that a report tells of a row, under the names that CSV, JSON and Markdown give it. */
const COLUMNS: readonly ReportColumn[] = [
  { name: 'chain', read: (_row, { chain }) => chain },
  { name: 'period', read: ({ timeUs }, { bucket, zone }) => toPeriodText(timeUs, bucket, zone) },
  { name: 'from', read: ({ timeUs }) => toTime(timeUs) },
  { name: 'to', read: ({ timeUs }, { bucket, zone }) => toTime(nextBucket(timeUs, bucket, zone)) },
  { name: 'node', read: ({ node }) => node },
  { name: 'namespace', read: ({ namespace }) => namespace },
  { name: 'kind', read: ({ kind }) => kind },
  { name: 'status', read: ({ status }) => status },
  integer('submissions', (row) => row.submissions),
  integer('landed', (row) => row.landed),
  integer('bytes', (row) => row.sizeBytes),
  integer('unreadable', (row) => row.unreadable),
  integer('gas_min', (row) => row.gasMin),
  integer('gas_max', (row) => row.gasMax),
  tia('fee_min_tia', (row) => row.feeMin),
  tia('fee_max_tia', (row) => row.feeMax),
  { name: 'fiat_min', read: (row) => text(row.fiatMin) },
  { name: 'fiat_max', read: (row) => text(row.fiatMax) },
  { name: 'fiat_unit', read: (row) => row.fiatUnit },
  share('imported_share', (row) => row.importedShare),
  share('recorded_share', (row) => row.recordedShare),
  share('priced_share', (row) => row.pricedShare),
  share('unknown_share', (row) => row.unknownShare),
  integer('failed_attempts', (row) => row.failedAttempts),
  tia('failed_fee_max_tia', (row) => row.failedFeeMax),
  integer('unreferenced', (row) => row.unreferenced),
  tia('wasted_fee_min_tia', (row) => row.wastedFeeMin),
  tia('wasted_fee_max_tia', (row) => row.wastedFeeMax),
  share('header_share', (row) => row.headerShare),
  share('data_share', (row) => row.dataShare),
  tia('fee_per_block_max_tia', (row) => row.feePerBlockMax),
  tia('fee_per_transaction_max_tia', (row) => row.feePerTransactionMax),
  tia('fee_per_megabyte_max_tia', (row) => row.feePerMegabyteMax),
  share('change_to_previous', (row) => row.changeToPrevious),
  tia('forecast_low_tia', (row) => row.forecastLow),
  tia('forecast_expected_tia', (row) => row.forecastExpected),
  tia('forecast_high_tia', (row) => row.forecastHigh),
  share('coverage', (row) => row.coverage),
];

/** Columns that have something to tell only where rows are told apart so. */
const COLUMN_OF_GROUP: Readonly<Record<string, ReportGroup>> = {
  node: 'NODE',
  namespace: 'NAMESPACE',
  kind: 'KIND',
  status: 'STATUS',
};

/** The columns of a report, without those of groups that it does not tell apart. */
export function columnsOf({ groupBy }: Pick<ChainReport, 'groupBy'>): ReportColumn[] {
  return COLUMNS.filter(({ name }) => {
    const group = COLUMN_OF_GROUP[name];
    return group === undefined || groupBy.includes(group);
  });
}
