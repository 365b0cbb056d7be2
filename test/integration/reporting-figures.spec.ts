import { Decimal } from '../../src/domain/cost/decimal.js';
import {
  bucketStart,
  bucketStarts,
  localDate,
  nextBucket,
} from '../../src/domain/statistics/time-buckets.js';
import { EventStore } from '../../src/event-log/event-store.js';
import type { ReportRequest } from '../../src/statistics/read/plan/report-request.js';
import { OWN_COST_NAMES, partOf, STATISTICS_NAMES } from '../../src/statistics/read/measures.js';
import { ReportReader } from '../../src/statistics/read/report.reader.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { appendYear, generateYear } from '../support/generated-year/year-log.js';
import { CHAINS, DAY, YEAR_END, YEAR_START } from '../support/generated-year/year-plan.js';
import { useDatabase } from '../support/use-database.js';
import { projectAll } from '../support/read-models.js';

const PATIENCE_MS = 300_000;
const NOW_US = BigInt(YEAR_END + 30 * DAY) * 1000n;
const WHOLE_YEAR = { fromUs: BigInt(YEAR_START - DAY) * 1000n, toUs: BigInt(YEAR_END + DAY) * 1000n };
/** Whole months of a zone that have ended by any clock. */
const wholeMonths = (zone: string): typeof WHOLE_YEAR => ({
  fromUs: bucketStart(BigInt(YEAR_START + DAY) * 1000n, 'MONTH', zone),
  toUs: bucketStart(BigInt(YEAR_END + DAY) * 1000n, 'MONTH', zone),
});
/** More hours than this would be more rows than a report holds. */
const A_MONTH = { fromUs: BigInt(Date.UTC(2026, 2, 1)) * 1000n, toUs: BigInt(Date.UTC(2026, 3, 1)) * 1000n };

type Row = Record<string, unknown>;

/** Columns of the views, and the reader figures that they equal. */
const COST = {
  submissions: 'submissions',
  landed: 'landed',
  size_bytes: 'sizeBytes',
  unreadable: 'unreadable',
  gas_min: 'gasMin',
  gas_max: 'gasMax',
  fee_min_utia: 'feeMin',
  fee_max_utia: 'feeMax',
  known_fee_max_utia: 'knownFeeMax',
  fiat_min: 'fiatMin',
  fiat_max: 'fiatMax',
  fiat_unit: 'fiatUnit',
  failed_attempts: 'failedAttempts',
  failed_fee_max_utia: 'failedFeeMax',
  unreferenced: 'unreferenced',
  wasted_fee_min_utia: 'wastedFeeMin',
  wasted_fee_max_utia: 'wastedFeeMax',
  imported_share: 'importedShare',
  recorded_share: 'recordedShare',
  priced_share: 'pricedShare',
  unknown_share: 'unknownShare',
  coverage: 'coverage',
};
const STATISTICS = {
  attempts: 'attempts',
  successes: 'successes',
  failures: 'failures',
  reconstructed: 'reconstructed',
  undecided: 'undecided',
  landed: 'landed',
  unreferenced: 'unreferenced',
  unreadable: 'unreadable',
  blob_count: 'blobCount',
  size_bytes: 'sizeBytes',
  average_blob_bytes: 'averageBlobBytes',
  shares_min: 'sharesMin',
  shares_max: 'sharesMax',
  reconstructed_shares: 'reconstructedShares',
  gas_price_min_utia: 'gasPriceMin',
  gas_price_max_utia: 'gasPriceMax',
  gas_price_last_utia: 'gasPriceLast',
  coverage: 'coverage',
  inclusion_lag_ms_count: 'inclusionLagMs.count',
  inclusion_lag_ms_max: 'inclusionLagMs.max',
  submission_time_ms_count: 'submissionTimeMs.count',
  submission_time_ms_max: 'submissionTimeMs.max',
  blob_bytes_max: 'blobBytes.max',
};
const BLOCKS = {
  blocks_produced: 'blocksProduced',
  blocks_included: 'blocksIncluded',
  transactions: 'transactions',
  transactions_included: 'transactionsIncluded',
  transaction_bytes: 'transactionBytes',
  transaction_bytes_included: 'transactionBytesIncluded',
};

