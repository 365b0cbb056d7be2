import { useMemo } from 'preact/hooks';
import { localText } from '../data/local-time.js';
import { pageZone } from '../data/view.js';
import { bytes, count, decimal, moment, share, timeSpan } from '../data/words.js';
import { Facts } from '../parts/facts.js';
import { Table, type Column } from '../parts/table.js';
import { gasPriceOf, HistoryCharts, isUnwatched, type Buckets } from './history-charts.js';
import { numberOf, type Sent } from './rest.js';

/** A submitting node's statistics of all its submissions, and those on record. */
export interface Stats {
  readonly is_aggregator?: boolean | null;
  readonly history?: Sent & { readonly daily: readonly Sent[]; readonly hourly: readonly Sent[] };
}

const number = (from: Sent, name: string): string => count(numberOf(from[name]));
const time = (from: Sent, name: string): string => timeSpan(numberOf(from[name]));
const partOf = (from: Sent, name: string): Sent => (from[name] ?? {}) as Sent;

function range({ min, max }: Sent): string {
  const [least, most] = [count(numberOf(min)), count(numberOf(max))];
  return least === most || most === 'unknown' ? most : `${least} to ${most}`;
}

/** Figures, charts and tables of the whole record; empty for a node that never submitted anything. */
export function History(given: { readonly stats: Stats; readonly at: string; readonly presentMs: number }) {
  const { stats, at, presentMs } = given;
  const { history } = stats;
  const hours = useMemo<Buckets>(
    () => ({ by: 'hour', lengthS: 3_600, rows: history?.hourly ?? [] }),
    [history],
  );
  const days = useMemo<Buckets>(
    () => ({ by: 'day', lengthS: 86_400, rows: history?.daily ?? [] }),
    [history],
  );
  const total = numberOf(history?.['total_submissions']) ?? 0;
  if (history === undefined || (stats.is_aggregator === false && total === 0)) return null;
  const record = at ? `record up to ${moment(String(history['until']))}` : 'whole record';
  return (
    <>
      <h2>Performance, cost and volume of the {record}</h2>
      <Totals history={history} />
      {[...days.rows, ...hours.rows].every(isUnwatched) ? (
        <p class="quiet">
          No list was seen in the 30 days up to this moment, so there are no charts or tables.
        </p>
      ) : (
        <>
          <h2>Trends</h2>
          <HistoryCharts hours={hours} days={days} presentMs={presentMs} />
          <h2>History</h2>
          <BucketTable title="The last 30 days, by day" buckets={days} />
          <BucketTable title="The last 24 hours, by hour" buckets={hours} />
        </>
      )}
    </>
  );
}

function Totals({ history }: { readonly history: NonNullable<Stats['history']> }) {
  const spread = partOf(history, 'submission_time_ms');
  return (
    <div class="cards">
      <Facts
        title="Performance"
        facts={[
          ['Success rate', share(numberOf(history['success_rate']))],
          ['Failure rate', share(numberOf(history['failure_rate']))],
          ['Average submission time, from block to DA layer', time(history, 'avg_submission_time_ms')],
          ['… p50', time(spread, 'p50')],
          ['… p90', time(spread, 'p90')],
          ['Average time from a failed first attempt to success', time(history, 'avg_retry_time_ms')],
        ]}
      />
      <Facts
        title="Cost"
        facts={[
          ['Gas spent', range(partOf(history, 'total_gas_spent'))],
          ['Fees, utia', range(partOf(history, 'total_fee_utia'))],
          ['Average gas price, last day', decimal(gasPriceOf(history.daily.at(-1) ?? {}))],
          [
            'Counted',
            'The attempts that this node showed. A report by chain adds blobs that only blocks prove, and counts an attempt that several nodes showed once.',
          ],
        ]}
      />
      <Facts
        title="Volume"
        facts={[
          ['Submissions', number(history, 'total_submissions')],
          ['Blobs', number(history, 'total_blobs')],
          ['Bytes', bytes(numberOf(history['total_blob_size']))],
          ['Average blob size', bytes(numberOf(history['avg_blob_size']))],
        ]}
      />
    </div>
  );
}

/** Buckets from the first monitored one on, the newest first. */
function BucketTable(given: { readonly title: string; readonly buckets: Buckets }) {
  const { title, buckets } = given;
  const first = buckets.rows.findIndex((row) => !isUnwatched(row));
  const rows = first < 0 ? [] : buckets.rows.slice(first).toReversed();
  return (
    <Table
      title={`${title}, the newest first${first > 0 ? '; no list was seen before' : ''}`}
      none="No list was seen."
      columns={[
        { name: `${buckets.by === 'day' ? 'Day' : 'Hour'} (${pageZone()})`, cell: startOf },
        ...FIGURES,
        { name: 'Covered', isNumber: true, cell: (row) => share(numberOf(row['coverage'])) },
      ]}
      rows={rows}
    />
  );
}

/** The start of a bucket; only the date for a day that begins at midnight of the zone, which is then the chain's own zone. */
function startOf(row: Sent): string {
  const ms = Date.parse(String(row['time']));
  return Number.isNaN(ms)
    ? 'unknown'
    : localText(ms, pageZone()).slice(0, 16).replace('T', ' ').replace(' 00:00', '');
}

/** A figure of a bucket; unknown where no list was seen. */
const figure = (name: string, cell: (row: Sent) => string): Column<Sent> => ({
  name,
  isNumber: true,
  cell: (row) => (isUnwatched(row) ? 'unknown' : cell(row)),
});
const isNone = (row: Sent, name: string): boolean => numberOf(row[name]) === 0;

const FIGURES: readonly Column<Sent>[] = [
  figure('Submissions', (row) => number(row, 'submissions')),
  figure('Failures', (row) => number(row, 'failures')),
  figure('Success rate', (row) =>
    isNone(row, 'submissions') ? 'none' : share(numberOf(row['success_rate'])),
  ),
  figure('Blobs', (row) => number(row, 'blobs')),
  figure('Blob size', (row) => (isNone(row, 'blobs') ? 'none' : bytes(numberOf(row['avg_blob_size'])))),
  figure('Gas', (row) => range({ min: row['gas_spent_min'], max: row['gas_spent_max'] })),
  figure('Gas price', (row) => decimal(gasPriceOf(row))),
];
