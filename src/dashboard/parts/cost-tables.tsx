import type { BillFragment } from '../data/answers.gen.js';
import type { CostAnswer } from '../data/use-cost.js';
import { isUnknown } from '../charts/added-up.js';
import { basisOf, changeOf, feeChangeOf, inUtia } from '../data/bill.js';
import { bucketName, isRunningAt, PERIODS } from '../data/period.js';
import { linkTo } from '../data/view.js';
import { bytes, count, inWords, money, share, sharesOf, shortNamespace, tia } from '../data/words.js';
import type { CostShown } from './cost-figure.js';
import { CostFiles } from './cost-files.js';
import { Exactly } from './exactly.js';
import { Table, type Column } from './table.js';

interface BillLine {
  readonly name: string;
  readonly format: (bill: BillFragment) => string;
  /** The figure whose change is shown. */
  readonly pick?: (bill: BillFragment) => number | null;
  readonly exact?: (bill: BillFragment) => string;
}

const LINES: readonly BillLine[] = [
  { name: 'Fee', format: ({ feeMinFloat, feeMaxFloat }) => tia(feeMinFloat, feeMaxFloat), exact: inUtia },
  {
    name: 'Fee in currency',
    format: (bill) => (bill.fiatUnit === null ? 'unknown' : money(bill)),
    pick: ({ fiatMaxFloat }) => fiatMaxFloat,
  },
  {
    name: 'Submissions',
    format: (bill) => count(bill.submissionsFloat),
    pick: (bill) => bill.submissionsFloat,
  },
  {
    name: 'Bytes',
    format: ({ sizeBytesFloat }) => bytes(sizeBytesFloat),
    pick: ({ sizeBytesFloat }) => sizeBytesFloat,
    exact: ({ sizeBytesFloat }) => `${count(sizeBytesFloat)} bytes`,
  },
  {
    name: 'Fee per MB',
    format: (bill) => tia(bill.feePerMegabyteMinFloat, bill.feePerMegabyteMaxFloat),
    pick: (bill) => bill.feePerMegabyteMaxFloat,
  },
  {
    name: 'Fee per block',
    format: (bill) => tia(bill.feePerBlockMinFloat, bill.feePerBlockMaxFloat),
    pick: (bill) => bill.feePerBlockMaxFloat,
  },
  {
    name: 'Fee per transaction',
    format: (bill) => tia(bill.feePerTransactionMinFloat, bill.feePerTransactionMaxFloat),
    pick: (bill) => bill.feePerTransactionMaxFloat,
  },
  { name: 'Header share', format: (bill) => kindShares(bill)[0] ?? 'unknown' },
  { name: 'Data share', format: (bill) => kindShares(bill)[1] ?? 'unknown' },
  {
    name: 'Failed attempts',
    format: (bill) => count(bill.failedAttemptsFloat),
    pick: (bill) => bill.failedAttemptsFloat,
  },
  {
    name: 'Fees of failed attempts, if charged',
    format: ({ failedFeeMaxFloat: most }) => tia(most === 0 ? 0 : null, most),
  },
  {
    name: 'Fees without a block',
    format: (bill) => tia(bill.wastedFeeMinFloat, bill.wastedFeeMaxFloat),
  },
  { name: 'Covered', format: ({ coverage }) => share(coverage) },
];

/** The shares of headers and of data; empty when they are unknown. */
function kindShares({ headerShare, dataShare }: BillFragment): string[] {
  if (headerShare === null || dataShare === null) return [];
  return sharesOf([headerShare, dataShare, Math.max(0, 1 - headerShare - dataShare)]);
}

/** The bill of a period next to that of the compared period. */
export function BillTable({ answer, choice, presentMs }: CostShown) {
  const { shown, other } = choice;
  const [total, before] = [answer.total[0], answer.other[0]];
  const isRunning = isRunningAt(shown, presentMs);
  const hasFiat = [total, before].some((bill) => bill !== undefined && bill.fiatUnit !== null);
  const lines = LINES.filter(({ name }) => hasFiat || name !== 'Fee in currency');
  const cell = (bill: BillFragment | undefined, { format, exact }: BillLine) =>
    bill === undefined || bill.submissionsFloat === null ? (
      'unknown'
    ) : exact ? (
      <Exactly short={format(bill)} exact={exact(bill)} />
    ) : (
      format(bill)
    );
  const isComparable = before !== undefined && before.submissionsFloat !== null;
  const changeIn = ({ name, pick }: BillLine) =>
    total === undefined || before === undefined
      ? ''
      : name === 'Fee'
        ? feeChangeOf(before, total)
        : pick && changeOf(pick(before), pick(total));
  return (
    <Table
      stacks
      title={`${shown.name} compared with ${other.name}`}
      none="Nothing is recorded of this time."
      rows={total === undefined ? [] : lines}
      columns={[
        { name: 'Figure', cell: ({ name }) => name },
        {
          name: shown.name,
          isNumber: true,
          cell: (line) => cell(total, line),
        },
        isComparable && { name: other.name, isNumber: true, cell: (line) => cell(before, line) },
        isComparable && { name: 'Change', isNumber: true, cell: changeIn },
      ]}
    >
      <p class="quiet">
        {isRunning && isComparable && `${other.name} up to the same point. `}
        {total && `Basis of the fees: ${basisOf(total)}. `}
        {total &&
          isComparable &&
          basisOf(before) !== basisOf(total) &&
          `Basis of ${other.name}: ${basisOf(before)}.`}
        {!isComparable && `Nothing is recorded of ${other.name}${isRunning ? ' to the same point' : ''}.`}
      </p>
    </Table>
  );
}