/** Additional columns of the rows of each size. */
const DATES: Readonly<Record<'HOUR' | 'DAY' | 'MONTH', Readonly<Record<string, string>>>> = {
  HOUR: {},
  DAY: { day: 'day', month: 'month' },
  MONTH: { month: 'month' },
};

const dataSource = useDatabase();

beforeAll(async () => {
  await appendYear(new EventStore(dataSource), generateYear(1, 0.4).events);
  await projectAll(dataSource, ['record', 'coverage', 'prices']);
  await new RollUp(dataSource).run();
}, PATIENCE_MS);

const KEY = ['node', 'namespace', 'kind', 'status'] as const;

/** A value in a form that both sides share: shares to a billionth, exact numbers without trailing zeros. */
function toComparable(value: unknown): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return Math.round(value * 1e9) / 1e9;
  if (typeof value === 'bigint' || value instanceof Decimal) return String(Decimal.read(String(value)));
  if (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value)) return String(Decimal.read(value));
  return value;
}

function byName(
  rows: Iterable<Row>,
  time: string,
  figures: Readonly<Record<string, string>>,
): Map<string, Row> {
  return new Map(
    [...rows].map((row) => [
      [row[time], ...KEY.map((name) => row[name] ?? '')].join(' '),
      Object.fromEntries(
        Object.entries(figures).map(([name, from]) => {
          const [whole = '', part] = from.split('.');
          const value = part === undefined ? row[whole] : (row[whole] as Row | null)?.[part];
          return [name, toComparable(value)];
        }),
      ),
    ]),
  );
}

async function readView(
  view: string,
  chain: string,
  time: typeof WHOLE_YEAR,
  figures: object,
): Promise<Map<string, Row>> {
  const rows = await dataSource.query<Row[]>(
    `SELECT *${'day' in figures ? ', day::text' : ''}${'month' in figures ? ', month::text' : ''}
       FROM reporting.${view} WHERE coalesce(chain, '') = $1 AND time >= to_timestamp($2) AND time < to_timestamp($3)`,
    [chain, Number(time.fromUs / 1_000_000n), Number(time.toUs / 1_000_000n)],
  );
  return byName(rows, 'time', Object.fromEntries(Object.keys(figures).map((name) => [name, name])));
}

type Bucket = 'HOUR' | 'DAY' | 'MONTH';

const timeOf = (bucket: Bucket, zone: string): typeof WHOLE_YEAR =>
  bucket === 'HOUR' ? A_MONTH : bucket === 'DAY' ? WHOLE_YEAR : wholeMonths(zone);

const toRequest = (
  { id, zone }: { id: string; zone: string },
  bucket: Bucket,
  isOfNodes: boolean,
): ReportRequest => ({
  filter: { chains: [id] },
  bucket,
  // A node without a known chain is listed on its own.
  groupBy: ['CHAIN', 'NAMESPACE', 'KIND', 'STATUS', ...(isOfNodes || id === '' ? (['NODE'] as const) : [])],
  ...timeOf(bucket, zone),
  timeZone: bucket === 'HOUR' ? 'UTC' : zone,
  nowUs: NOW_US,
});

describe.each([
  ['chains', ''],
  ['nodes', 'node_'],
])('views of figures of %s', (_, prefix) => {
  const cases = CHAINS.flatMap((chain) => [
    [chain.id, 'daily', 'DAY', chain] as const,
    [chain.id, 'hourly', 'HOUR', chain] as const,
    [chain.id, 'monthly', 'MONTH', chain] as const,
  ]);

  it.each(cases)('of %s, %s, equal the cost report', async (_id, name, bucket, chain) => {
    const request = toRequest(chain, bucket, prefix !== '');
    const figures = { ...COST, ...DATES[bucket] };
    const told = await readView(`${prefix}cost_${name}`, chain.id, timeOf(bucket, chain.zone), figures);
    const reader = new ReportReader(dataSource);
    const rows = (await reader.readCosts(request, OWN_COST_NAMES)) as Iterable<unknown> as Iterable<Row>;
    expect(told.size).toBeGreaterThan(10);
    expect(told).toEqual(byName(rows, 'timeUs', figures));
  });

  it.each(cases)('of %s, %s, equal the statistics', async (_id, name, bucket, chain) => {
    const request = toRequest(chain, bucket, prefix !== '');
    const figures = { ...STATISTICS, ...DATES[bucket] };
    const told = await readView(`${prefix}statistics_${name}`, chain.id, timeOf(bucket, chain.zone), figures);
    const reader = new ReportReader(dataSource);
    const rows = (await reader.read(request, STATISTICS_NAMES)) as Iterable<unknown> as Iterable<Row>;
    expect(told).toEqual(byName(rows, 'timeUs', figures));
  });

  it.each(cases.filter(([id]) => id !== ''))(
    'of %s, %s, equal the statistics of blocks',
    async (_id, name, bucket, chain) => {
      const figures = { ...BLOCKS, ...DATES[bucket] };
      const time = timeOf(bucket, chain.zone);
      const told = await readView(`${prefix}block_statistics_${name}`, chain.id, time, figures);
      const request = toRequest(chain, bucket, prefix !== '');
      const groupBy = request.groupBy?.filter((group) => group === 'CHAIN' || group === 'NODE') ?? [];
      const blocks = STATISTICS_NAMES.filter((measure) => partOf(measure) === 'blocks');
      const rows = await new ReportReader(dataSource).read({ ...request, groupBy }, blocks);
      const withBlocks = [...rows].filter(({ blocksProduced }) => (blocksProduced ?? 0n) > 0n);
      expect(told).toEqual(byName(withBlocks as unknown as Row[], 'timeUs', figures));
      expect(told.size).toBeGreaterThan(10);
    },
  );
});

