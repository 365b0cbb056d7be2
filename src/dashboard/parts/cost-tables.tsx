import type { ComponentChildren } from 'preact';
import type { BillFragment, CostQuery } from '../data/answers.gen.js';
import type { CostChoice } from '../data/period.js';
import { linkTo } from '../data/view.js';
import { bytes, count, moment, money, share, tia } from '../data/words.js';
import type { BudgetLine } from '../charts/added-up.js';
import { Exactly } from './exactly.js';
import { CostFiles } from './cost-files.js';
import { Table } from './table.js';

/** The bill of a period next to that of the compared period, and the bill of each of its buckets. */
export function CostTables(given: {
  readonly answer: CostQuery;
  readonly chain: string;
  readonly choice: CostChoice;
  /** Budgets for a period of this size. */
  readonly budgets: readonly BudgetLine[];
  readonly zone: string;
}) {
  const { answer, chain, choice, budgets, zone } = given;
  const { shown, other } = choice;
  const [total, before] = [answer.total[0], answer.other[0]];
  return (
    <>
      <Table
        stacks
        caption={`${shown.name} compared with ${other.name}${shown.toMs > Date.parse(answer.now) ? '; not over yet' : ''}`}
        none="No data for this time."
        columns={['What', shown.name, other.name, 'Change']}
        rows={total === undefined ? [] : billRows(total, before, budgets)}
      />
      <Table
        stacks
        caption="Bucket by bucket"
        none="No data for this time."
        columns={['From', 'Submissions', 'Fee', 'Basis', 'Failed attempts', 'Covered']}
        rows={answer.rows
          .filter(({ time }) => time < answer.now)
          .map((row, index) => [
            <a href={linkTo(['chain', chain], rangeOf(answer.rows, index, shown.toMs))}>
              {moment(row.time, zone)}
            </a>,
            count(row.submissionsFloat),
            <Exactly short={money(row)} exact={inUtia(row)} />,
            basisOf(row),
            count(row.failedAttemptsFloat),
            share(row.coverage),
          ])}
      />
      <CostFiles chain={chain} choice={choice} zone={zone} />
    </>
  );
}

function rangeOf(rows: CostQuery['rows'], index: number, endMs: number): { from: string; to: string } {
  const end = new Date(endMs).toISOString();
  return { from: rows[index]?.time ?? end, to: rows[index + 1]?.time ?? end };
}

type Bill = CostQuery['total'][number];
type Line = readonly [
  name: string,
  tell: (bill: BillFragment) => string,
  pick?: (bill: BillFragment) => number | null,
  exact?: (bill: BillFragment) => string,
];

const LINES: readonly Line[] = [
  ['Fee', money, ({ feeMaxFloat }) => feeMaxFloat, inUtia],
  [
    'Fee in TIA',
    ({ feeMinFloat, feeMaxFloat }) => tia(feeMinFloat, feeMaxFloat),
    ({ feeMaxFloat }) => feeMaxFloat,
    inUtia,
  ],
  [
    'Submissions',
    ({ submissionsFloat }) => count(submissionsFloat),
    ({ submissionsFloat }) => submissionsFloat,
  ],
  [
    'Bytes',
    ({ sizeBytesFloat }) => bytes(sizeBytesFloat),
    ({ sizeBytesFloat }) => sizeBytesFloat,
    ({ sizeBytesFloat }) => `${count(sizeBytesFloat)} bytes`,
  ],
  [
    'Fee per megabyte',
    (bill) => tia(bill.feePerMegabyteMinFloat, bill.feePerMegabyteMaxFloat),
    (bill) => bill.feePerMegabyteMaxFloat,
  ],
  [
    'Fee per block',
    (bill) => tia(bill.feePerBlockMinFloat, bill.feePerBlockMaxFloat),
    (bill) => bill.feePerBlockMaxFloat,
  ],
  [
    'Fee per transaction',
    (bill) => tia(bill.feePerTransactionMinFloat, bill.feePerTransactionMaxFloat),
    (bill) => bill.feePerTransactionMaxFloat,
  ],
  ['Share of headers', ({ headerShare }) => share(headerShare)],
  ['Share of data', ({ dataShare }) => share(dataShare)],
  [
    'Failed attempts',
    (bill) => count(bill.failedAttemptsFloat),
    ({ failedAttemptsFloat }) => failedAttemptsFloat,
  ],
  ['Cost of failed attempts, if charged', (bill) => tia(null, bill.failedFeeMaxFloat)],
  ['Wasted', (bill) => tia(bill.wastedFeeMinFloat, bill.wastedFeeMaxFloat)],
  ['Basis of fees', basisOf],
  ['Covered', ({ coverage }) => share(coverage)],
];

