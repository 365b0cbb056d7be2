import type { Clock } from '../../../platform/clock.js';
import { STATISTICS_NAMES, type StatisticsName } from '../../../statistics/read/measures.js';
import type { ReportRow } from '../../../statistics/read/report.reader.js';
import { type ColumnKind, type MadeColumn, propertyColumn } from '../export-column.js';
import type { ExportReaders } from '../export-readers.js';
import type { ExportTable } from '../export-table.js';
import type { ParameterValues } from '../parameters.js';
import { flagColumns, GROUP_COLUMNS, openReport, REPORT_PARAMETERS, toRequest } from './report.table.js';

type Row = ReportRow<StatisticsName>;

const figures = (kind: ColumnKind, names: readonly StatisticsName[], unit?: string): MadeColumn<Row>[] =>
  names.map((name) => propertyColumn<Row>(name, kind, unit));

/** A column for each number of a distribution. */
function distribution(
  name: string,
  figure: 'inclusionLagMs' | 'submissionTimeMs' | 'blobBytes',
): MadeColumn<Row>[] {
  return (['p50', 'p90', 'p99', 'max', 'count'] as const).map((part) => ({
    name: `${name}_${part}`,
    kind: part === 'count' ? 'INT64' : 'DOUBLE',
    read: (row) => row[figure]?.[part] ?? null,
  }));
}

const COLUMNS: readonly MadeColumn<Row>[] = [
  ...GROUP_COLUMNS,
  ...figures('INT64', ['attempts', 'successes', 'failures']),
  ...figures('DOUBLE', ['successRate']),
  ...figures('INT64', ['reconstructed', 'landed', 'unreferenced', 'unreadable', 'blobCount', 'sizeBytes']),
  ...figures('DOUBLE', ['averageBlobBytes']),
  ...distribution('blob_bytes', 'blobBytes'),
  ...figures('INT64', ['sharesMin', 'sharesMax', 'reconstructedShares']),
  ...figures('DECIMAL', ['gasPriceMin', 'gasPriceMean', 'gasPriceMax', 'gasPriceLast'], '_utia'),
  ...distribution('inclusion_lag_ms', 'inclusionLagMs'),
  ...distribution('submission_time_ms', 'submissionTimeMs'),
  ...figures('INT64', ['blocksProduced', 'blocksIncluded', 'transactions', 'transactionsIncluded']),
  ...figures('INT64', [
    'transactionBytes',
    'transactionBytesIncluded',
    'pendingAtEnd',
    'inclusionFrontierAtEnd',
  ]),
  ...figures('INT64', ['holes', 'provenLost', 'likelyLost']),
  ...figures('INT64', ['undecided', 'blocksMissing']),
];

/** Exports statistics over time. */
export function statisticsTable({ source, reports }: ExportReaders, clock: Clock): ExportTable {
  return {
    checkReport: (values: ParameterValues<typeof REPORT_PARAMETERS>) => void toRequest(values, clock),
    open: async (values: ParameterValues<typeof REPORT_PARAMETERS>, page) => {
      const request = toRequest(values, clock);
      const flags = await flagColumns(source, values, request);
      const rows = await reports.read(request, STATISTICS_NAMES);
      return openReport('statistics', rows, [...COLUMNS, ...flags], page);
    },
  };
}