type BucketRow = CostAnswer['rows'][number];
type PartRow = CostAnswer['partTotals'][number];
const BUCKETS = { HOUR: 'Hour', DAY: 'Day', MONTH: 'Month' } as const;

/** The bill of each hour, day or month of the period, newest first, from the first one of which anything is recorded. */
export function BucketTable({ answer, chain, choice, zone, presentMs }: CostShown) {
  const { shown } = choice;
  const bucket = PERIODS[shown.size];
  const begun = answer.rows.filter(({ time }) => Date.parse(time) < presentMs);
  const first = begun.findIndex(({ submissionsFloat }) => submissionsFloat !== null);
  const recorded = first === -1 ? [] : begun.slice(first).toReversed();
  const hasFiat = recorded.some(({ fiatUnit }) => fiatUnit !== null);
  const endOf = ({ time }: BucketRow): string =>
    answer.rows[answer.rows.findIndex((row) => row.time === time) + 1]?.time ??
    new Date(shown.toMs).toISOString();
  const name = (row: BucketRow): string => bucketName(Date.parse(row.time), bucket, zone);
  return (
    <Table
      stacks
      title={`By ${bucket.toLowerCase()}`}
      none="Nothing is recorded of this time."
      rows={recorded}
      columns={[
        {
          name: BUCKETS[bucket],
          cell: (row) => (
            <a href={linkTo(['chain', chain], { from: row.time, to: endOf(row) })}>{name(row)}</a>
          ),
        },
        { name: 'Submissions', isNumber: true, cell: (row) => count(row.submissionsFloat) },
        FEE,
        hasFiat && {
          name: 'In currency',
          isNumber: true,
          cell: (row) => (row.fiatUnit === null ? 'unknown' : money(row)),
        },
        { name: 'Failed', isNumber: true, cell: (row) => count(row.failedAttemptsFloat) },
        { name: 'Covered', isNumber: true, cell: ({ coverage }) => share(coverage) },
      ]}
    >
      {first > 0 && <p class="quiet">Nothing is recorded before {name(begun[first] as BucketRow)}.</p>}
      <CostFiles chain={chain} choice={choice} zone={zone} />
    </Table>
  );
}

/** The fee of a row, with its exact bounds on hover. */
const FEE: Column<BucketRow | PartRow> = {
  name: 'Fee',
  isNumber: true,
  cell: (row) => (
    <Exactly short={isUnknown(row) ? 'unknown' : tia(row.feeMinFloat, row.feeMaxFloat)} exact={inUtia(row)} />
  ),
};

/** The fees of the period by kind or namespace, the largest first. */
export function PartTable({ answer, choice }: CostShown) {
  const rows = answer.partTotals
    .filter(({ submissionsFloat }) => submissionsFloat !== 0)
    .toSorted((a, b) => (b.knownFeeMaxFloat ?? 0) - (a.knownFeeMaxFloat ?? 0));
  // Unknown as soon as one fee is.
  const shares = sharesOf(rows.map(({ feeMaxFloat }) => feeMaxFloat ?? Number.NaN));
  return (
    <Table
      stacks
      title={choice.by === 'KIND' ? 'By kind' : 'By namespace'}
      none="Nothing is recorded of this time."
      rows={rows}
      columns={[
        {
          name: choice.by === 'KIND' ? 'Kind' : 'Namespace',
          cell: ({ kind, namespace }) =>
            choice.by === 'KIND' ? (
              inWords(kind ?? 'unknown')
            ) : namespace === null ? (
              'none'
            ) : (
              <Exactly short={shortNamespace(namespace)} exact={namespace} />
            ),
        },
        { name: 'Submissions', isNumber: true, cell: (row) => count(row.submissionsFloat) },
        { name: 'Bytes', isNumber: true, cell: (row) => bytes(row.sizeBytesFloat) },
        FEE,
        {
          name: 'Share',
          isNumber: true,
          cell: (row) => shares[rows.indexOf(row)],
        },
      ]}
    />
  );
}
