import type { Micros } from '../domain/time.js';
import { type CsvLocale, toCsv, toCsvHeader } from '../api/export/row-writers.js';
import { toMarkdownText } from '../api/post-mortem/markdown-text.js';
import { toJsonText } from './json.js';
import type { Paint } from './paint.js';
import { columnOf, columnsOf, roundShare, toTime, toValue, type ReportValue } from './report-columns.js';
import type { ChainReport } from './report-data.js';
import { noteReport } from './report-notes.js';
import { toGermanText } from './report-period.js';
import { printReportTable, tableWithin } from './report-table.js';

export const REPORT_FORMATS = ['table', 'csv', 'json', 'markdown'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Prints reports, one per chain; at least one. */
export function printReports(
  reports: readonly ChainReport[],
  format: ReportFormat,
  paint: Paint,
  { locale, totals, width }: PrintOptions,
): string {
  switch (format) {
    case 'table':
      return reports
        .map((report) => printReportTable(report, noteReport(report), { paint, width }))
        .join('\n');
    case 'csv':
      return toCsvFile(reports, { locale, totals });
    case 'json':
      return toJsonText({ chains: reports.map(toJson) });
    case 'markdown':
      return reports.map(toMarkdown).join('\n');
  }
}

interface CsvOptions {
  readonly locale: CsvLocale;
  /** Whether a total follows the rows of each chain. Leave it out to sum the rows yourself. */
  readonly totals: boolean;
}

interface PrintOptions extends CsvOptions {
  /** Characters of a line on the terminal; undefined where nothing limits a table. */
  readonly width?: number | undefined;
}

/** Rows of all chains in one list. */
function toCsvFile(reports: readonly ChainReport[], { locale, totals }: CsvOptions): string {
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

function totalFigures(total: ChainReport['total']): Record<string, ReportValue> {
  const figures = TOTAL_FIGURES.map((name) => [columnOf(name), toValue(name, total)]);
  return {
    ...Object.fromEntries(figures),
    coverage: roundShare(total.coverage),
    counted: total.uncounted === 0,
  };
}

function valuesOf(report: ChainReport): Record<string, ReportValue>[] {
  const columns = columnsOf(report);
  return report.rows.map((row) =>
    Object.fromEntries(columns.map(({ name, read }) => [name, read(row, report)])),
  );
}

const TOTAL_FIGURES = [
  ...(['submissions', 'sizeBytes', 'feeMin', 'feeMax', 'fiatMin', 'fiatMax', 'fiatUnit'] as const),
  ...(['failedAttempts', 'failedFeeMax', 'unreferenced', 'wastedFeeMax'] as const),
  ...(['importedShare', 'recordedShare', 'pricedShare', 'unknownShare'] as const),
] as const;

function toJson(report: ChainReport): object {
  const { chain, zone, bucket, range, extent, total, losses, question } = report;
  const time = (us: Micros | undefined): string | null => (us === undefined ? null : toTime(us));
  return {
    chain,
    timeZone: zone,
    by: bucket,
    from: time(range?.fromUs),
    to: time(range?.toUs),
    recordFrom: time(extent?.fromUs),
    recordTo: time(extent?.lastUs),
    computedAt: time(question.nowUs),
    knownAt: time(question.knownAtUs),
    pricesAsOf: time(question.pricesAsOfUs),
    rows: valuesOf(report),
    total: totalFigures(total),
    losses: {
      holes: losses.holes,
      proven: String(losses.provenLost),
      likely: losses.likelyLost?.toString() ?? null,
    },
    notes: noteReport(report),
  };
}

/** The most columns of a table in Markdown that a page can show. */
const MARKDOWN_COLUMNS = 8;

/** The table for people, without the columns that a page has no room for. */
function toMarkdown(report: ChainReport): string {
  const { columns, total } = tableWithin(report, MARKDOWN_COLUMNS);
  const rows = [...report.rows.map((row) => columns.map(({ read }) => read(row))), total];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `## DA cost of ${toMarkdownText(report.chain)}`,
    '',
    line(columns.map(({ title }) => title)),
    line(columns.map(({ isNumber }) => (isNumber === true ? '---:' : '---'))),
    ...rows.map((cells) => line(cells.map(toMarkdownText))),
    '',
    ...noteReport(report).map((note, index) => `${index + 1}. ${note}`),
    '',
  ].join('\n');
}
