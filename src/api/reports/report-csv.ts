import { toGermanText } from '../../domain/statistics/period-text.js';
import type { Micros } from '../../domain/time.js';
import type { ChainReport } from '../../statistics/read/cost/chain-report.reader.js';
import { toCsv, toCsvHeader, type CsvLocale } from '../export/row-writers.js';
import { columnOf, columnsOf, roundShare, toTime, toValue, type ReportValue } from './report-columns.js';

export interface CsvOptions {
  readonly locale: CsvLocale;
  /** Whether a total follows the rows of each chain. Leave it out to sum the rows yourself. */
  readonly totals: boolean;
}

/** Reports as CSV: rows of all chains in one list. */
export function toReportCsv(reports: readonly ChainReport[], { locale, totals }: CsvOptions): string {
  const columns = columnsOf(reports[0] ?? { groupBy: [] });
  const rows = reports.flatMap((report) => {
    const timeText = (us: Micros): string => (locale === 'de' ? toGermanText(us, report.zone) : toTime(us));
    const total = totalOf(report, timeText);
    return [
      ...report.rows.map((row) =>
        columns.map(({ read, readUs }) => (readUs ? timeText(readUs(row, report)) : read(row, report))),
      ),
      ...(totals ? [columns.map(({ name }) => total[name] ?? null)] : []),
    ];
  });
  return toCsvHeader(columns, locale) + toCsv(rows, columns, locale);
}

/** Totals of a chain, by column name; columns without a total stay empty. */
function totalOf(
  { chain, range, total }: ChainReport,
  timeText: (us: Micros) => string,
): Readonly<Record<string, ReportValue>> {
  const time = range && { from: timeText(range.fromUs), to: timeText(range.toUs) };
  return { chain, period: 'total', ...time, ...totalFigures(total) };
}

/** The total of a chain under the names of the columns. */
export function totalFigures(total: ChainReport['total']): Record<string, ReportValue> {
  const figures = TOTAL_FIGURES.map((name) => [columnOf(name), toValue(name, total)]);
  return {
    ...Object.fromEntries(figures),
    coverage: roundShare(total.coverage),
    counted: total.uncounted === 0,
    bytes: toValue('sizeBytes', total),
  };
}

const TOTAL_FIGURES = [
  ...(['submissions', 'sizeBytes', 'feeMin', 'feeMax', 'fiatMin', 'fiatMax', 'fiatUnit'] as const),
  ...(['failedAttempts', 'failedFeeMax', 'unreferenced', 'wastedFeeMax'] as const),
  ...(['importedShare', 'recordedShare', 'pricedShare', 'unknownShare'] as const),
] as const;
