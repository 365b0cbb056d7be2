import { Decimal } from '../../domain/cost/decimal.js';
import { formatBytes } from '../../platform/bytes.js';
import type { CostTotal } from '../../statistics/read/cost/cost-figures.js';
import { toTia } from './report-columns.js';
import type { ChainReport, CostRow } from '../../statistics/read/cost/chain-report.reader.js';
import type { Column } from '../../platform/table.js';

/** A row, or the total of all rows. */
type Summed = Omit<CostTotal, 'isWhole' | 'rows' | 'uncounted'> &
  Partial<Pick<CostTotal, 'isWhole' | 'uncounted'>> &
  Partial<Pick<CostRow, 'changeToPrevious' | 'counted'>>;
/** A figure of a report for people. `order`: when the column is left out for lack of room, 1 first; never if undefined. */
export type FigureColumn = Column<Summed> & { readonly order?: number };

const ONE = Decimal.of(1n);
const LARGE = new Intl.NumberFormat('en-US');

/** The columns of figures, for a report with rows. */
export function figureColumns({ total, rows }: ChainReport): FigureColumn[] {
  const number = (title: string, read: FigureColumn['read']): FigureColumn => ({
    title,
    isNumber: true,
    read,
  });
  const isChange = rows.some(({ changeToPrevious }) => typeof changeToPrevious === 'number');
  const columns: (FigureColumn | false)[] = [
    number('Submissions', (row) => toCount(row.submissions, row)),
    { ...number('Data posted', toSize), order: 5 },
    number('Fee (TIA)', (row) => (row.submissions === null ? '' : toSpan(row.feeMin, row.feeMax, toTia))),
    isChange && { ...number('Change', (row) => toChange(row.changeToPrevious)), order: 1 },
    total.fiatUnit !== null &&
      number(`Fee (${total.fiatUnit})`, (row) =>
        row.submissions === null ? '' : toSpan(row.fiatMin, row.fiatMax, toFiatText),
      ),
    { title: 'Basis', read: (row) => (row.submissions ? toBasis(row) : ''), order: 4 },
    number('Failed attempts', (row) => toCount(row.failedAttempts, row)),
    {
      ...number('Failed, at most (TIA)', (row) =>
        row.failedAttempts ? toSpan(row.failedFeeMax, row.failedFeeMax, toTia) : '',
      ),
      order: 2,
    },
    Boolean(total.unreferenced) && {
      ...number('Wasted (TIA)', (row) =>
        row.unreferenced ? toSpan(row.wastedFeeMin, row.wastedFeeMax, toTia) : '',
      ),
      order: 3,
    },
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
