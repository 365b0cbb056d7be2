import type { BillFragment, CostQuery } from '../data/answers.gen.js';
import { hasKey } from '../data/ask.js';
import { PERIODS, type CostChoice } from '../data/period.js';
import { linkTo } from '../data/view.js';
import { bytes, count, moment, money, share, tia } from '../data/words.js';
import { Table } from './table.js';

/** The bill of a period beside the one that it is compared with, and that of each of its buckets. */
export function CostTables(given: {
  readonly answer: CostQuery;
  readonly chain: string;
  readonly choice: CostChoice;
  readonly zone: string;
}) {
  const { answer, chain, choice, zone } = given;
  const { shown, other } = choice;
  const [total, before] = [answer.total[0], answer.other[0]];
  return (
    <>
      <Table
        caption={`${shown.name} beside ${other.name}${shown.toMs > Date.parse(answer.now) ? '; it is not over yet' : ''}`}
        none="Nothing is known of this time."
        columns={['What', shown.name, other.name, 'Change']}
        rows={total === undefined ? [] : billRows(total, before)}
      />
      <Table
        caption="Bucket by bucket"
        none="Nothing is known of this time."
        columns={['From', 'Submissions', 'Fee', 'It rests on', 'Failed attempts', 'Watched']}
        rows={answer.rows.map((row, index) => [
          <a href={linkTo(['chain', chain], rangeOf(answer.rows, index, shown.toMs))}>
            {moment(row.time, zone)}
          </a>,
          count(row.submissionsFloat),
          money(row),
          basisOf(row),
          count(row.failedAttemptsFloat),
          share(row.coverage),
        ])}
      />
      <Exports chain={chain} choice={choice} zone={zone} />
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
];

const LINES: readonly Line[] = [
  ['Fee', money, ({ feeMaxFloat }) => feeMaxFloat],
  ['Fee in TIA', ({ feeMinFloat, feeMaxFloat }) => tia(feeMinFloat, feeMaxFloat)],
  [
    'Submissions',
    ({ submissionsFloat }) => count(submissionsFloat),
    ({ submissionsFloat }) => submissionsFloat,
  ],
  ['Bytes', ({ sizeBytesFloat }) => bytes(sizeBytesFloat), ({ sizeBytesFloat }) => sizeBytesFloat],
  [
    'Fee of a megabyte',
    (bill) => tia(bill.feePerMegabyteMinFloat, bill.feePerMegabyteMaxFloat),
    (bill) => bill.feePerMegabyteMaxFloat,
  ],
  [
    'Fee of a block',
    (bill) => tia(bill.feePerBlockMinFloat, bill.feePerBlockMaxFloat),
    (bill) => bill.feePerBlockMaxFloat,
  ],
  [
    'Fee of a transaction',
    (bill) => tia(bill.feePerTransactionMinFloat, bill.feePerTransactionMaxFloat),
    (bill) => bill.feePerTransactionMaxFloat,
  ],
  ['Part of headers', ({ headerShare }) => share(headerShare)],
  ['Part of data', ({ dataShare }) => share(dataShare)],
  [
    'Failed attempts',
    (bill) => count(bill.failedAttemptsFloat),
    ({ failedAttemptsFloat }) => failedAttemptsFloat,
  ],
  ['They cost, if they were charged', (bill) => tia(null, bill.failedFeeMaxFloat)],
  ['Paid for nothing', (bill) => tia(bill.wastedFeeMinFloat, bill.wastedFeeMaxFloat)],
  ['Fees rest on', basisOf],
  ['Watched', ({ coverage }) => share(coverage)],
];

function billRows(total: Bill, before: BillFragment | undefined): string[][] {
  const { forecastLowFloat, forecastExpectedFloat, forecastHighFloat } = total;
  const rows = LINES.map(([name, tell, pick]) => [
    name,
    tell(total),
    before === undefined ? 'unknown' : tell(before),
    pick && before ? changeOf(pick(before), pick(total)) : '',
  ]);
  // Without a rate the fee is told in TIA already.
  if (total.fiatUnit === null) rows.splice(1, 1);
  if (forecastExpectedFloat === null) return rows;
  const forecast = `${tia(forecastExpectedFloat, forecastExpectedFloat)}, in nine of ten months ${tia(forecastLowFloat, forecastHighFloat)}`;
  return [...rows.slice(0, 1), ['When the month ends, as expected', forecast, '', ''], ...rows.slice(1)];
}

function changeOf(before: number | null, after: number | null): string {
  if (before === null || after === null) return 'unknown';
  if (before === 0) return after === 0 ? 'none' : 'from nothing';
  const change = after / before - 1;
  return `${change < 0 ? '−' : '+'}${CHANGE.format(Math.abs(change))}`;
}

const CHANGE = new Intl.NumberFormat('en-GB', { style: 'percent', maximumFractionDigits: 1 });

/** What fees rest on, by shares of the submissions. */
function basisOf({ importedShare, recordedShare, pricedShare, unknownShare }: BillFragment): string {
  const shares = [
    ['imported', importedShare],
    ['the price that the node reported', recordedShare],
    ['the price book', pricedShare],
    ['nothing: not known', unknownShare],
  ] as const;
  const told = shares.filter(([, part]) => part > 0).map(([name, part]) => `${name} ${share(part)}`);
  return told.length === 0 ? 'no submission' : told.join(', ');
}

/** The same as files. Where a key is needed, a link alone does not do. */
function Exports({
  chain,
  choice,
  zone,
}: {
  readonly chain: string;
  readonly choice: CostChoice;
  readonly zone: string;
}) {
  const { shown, by } = choice;
  const time = { from: new Date(shown.fromMs).toISOString(), to: new Date(shown.toMs).toISOString() };
  const figures = new URLSearchParams({
    ...time,
    chains: chain,
    bucket: PERIODS[shown.size],
    groupBy: by,
    timeZone: zone,
  });
  const lines = new URLSearchParams({ ...time, chains: chain });
  return (
    <p class="tools">
      {['csv', 'ndjson', 'parquet'].map((format) => (
        <a key={format} href={`/export/costs.${format}?${figures}`} download>
          Figures as {format}
        </a>
      ))}
      <a href={`/export/submissions.csv?${lines}`} download>
        Every submission with its fee as csv
      </a>
      {hasKey() && <span class="quiet">Files want the key as the header x-api-key: see /docs.</span>}
    </p>
  );
}
