import { Help } from 'commander';
import { Decimal } from '../domain/cost/decimal.js';
import { toPrintable } from '../domain/printable-text.js';
import { nextBucket } from '../domain/statistics/time-buckets.js';
import type { CostTotal } from '../statistics/read/cost/cost-figures.js';
import { formatBytes } from '../platform/bytes.js';
import type { Paint } from './paint.js';
import { toTia } from './report-columns.js';
import type { ChainReport, CostRow } from './report-data.js';
import { toLocalText, toPeriodText, toRangeText } from './report-period.js';
import type { ReportGroup } from '../statistics/read/plan/report-request.js';
import { printTable, type Column } from './table.js';

/** A row, or the total of all rows. */
type Summed = Omit<CostTotal, 'isWhole' | 'rows' | 'uncounted'> &
  Partial<Pick<CostTotal, 'isWhole' | 'uncounted'>> &
  Partial<Pick<CostRow, 'changeToPrevious' | 'counted'>>;
type TableColumn = Column<Summed>;

const ONE = Decimal.of(1n);
const LARGE = new Intl.NumberFormat('en-US');

/** Width of the notes in characters. */
const NOTE_WIDTH = 110;

/** Prints the report of a chain for people: a head, the periods, their sum, and notes. */
export function printReportTable(report: ChainReport, notes: readonly string[], paint: Paint): string {
  return [
    paint('bold', toPrintable(`DA cost of chain ${report.chain}`)),
    ...headOf(report).map((line) => paint('dim', line)),
    '',
    printRows(report, paint),
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
    `${time}, by ${bucket.toLowerCase().replace('_', ' ')}; times in ${zone}`,
    `Computed at ${toLocalText(question.nowUs, zone)}. ${reach}`,
  ];
}

function printRows(report: ChainReport, paint: Paint): string {
  if (report.rows.length === 0) return 'No rows.\n';
  const columns = columnsOf(report);
  const groups = groupTitles(report);
  const period = { title: 'Period', read: (row: CostRow) => periodOf(row, report) };
  const total = ['Total', ...groups.map(() => ''), ...columns.map(({ read }) => read(report.total))];
  return printTable<CostRow>([period, ...groups, ...columns], report.rows, { total, paint });
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

function columnsOf({ total, rows }: ChainReport): TableColumn[] {
  const number = (title: string, read: TableColumn['read']): TableColumn => ({ title, isNumber: true, read });
  const isChange = rows.some(({ changeToPrevious }) => typeof changeToPrevious === 'number');
  const columns: (TableColumn | false)[] = [
    number('Submissions', (row) => toCount(row.submissions, row)),
    number('Data posted', toSize),
    number('Fee (TIA)', (row) => (row.submissions === null ? '' : toSpan(row.feeMin, row.feeMax, toTia))),
    isChange && number('Change', (row) => toChange(row.changeToPrevious)),
    total.fiatUnit !== null &&
      number(`Fee (${total.fiatUnit})`, (row) =>
        row.submissions === null ? '' : toSpan(row.fiatMin, row.fiatMax, toFiatText),
      ),
    { title: 'Basis', read: (row) => (row.submissions ? toBasis(row) : '') },
    number('Failed attempts', (row) => toCount(row.failedAttempts, row)),
    number('Failed, at most (TIA)', (row) =>
      row.failedAttempts ? toSpan(row.failedFeeMax, row.failedFeeMax, toTia) : '',
    ),
    Boolean(total.unreferenced) &&
      number('Wasted (TIA)', (row) =>
        row.unreferenced ? toSpan(row.wastedFeeMin, row.wastedFeeMax, toTia) : '',
      ),
    number('Coverage', (row) => toPercent(row.coverage)),
  ];
  return columns.filter((column) => column !== false);
}

/** Bytes of blobs; "at least" if a part is unknown. */
function toSize(row: Summed): string {
  if (!row.submissions || row.sizeBytes === null) return '';
  return `${row.unreadable !== 0n || isOfPart(row) ? 'at least ' : ''}${formatBytes(row.sizeBytes, 1)}`;
}

/** A count; "at least" if a part is unknown. */
function toCount(count: bigint | null, row: Summed): string {
  if (count === null) return 'unknown';
  return `${isOfPart(row) ? 'at least ' : ''}${LARGE.format(count)}`;
}

/** Whether a part of a total is unknown, or not counted yet. */
function isOfPart({ isWhole, counted, uncounted = 0 }: Summed): boolean {
  return isWhole === false || counted === false || uncounted > 0;
}

/** An amount between bounds; "at least" without an upper bound, "unknown" without any bound. */
export function toSpan(min: Decimal | null, max: Decimal | null, print: (amount: Decimal) => string): string {
  if (min === null) return 'unknown';
  if (max === null) return `at least ${print(min)}`;
  return print(min) === print(max) ? print(min) : `${print(min)} to ${print(max)}`;
}

/** Two decimals; more if two would round a non-zero amount to zero. */
export function toFiatText(amount: Decimal): string {
  for (let digits = 2; ; digits += 2) {
    const rounded = amount.dividedBy(ONE, digits);
    if (amount.isZero() || !rounded.isZero()) return rounded.toString();
  }
}

const BASES = [
  ['importedShare', 'imported'],
  ['recordedShare', 'recorded'],
  ['pricedShare', 'price book'],
  ['unknownShare', 'unknown'],
] as const;

function toBasis(row: Summed): string {
  return BASES.filter(([share]) => row[share] > 0)
    .map(([share, name]) => `${toPercent(row[share])} ${name}`)
    .join(', ');
}

function toChange(change: number | null | undefined): string {
  if (change === null || change === undefined) return '';
  return `${change < 0 ? '' : '+'}${(change * 100).toFixed(1)}%`;
}

/** Never 100% if something is missing, and never 0% if there is something. */
function toPercent(share: number): string {
  if (share <= 0) return '0%';
  if (share >= 1) return '100%';
  return `${Math.min(99.9, Math.max(0.1, Math.round(share * 1_000) / 10))}%`;
}

function printNote(note: string, index: number): string {
  const mark = `${String(index + 1).padStart(2)}. `;
  const lines = new Help().boxWrap(note, NOTE_WIDTH - mark.length).split('\n');
  return mark + lines.join(`\n${' '.repeat(mark.length)}`);
}
