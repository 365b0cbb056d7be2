import { Help } from 'commander';
import { toPrintable } from '../../domain/printable-text.js';
import { nextBucket } from '../../domain/statistics/time-buckets.js';
import type { Paint } from '../../platform/paint.js';
import type { ChainReport, CostRow } from '../../statistics/read/cost/chain-report.reader.js';
import { figureColumns, type FigureColumn } from './report-figures.js';
import { toLocalText, toPeriodText, toRangeText, toSizeWords } from '../../domain/statistics/period-text.js';
import type { ReportGroup } from '../../statistics/read/plan/report-request.js';
import { printTable, type Column } from '../../platform/table.js';

/** Width of the notes in characters. */
const NOTE_WIDTH = 110;

interface TableOptions {
  readonly paint: Paint;
  /** Characters of a line; undefined: no limit. */
  readonly width?: number | undefined;
  /** Where all columns are, as the subject of a sentence. */
  readonly whole?: string;
}

/** Prints the report of a chain for people: a head, the periods, their sum, and notes. */
export function printReportTable(
  report: ChainReport,
  notes: readonly string[],
  { paint, width, whole }: TableOptions,
): string {
  return [
    paint('bold', toPrintable(`DA cost of chain ${report.chain}`)),
    ...headOf(report).map((line) => paint('dim', line)),
    '',
    printRows(report, { paint, width, whole }),
    paint('bold', 'Notes'),
    ...notes.map(printNote),
    '',
  ].join('\n');
}

function headOf({ range, extent, zone, bucket, question }: ChainReport): string[] {
  const time = range ? toRangeText(range.fromUs, range.toUs, zone) : 'no time';
  const reach = extent
    ? `The record covers ${toLocalText(extent.fromUs, zone)} to ${toLocalText(extent.lastUs, zone)}.`
    : 'The record is empty.';
  return [
    `${time}, by ${toSizeWords(bucket)}; times in ${zone}`,
    `Computed at ${toLocalText(question.nowUs, zone)}. ${reach}`,
  ];
}

/** Prints the rows with as many columns as fit, and a line that names the others. */
function printRows(
  report: ChainReport,
  { paint, width = Infinity, whole = '--format csv' }: TableOptions,
): string {
  if (report.rows.length === 0) return 'No rows.\n';
  const print = (figures: readonly FigureColumn[], style?: Paint): string => {
    const { columns, total } = tableOf(report, figures);
    return printTable(columns, report.rows, { total, ...(style && { paint: style }) });
  };
  const all = figureColumns(report);
  const choices = narrower(all);
  const fits = (figures: readonly FigureColumn[]): boolean =>
    print(figures)
      .split('\n')
      .every((line) => line.length <= width);
  const shown = choices.find(fits) ?? choices.at(-1) ?? all;
  const left = all.filter((column) => !shown.includes(column)).map(({ title }) => title);
  const note = `Left out for lack of room: ${left.join('; ')}. ${whole} has all columns.\n`;
  return print(shown, paint) + (left.length === 0 ? '' : note);
}

/** All columns, then without the column that is left out first, and so on. */
function narrower(columns: readonly FigureColumn[]): (readonly FigureColumn[])[] {
  const orders = columns.flatMap(({ order }) => order ?? []).toSorted((a, b) => a - b);
  return [0, ...orders].map((last) => columns.filter(({ order = Infinity }) => order > last));
}

interface Table {
  readonly columns: readonly Column<CostRow>[];
  /** Cells of the last line. */
  readonly total: readonly string[];
}

function tableOf(report: ChainReport, figures: readonly FigureColumn[]): Table {
  const period = { title: 'Period', read: (row: CostRow) => periodOf(row, report) };
  return {
    columns: [period, ...groupTitles(report), ...figures],
    total: ['Total', ...report.groupBy.map(() => ''), ...figures.map(({ read }) => read(report.total))],
  };
}

/** The columns of a report with at most `most` columns, as far as columns may be left out, and its total. */
export function tableWithin(report: ChainReport, most: number): Table {
  const tables = narrower(figureColumns(report)).map((figures) => tableOf(report, figures));
  const fitting = tables.find(({ columns }) => columns.length <= most) ?? tables.at(-1);
  return fitting ?? tableOf(report, []);
}

/** The period, with a mark if only a part of it belongs to the report. */
function periodOf({ timeUs, counted }: CostRow, { bucket, zone, range, question }: ChainReport): string {
  const endUs = nextBucket(timeUs, bucket, zone);
  const isCut = range !== undefined && (timeUs < range.fromUs || endUs > range.toUs);
  const isFuture = timeUs > question.nowUs;
  const isOpen = endUs > question.nowUs && (range === undefined || range.toUs > question.nowUs);
  return (
    toPeriodText(timeUs, bucket, zone) +
    (isFuture ? ' (not begun)' : isOpen ? ' (so far)' : isCut ? ' (in part)' : '') +
    (counted || isFuture ? '' : ' (not counted yet)')
  );
}

function groupTitles({ groupBy }: ChainReport): Column<CostRow>[] {
  const all: Readonly<Record<ReportGroup, Column<CostRow>>> = {
    NODE: { title: 'Node', read: ({ node }) => node ?? '' },
    CHAIN: { title: 'Chain', read: ({ chain }) => chain ?? '' },
    NAMESPACE: { title: 'Namespace', read: ({ namespace }) => shortName(namespace) },
    KIND: { title: 'Kind', read: ({ kind }) => (kind ?? '').toLowerCase() },
    STATUS: { title: 'Status', read: ({ status }) => (status ?? '').toLowerCase() },
  };
  return groupBy.map((group) => all[group]);
}

/** The last ten digits distinguish namespaces. */
function shortName(namespace: string | null): string {
  if (namespace === null) return 'none';
  return namespace.length > 10 ? `…${namespace.slice(-10)}` : namespace;
}

function printNote(note: string, index: number): string {
  const mark = `${String(index + 1).padStart(2)}. `;
  const lines = new Help().boxWrap(note, NOTE_WIDTH - mark.length).split('\n');
  return mark + lines.join(`\n${' '.repeat(mark.length)}`);
}
