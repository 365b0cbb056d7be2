import { Decimal } from '../domain/cost/decimal.js';
import { toPrintable } from '../domain/printable-text.js';
import { nextBucket } from '../domain/statistics/time-buckets.js';
import type { CostRowFigures, CostTotal } from '../statistics/read/cost/cost.reader.js';
import type { Paint } from './paint.js';
import { toTia } from './report-columns.js';
import type { ChainReport } from './report-data.js';
import { toLocalText, toPeriodText, toRangeText } from './report-period.js';
import { printTable, type Column } from './table.js';

/** A row, or the total of all rows. */
type Summed = Omit<CostTotal, 'isWhole' | 'rows' | 'uncounted'> &
  Partial<Pick<CostTotal, 'isWhole' | 'uncounted'>> &
  Partial<Pick<CostRowFigures, 'changeToPrevious' | 'counted'>>;
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
    ...notes.flatMap((note, index) => wrap(note, `${String(index + 1).padStart(2)}. `)),
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
  const period = { title: 'Period', read: (row: CostRowFigures) => periodOf(row, report) };
  const total = ['Total', ...groups.map(() => ''), ...columns.map(({ read }) => read(report.total))];
  return printTable<CostRowFigures>([period, ...groups, ...columns], report.rows, { total, paint });
}

/** The period, with a mark if only a part of it belongs to the report. */
function periodOf(
  { timeUs, counted }: CostRowFigures,
  { bucket, zone, range, question }: ChainReport,
): string {
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

function groupTitles({ groupBy }: ChainReport): Column<CostRowFigures>[] {
  const all = {
    NODE: { title: 'Node', read: ({ node }: CostRowFigures) => node ?? '' },
    CHAIN: { title: 'Chain', read: ({ chain }: CostRowFigures) => chain ?? '' },
    NAMESPACE: { title: 'Namespace', read: ({ namespace }: CostRowFigures) => shortName(namespace) },
    KIND: { title: 'Kind', read: ({ kind }: CostRowFigures) => (kind ?? '').toLowerCase() },
    STATUS: { title: 'Status', read: ({ status }: CostRowFigures) => (status ?? '').toLowerCase() },
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
  return [
    number('Submissions', (row) => toCount(row.submissions, row)),
    number('Data posted', (row) =>
      row.submissions && row.sizeBytes !== null
        ? toBytes(row.sizeBytes, row.unreadable !== 0n || isOfPart(row))
        : '',
    ),
    number('Fee (TIA)', (row) =>
      row.submissions === null ? '' : toSpan(row.feeMin, row.feeMax, (fee) => toTia(fee) ?? ''),
    ),
    ...(rows.some(({ changeToPrevious: change }) => typeof change === 'number')
      ? [number('Change', (row) => toChange(row.changeToPrevious))]
      : []),
    ...(total.fiatUnit === null
      ? []
      : [
          number(`Fee (${total.fiatUnit})`, (row) =>
            row.submissions === null ? '' : toSpan(row.fiatMin, row.fiatMax, toFiatText),
          ),
        ]),
    { title: 'Basis', read: (row) => (row.submissions ? toBasis(row) : '') },
    number('Failed attempts', (row) => toCount(row.failedAttempts, row)),
    number('Failed, at most (TIA)', (row) =>
      row.failedAttempts ? (toTia(row.failedFeeMax) ?? 'unknown') : '',
    ),
    ...(total.unreferenced
      ? [
          number('Wasted (TIA)', (row) =>
            row.unreferenced ? toSpan(row.wastedFeeMin, row.wastedFeeMax, (fee) => toTia(fee) ?? '') : '',
          ),
        ]
      : []),
    number('Coverage', (row) => toPercent(row.coverage)),
  ];
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

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

function toBytes(bytes: bigint, isIncomplete: boolean): string {
  let [value, unit] = [Number(bytes), 0];
  while (value >= 1_000 && unit < BYTE_UNITS.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${isIncomplete ? 'at least ' : ''}${unit === 0 ? value : value.toFixed(1)} ${BYTE_UNITS[unit]}`;
}

/** A text in lines of {@link NOTE_WIDTH}, the first with a mark before it. */
function wrap(text: string, mark: string): string[] {
  const lines: string[] = [];
  let line = mark;
  for (const word of text.split(' ')) {
    if (line.length + word.length > NOTE_WIDTH) {
      lines.push(line.trimEnd());
      line = ' '.repeat(mark.length);
    }
    line += `${word} `;
  }
  return [...lines, line.trimEnd()];
}