it.each([
  'Europe/Berlin',
  'America/Havana',
  'Asia/Kolkata',
  'Africa/Cairo',
  'Australia/Lord_Howe',
  'Etc/Nowhere',
])('knows days and months of %s as the program does', async (zone) => {
  const known = zone === 'Etc/Nowhere' ? 'UTC' : zone;
  const [fromUs, toUs] = [BigInt(Date.UTC(2024, 0, 1)) * 1000n, BigInt(Date.UTC(2027, 0, 1)) * 1000n];
  const days = bucketStarts(fromUs, toUs, 'DAY', known, 2_000) ?? [];
  const rows = await dataSource.query<Row[]>(
    `SELECT reporting.clock_at(at, $2)::date::text AS day, reporting.moment_of(reporting.clock_at(at, $2)::date + 1, $2) AS ends,
              reporting.moment_of(date_trunc('month', reporting.clock_at(at, $2)), $2) AS month
         FROM unnest($1::bigint[]) WITH ORDINALITY AS given (seconds, n), to_timestamp(seconds) AS at ORDER BY n`,
    [days.map((us) => String(us / 1_000_000n)), zone],
  );
  expect(rows).toEqual(
    days.map((us) => ({
      day: localDate(us, known),
      ends: nextBucket(us, 'DAY', known),
      month: bucketStart(us, 'MONTH', known),
    })),
  );
});

it('has sums of times that lie between none and as many of the longest', async () => {
  const [row] = await dataSource.query<Row[]>(
    `SELECT count(inclusion_lag_ms_sum)::int AS lags, count(submission_time_ms_sum)::int AS times,
            count(*) FILTER (WHERE inclusion_lag_ms_sum NOT BETWEEN 0 AND inclusion_lag_ms_max::numeric * inclusion_lag_ms_count * 1.001
                                OR submission_time_ms_sum NOT BETWEEN submission_time_ms_max::numeric * 0.999
                                                          AND submission_time_ms_max::numeric * submission_time_ms_count * 1.001)::int AS wrong
       FROM reporting.statistics_daily`,
  );
  expect(row).toMatchObject({ wrong: 0 });
  expect(Math.min(Number(row?.['lags']), Number(row?.['times']))).toBe(278);
});

it('adds up to what all chains together have', async () => {
  const [sum] = await dataSource.query<Row[]>(
    'SELECT sum(attempts) AS attempts, sum(undecided) AS undecided, sum(blob_count) AS "blobCount" FROM reporting.statistics_daily',
  );
  const figures = ['attempts', 'undecided', 'blobCount'] as const;
  // A node without a known chain is listed on its own.
  const request = { filter: {}, bucket: 'YEAR', groupBy: [], timeZone: 'UTC', nowUs: NOW_US } as const;
  const rows = await new ReportReader(dataSource).read(request, figures);
  const told = figures.map((name) => [...rows].reduce((all, row) => all + (row[name] ?? 0n), 0n));
  expect(figures.map((name) => BigInt(String(sum?.[name])))).toEqual(told);
  expect(told[1]).toBe(21n);
});
