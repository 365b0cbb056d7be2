import { stringify } from 'csv-stringify/sync';
import { toSpreadsheet } from '../api/export/row-writers.js';
import { toPrintable, toPrintableJson } from '../domain/printable-text.js';
import type { Micros } from '../domain/time.js';
import { COST_FIGURES } from '../statistics/read/figures.js';
import type { Paint } from './paint.js';
import { columnsOf, toTime, toValue, type ReportValue } from './report-columns.js';
import type { ChainReport } from './report-data.js';
import { noteReport } from './report-notes.js';
import { printReportTable } from './report-table.js';

/** How a report can be printed. */
export const REPORT_FORMATS = ['table', 'csv', 'json', 'markdown'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];

/** Prints reports, one for each chain. There is at least one. */
export function printReports(reports: readonly ChainReport[], format: ReportFormat, paint: Paint): string {
  switch (format) {
    case 'table':
      return reports.map((report) => printReportTable(report, noteReport(report), paint)).join('\n');
    case 'csv':
      return toCsv(reports);
    case 'json':
      return `${toPrintableJson(JSON.stringify({ chains: reports.map(toJson) }, undefined, 2))}\n`;
    case 'markdown':
      return reports.map(toMarkdown).join('\n');
  }
}

/** Rows of all chains in one list, without sums, which a spreadsheet would add to them. */
function toCsv(reports: readonly ChainReport[]): string {
  const rows = reports.flatMap(valuesOf);
  const columns = columnsOf(reports[0] ?? { groupBy: [] }).map(({ name }) => name);
  return stringify(rows, { header: true, columns, cast: { string: toSpreadsheet } });
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
    total: {
      ...Object.fromEntries(TOTAL_FIGURES.map((name) => [COST_FIGURES[name].column, toValue(name, total)])),
      coverage: total.coverage,
    },
    losses: {
      holes: losses.holes,
      proven: String(losses.provenLost),
      likely: losses.likelyLost?.toString() ?? null,
    },
    notes: noteReport(report),
  };
}

function toMarkdown(report: ChainReport): string {
  const columns = columnsOf(report);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    `## DA cost of ${toMarkdownText(report.chain)}`,
    '',
    line(columns.map(({ name }) => name)),
    line(columns.map(() => '---')),
    ...report.rows.map((row) => line(columns.map(({ read }) => toMarkdownText(read(row, report))))),
    '',
    ...noteReport(report).map((note, index) => `${index + 1}. ${note}`),
    '',
  ].join('\n');
}

/** A value as plain text of a Markdown document: it makes no cell, code, tag, link, emphasis or mention of its own. */
function toMarkdownText(value: ReportValue): string {
  return toPrintable(String(value ?? ''))
    .replace(/[\\|`<>[\]*_~&@]/g, '\\$&')
    .replace(/:(?=\/\/)|(?<=\bwww)\./gi, '\\$&');
}