function billRows(
  total: Bill,
  before: BillFragment | undefined,
  budgets: readonly BudgetLine[],
): ComponentChildren[][] {
  const { forecastLowFloat, forecastExpectedFloat, forecastHighFloat } = total;
  const rows: ComponentChildren[][] = LINES.map(([name, tell, pick, exact]) => [
    name,
    exact ? <Exactly short={tell(total)} exact={exact(total)} /> : tell(total),
    before === undefined ? (
      'unknown'
    ) : exact ? (
      <Exactly short={tell(before)} exact={exact(before)} />
    ) : (
      tell(before)
    ),
    pick && before ? changeOf(pick(before), pick(total)) : '',
  ]);
  // Without a rate the fee is already shown in TIA.
  if (total.fiatUnit === null) rows.splice(1, 1);
  const limits = budgets.map((budget) => budgetRow(budget, total));
  if (forecastExpectedFloat === null) return [...rows.slice(0, 1), ...limits, ...rows.slice(1)];
  const forecast = `${tia(forecastExpectedFloat, forecastExpectedFloat)}, in nine of ten months ${tia(forecastLowFloat, forecastHighFloat)}`;
  const whole = ['Forecast for the month', forecast, '', ''];
  return [...rows.slice(0, 1), ...limits, whole, ...rows.slice(1)];
}

/** A budget, and how much of it is used. */
function budgetRow({ rule, amountFloat, unit }: BudgetLine, total: Bill): string[] {
  const [least, most] =
    unit === 'TIA'
      ? [total.feeMinFloat, total.feeMaxFloat].map((utia) => (utia === null ? null : utia / 1e6))
      : [total.fiatMinFloat, total.fiatMaxFloat].map((fiat) => (total.fiatUnit === unit ? fiat : null));
  const used = (spent: number | null | undefined): string | undefined =>
    spent === null || spent === undefined ? undefined : CHANGE.format(spent / amountFloat);
  const [from, to] = [used(least), used(most)];
  const words =
    from === undefined
      ? 'used: unknown'
      : to === from
        ? `used: ${from}`
        : `used: ${from} ${to === undefined ? 'or more' : `to ${to}`}`;
  return [`Budget of ${rule}`, `${count(amountFloat)} ${unit}, ${words}`, '', ''];
}

/** Bounds with all digits. */
function inUtia({ feeMinFloat, feeMaxFloat }: BillFragment): string {
  return `${count(feeMinFloat)} to ${count(feeMaxFloat)} utia`;
}

function changeOf(before: number | null, after: number | null): string {
  if (before === null || after === null) return 'unknown';
  if (before === 0) return after === 0 ? 'none' : 'from nothing';
  const change = after / before - 1;
  return `${change < 0 ? '−' : '+'}${CHANGE.format(Math.abs(change))}`;
}

const CHANGE = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

/** The basis of the fees, by shares of the submissions. */
function basisOf({ importedShare, recordedShare, pricedShare, unknownShare }: BillFragment): string {
  const shares = [
    ['imported', importedShare],
    ['the price reported by the node', recordedShare],
    ['the price book', pricedShare],
    ['none: not known', unknownShare],
  ] as const;
  const told = shares.filter(([, part]) => part > 0).map(([name, part]) => `${name} ${share(part)}`);
  return told.length === 0 ? 'no submission' : told.join(', ');
}
