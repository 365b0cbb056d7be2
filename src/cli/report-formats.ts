import { toMarkdownText } from '../api/post-mortem/markdown-text.js';
import { columnsOf, toTime, type ReportValue } from '../api/reports/report-columns.js';
import { toReportCsv, totalFigures, type CsvOptions } from '../api/reports/report-csv.js';
import { noteReport } from '../api/reports/report-notes.js';
import { printReportTable, tableWithin } from '../api/reports/report-table.js';
import { toSizeName } from '../domain/statistics/period-text.js';
import type { Micros } from '../domain/time.js';
import type { Paint } from '../platform/paint.js';
import type { ChainReport } from '../statistics/read/cost/chain-report.reader.js';
import { toJsonText } from './json.js';

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
      return toReportCsv(reports, { locale, totals });
    case 'json':
      return toJsonText({ chains: reports.map(toJson) });
    case 'markdown':
      return reports.map(toMarkdown).join('\n');
  }
}

interface PrintOptions extends CsvOptions {
  /** Characters of a line on the terminal; undefined where nothing limits a table. */
  readonly width?: number | undefined;
}

function valuesOf(report: ChainReport): Record<string, ReportValue>[] {
  const columns = columnsOf(report);
  return report.rows.map((row) =>
    Object.fromEntries(columns.map(({ name, read }) => [name, read(row, report)])),
  );
}

function toJson(report: ChainReport): object {
  const { chain, zone, bucket, range, extent, total, losses, question } = report;
  const time = (us: Micros | undefined): string | null => (us === undefined ? null : toTime(us));
  return {
    chain,
    timeZone: zone,
    by: toSizeName(bucket),
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
