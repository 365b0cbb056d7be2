import type { DataSource } from 'typeorm';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { inTransaction } from '../../src/platform/sql.js';
import { Decimal } from '../../src/domain/cost/decimal.js';
import { loadPriceBooks } from '../../src/projections/prices/prices.js';
import { OWN_COST_NAMES, STATISTICS_NAMES, type Measured } from '../../src/statistics/read/measures.js';
import { inSnapshot } from '../../src/platform/snapshot.js';
import type { ReportRequest } from '../../src/statistics/read/plan/report-request.js';
import { ReportReader } from '../../src/statistics/read/report.reader.js';
import { readCostLines, type CostLine } from '../../src/statistics/roll-up/cost-lines.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { differences, type Told } from '../support/generated-year/compare.js';
import { TrueCosts } from '../support/generated-year/truth-cost.js';
import type { TrueRow } from '../support/generated-year/truth-rows.js';
import {
  nameOf,
  Truth,
  type Answer,
  type GroupNames,
  type Question,
} from '../support/generated-year/truth.js';
import { TruthZone } from '../support/generated-year/truth-zone.js';
import { feesImportedBefore } from '../support/generated-year/year-fees.js';
import { appendYear, generateYear, type GeneratedYear } from '../support/generated-year/year-log.js';
import { CHAINS, DAY, YEAR_END, YEAR_START } from '../support/generated-year/year-plan.js';
import { ManualClock } from '../support/manual-clock.js';
import { projectAll } from '../support/read-models.js';

/** Other seeds are other years, and denser years take longer; this one contains every possible event. */
const SEED = Number(process.env['YEAR_SEED'] ?? 1);
const DENSITY = Number(process.env['YEAR_DENSITY'] ?? 0.7);
/** The times at which the statistics are updated; later observations of earlier times correct them. */
const STEPS = ['2025-12-15', '2026-01-06', '2026-03-30', '2026-08-05', '2027-01-01'];
/** The step after which the known figures differ from the final ones. */
const BELIEVED = '2026-03-30';
const NOW_MS = YEAR_END + 30 * DAY;
const NEEDED = ['record', 'coverage', 'prices'];

/** A dense year on a busy machine takes minutes to compare. */
const CASE_MS = 300_000;

let database: TestDatabase;
let dataSource: DataSource;
let year: GeneratedYear;
let truth: Truth;
let believed: { truth: Truth; knownAtUs: bigint };

beforeAll(async () => {
  database = await startTestDatabase();
  dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
  year = generateYear(SEED, DENSITY);
  const store = new EventStore(dataSource);
  let from = 0;
  for (const step of STEPS) {
    const later = year.events.findIndex(({ event }) => event.observedAt >= Date.parse(step));
    const to = later === -1 ? year.events.length : later;
    await appendYear(store, year.events.slice(from, to));
    from = to;
    await projectAll(dataSource, NEEDED);
    await rollUp();
    if (step === BELIEVED) believed = await remember(Date.parse(step));
  }
  truth = await Truth.load(dataSource, year, new TrueCosts(feesImportedBefore(Infinity, year.fees)));
}, 300_000);

afterAll(async () => {
  await dataSource?.destroy();
  await database?.stop();
});

async function rollUp(): Promise<void> {
  await new RollUp(dataSource).run();
}

/** The record and the price book at this moment, and the moment of the log. */
async function remember(at: number): Promise<typeof believed> {
  const [row] = await dataSource.query<{ recorded_at: bigint }[]>('SELECT recorded_at FROM log_head');
  const costs = new TrueCosts(feesImportedBefore(at, year.fees), { saidBefore: at });
  return { truth: await Truth.load(dataSource, year, costs), knownAtUs: row?.recorded_at ?? 0n };
}

const us = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;
const zoneOf = (chain: string): string => CHAINS.find(({ id }) => id === chain)?.zone ?? 'UTC';

type Asked = Pick<Question, 'filter' | 'bucket'> & Partial<Question>;

function toQuestion(asked: Asked): Question {
  const wholeYear = { fromUs: BigInt(YEAR_START - DAY) * 1000n, toUs: BigInt(YEAR_END + DAY) * 1000n };
  return { zone: 'UTC', groupBy: [], ...wholeYear, ...asked };
}

function toRequest({ filter, bucket, groupBy, fromUs, toUs, zone }: Question) {
  return { filter, bucket, groupBy, fromUs, toUs, timeZone: zone, nowUs: BigInt(NOW_MS) * 1000n };
}

/** The differences between the statistics or the cost report and the truth. */
async function check(asked: Asked): Promise<string[]> {
  const question = toQuestion(asked);
  const sums = ['lagCount', 'lagSumNs', 'submissionCount', 'submissionSumUs'] as const;
  const names = [...STATISTICS_NAMES, ...sums];
  const rows = await new ReportReader(dataSource).read(toRequest(question), names);
  return [
    ...differences(byName(rows, question), truth.answer(question, 'statistics')),
    ...(await checkCost(question, truth)),
  ];
}

async function checkCost(
  question: Question,
  by: Truth,
  asOf: Partial<ReportRequest> = {},
): Promise<string[]> {
  const request = { ...toRequest(question), ...asOf };
  const rows = await new ReportReader(dataSource).readCosts(request, OWN_COST_NAMES);
  const answer = by.answer(question, 'cost');
  // Answers about past knowledge are compared without coverage.
  const isAsOf = Object.keys(asOf).length > 0;
  return differences(byName(rows, question), isAsOf ? withoutCoverage(answer) : answer);
}

function byName(
  rows: Iterable<GroupNames & { readonly timeUs: bigint }>,
  { groupBy }: Question,
): Map<string, Told> {
  return new Map([...rows].map((row) => [nameOf(row.timeUs, groupBy, row), { ...row }]));
}

function withoutCoverage(answer: Answer): Answer {
  return new Map(
    [...answer].map(([name, figures]) => {
      const { coverage: _, ...others } = figures;
      return [name, others];
    }),
  );
}

it('is a year with every kind of event', () => {
  const count = (isMeant: (row: TrueRow) => boolean): number => truth.submissions.filter(isMeant).length;
  expect(count(() => true)).toBeGreaterThan(8_000 * DENSITY);
  for (const evidence of ['OBSERVED', 'CONFIRMED', 'UNREFERENCED', 'RECONSTRUCTED', 'UNDECIDED']) {
    expect(count((row) => row.evidence === evidence)).toBeGreaterThanOrEqual(10);
  }
  expect(new Set(truth.submissions.map(({ status }) => status)).size).toBe(11);
  expect(count((row) => row.evidence === 'CONFIRMED' && row.status !== 'SUCCESS')).toBeGreaterThan(30);
  expect(count((row) => row.isWild && row.occurredUs !== null)).toBeGreaterThan(30);
  expect(count((row) => row.occurredUs === null)).toBeGreaterThan(30);
  expect(count((row) => row.firstAttemptUs !== null)).toBeGreaterThan(100);
  expect(count((row) => row.blobs === null || row.bytes === null)).toBeGreaterThan(30);
});

it('knows the blobs of nearly all confirmed submissions one by one', () => {
  const confirmed = truth.submissions.filter(({ evidence }) => evidence === 'CONFIRMED');
  const known = confirmed.filter(({ carried }) => carried !== null);
  expect(known.length / confirmed.length).toBeGreaterThan(0.95);
  expect(known.filter(({ carried, blobs }) => BigInt(carried?.length ?? 0) !== blobs)).toEqual([]);
});

describe.each(CHAINS.map(({ id }) => id))('of chain %p', (chain) => {
  const filter = { chains: [chain] };

  it(
    'every figure of every hour is right',
    async () => {
      // Little happens without a reported chain.
      const time = chain === '' ? { toUs: us('2025-11-01T00:00Z') } : {};
      expect(await check({ filter, bucket: 'HOUR', ...time })).toEqual([]);
    },
    CASE_MS,
  );

  it(
    'every figure of every quarter of an hour of a month is right',
    async () => {
      const month = { fromUs: us('2025-10-10T00:00Z'), toUs: us('2025-11-10T00:00Z') };
      expect(await check({ filter, bucket: 'QUARTER_HOUR', ...month })).toEqual([]);
    },
    CASE_MS,
  );

  it.each(['DAY', 'WEEK', 'MONTH', 'YEAR'] as const)(
    'every figure of every %s of its own zone is right',
    async (bucket) => {
      expect(await check({ filter, bucket, zone: zoneOf(chain) })).toEqual([]);
    },
    CASE_MS,
  );
});

describe('of the chain with three nodes', () => {
  const filter = { chains: ['alpha-1'] };
  const zone = zoneOf('alpha-1');
  const [plan] = CHAINS;

  it.each(['alpha-lead', 'alpha-twin', 'alpha-next'])(
    'every figure of the hours of %s is right while monitoring was poor',
    async (id) => {
      const only = { filter: { nodes: [id] }, bucket: 'HOUR' } as const;
      const winter = { fromUs: us('2025-11-08T00:00Z'), toUs: us('2026-02-15T00:00Z') };
      expect(await check({ ...only, ...winter })).toEqual([]);
      const summer = { fromUs: us('2026-03-27T00:00Z'), toUs: us('2026-04-14T00:00Z') };
      expect(await check({ ...only, ...summer })).toEqual([]);
      const autumn = { fromUs: us('2026-07-28T00:00Z'), toUs: us('2026-09-05T00:00Z') };
      expect(await check({ ...only, ...autumn })).toEqual([]);
    },
    CASE_MS,
  );

  it(
    'days are right by node, and by the other groups of submissions',
    async () => {
      for (const groupBy of [
        ['NODE'],
        ['NAMESPACE'],
        ['KIND'],
        ['STATUS'],
        ['NODE', 'KIND', 'STATUS'],
      ] as const) {
        expect(await check({ filter, bucket: 'DAY', groupBy, zone })).toEqual([]);
      }
    },
    CASE_MS,
  );

  it('hours are right by kind and status', async () => {
    const time = { fromUs: us('2026-03-20T00:00Z'), toUs: us('2026-04-10T00:00Z') };
    expect(await check({ filter, bucket: 'HOUR', groupBy: ['KIND', 'STATUS'], ...time })).toEqual([]);
  });

  it('weeks are right for some kinds, statuses, namespaces and nodes only', async () => {
    for (const some of [
      { ...filter, kinds: ['HEADER'] as const },
      { ...filter, statuses: ['SUCCESS', 'OTHER'] as const },
      { namespaces: [plan?.data ?? ''] },
      { nodes: ['alpha-lead', 'alpha-twin'] },
    ]) {
      expect(await check({ filter: some, bucket: 'WEEK', zone })).toEqual([]);
    }
  });

  it(
    'days are right in other zones, whole hours off or not',
    async () => {
      for (const other of ['America/New_York', 'Australia/Lord_Howe', 'America/St_Johns']) {
        expect(await check({ filter, bucket: 'DAY', zone: other })).toEqual([]);
      }
    },
    CASE_MS,
  );

  it('buckets cut by the requested time are right', async () => {
    const winter = { fromUs: us('2025-12-05T10:15Z'), toUs: us('2026-04-20T03:45Z') };
    expect(await check({ filter, bucket: 'MONTH', zone, ...winter })).toEqual([]);
    const change = { fromUs: us('2026-03-29T00:15Z'), toUs: us('2026-03-31T03:45Z') };
    expect(await check({ filter, bucket: 'HOUR', ...change })).toEqual([]);
  });
});

describe('of all chains together', () => {
  it(
    'days, and weeks by chain and by node, are right',
    async () => {
      expect(await check({ filter: {}, bucket: 'DAY' })).toEqual([]);
      expect(await check({ filter: {}, bucket: 'WEEK', groupBy: ['CHAIN'] })).toEqual([]);
      expect(await check({ filter: {}, bucket: 'WEEK', groupBy: ['NODE', 'CHAIN'] })).toEqual([]);
      expect(await check({ filter: {}, bucket: 'DAY', groupBy: ['CHAIN', 'KIND'] })).toEqual([]);
    },
    CASE_MS,
  );

  it(
    'hours that start at half past are right',
    async () => {
      const time = { fromUs: us('2025-12-20T00:00Z'), toUs: us('2026-02-01T00:00Z') };
      const filter = { chains: ['kite-7'] };
      expect(await check({ filter, bucket: 'HOUR', zone: 'Asia/Kolkata', ...time })).toEqual([]);
    },
    CASE_MS,
  );
});

describe.each(CHAINS.filter(({ id }) => id !== ''))('the lines of $id', ({ id, zone }) => {
  it.each(['MONTH', 'YEAR'] as const)('add up to what each %s cost', async (bucket) => {
    const question = toQuestion({ filter: { chains: [id] }, bucket, zone });
    const rows = [...(await new ReportReader(dataSource).readCosts(toRequest(question), TOLD))];
    const lines: CostLine[] = [];
    await inSnapshot(dataSource, async (query) => {
      const { fromUs, toUs } = question;
      const books = await loadPriceBooks(query);
      await readCostLines(query, [{ nodeKey: 0, chain: id, fromUs, toUs }], { books }, (line) =>
        lines.push(line),
      );
    });
    for (const [index, row] of rows.entries()) {
      const endUs = rows[index + 1]?.timeUs ?? question.toUs;
      const some = lines.filter(({ timeAt }) => timeAt >= row.timeUs && timeAt < endUs);
      if (row.submissions === null) expect(some).toEqual([]);
      else expect([row.timeUs, addUp(some)]).toEqual([row.timeUs, toldSums(row)]);
    }
    expect(lines.length).toBeGreaterThan(500);
  });
});

/** The sums of lines: a lower bound, and an upper bound if each line has one. */
function addUp(lines: readonly CostLine[]): Record<string, string | null> {
  const bounds = (name: 'gas' | 'fee'): Record<string, string | null> => {
    const known = lines.flatMap((line) => line[name] ?? []);
    const sum = (side: 'min' | 'max'): string => String(known.reduce((all, each) => all + each[side], 0n));
    const isAll = known.length === lines.length;
    return {
      [`${name}Min`]: known.length > 0 || isAll ? sum('min') : null,
      [`${name}Max`]: isAll ? sum('max') : null,
    };
  };
  const fiat = lines.flatMap((line) => line.fiat ?? []);
  const money = fiat.reduce((all, { min }) => all.plus(min), Decimal.ZERO);
  const isOne = new Set(fiat.map(({ unit }) => unit)).size === 1;
  return {
    submissions: String(lines.length),
    ...bounds('gas'),
    ...bounds('fee'),
    fiatMin: isOne || lines.length === 0 ? money.toString() : null,
  };
}

const TOLD = ['submissions', 'gasMin', 'gasMax', 'feeMin', 'feeMax', 'fiatMin'] as const;

function toldSums(row: Measured<(typeof TOLD)[number]>): Record<string, string | null> {
  return Object.fromEntries(TOLD.map((name) => [name, row[name]?.toString() ?? null]));
}

describe('another price book', () => {
  const months = { bucket: 'MONTH', groupBy: ['CHAIN'] } as const;

  it(
    'of one moment for all time returns what the year would have cost',
    async () => {
      const asOfUs = us('2026-08-01T00:00:00Z');
      const costs = new TrueCosts(feesImportedBefore(Infinity, year.fees), { asOfUs });
      const other = await Truth.load(dataSource, year, costs);
      expect(await checkCost(toQuestion({ filter: {}, ...months }), other, { pricesAsOfUs: asOfUs })).toEqual(
        [],
      );
    },
    CASE_MS,
  );

  it(
    'and the record of an earlier moment return the figures known then',
    async () => {
      const { knownAtUs } = believed;
      const question = toQuestion({ filter: {}, ...months, toUs: us(BELIEVED) });
      expect(await checkCost(question, believed.truth, { knownAtUs })).toEqual([]);
      expect(await checkCost(question, believed.truth)).not.toEqual([]);
    },
    CASE_MS,
  );
});

it('is returned unchanged by GraphQL', async () => {
  const api = await startApi(database.url, { clock: new ManualClock(NOW_MS) });
  try {
    const question = toQuestion({ filter: { chains: ['kite-7'] }, bucket: 'MONTH', zone: zoneOf('kite-7') });
    const times = {
      from: new Date(Number(question.fromUs / 1000n)).toISOString(),
      to: new Date(Number(question.toUs / 1000n)).toISOString(),
    };
    const { statistics, costReport } = await api.read<Record<string, (Told & { time: string })[]>>(
      `query ($from: DateTime, $to: DateTime) {
        statistics(filter: { chains: ["kite-7"] }, bucket: MONTH, from: $from, to: $to) {
          time day month attempts successes failures successRate reconstructed undecided landed unreferenced unreadable blobCount sizeBytes
          averageBlobBytes sharesMin sharesMax gasPriceMin gasPriceLast blocksProduced blocksIncluded transactions
          pendingAtEnd provenLost coverage attemptsFloat
        }
        costReport(filter: { chains: ["kite-7"] }, bucket: MONTH, from: $from, to: $to) {
          time day month submissions gasMin gasMax feeMin feeMax fiatMin fiatUnit failedAttempts failedFeeMax importedShare
          recordedShare pricedShare unknownShare wastedFeeMin coverage feeMinFloat
        }
      }`,
      times,
    );
    const named = (rows: readonly (Told & { time: string })[] = []): Map<string, Told> =>
      new Map(rows.map((row) => [`${us(row.time)} `, row]));
    expect(
      differences(named(statistics), onlyTold(truth.answer(question, 'statistics'), statistics)),
    ).toEqual([]);
    expect(differences(named(costReport), onlyTold(truth.answer(question, 'cost'), costReport))).toEqual([]);
    const months = Array.from({ length: 14 }, (_, index) => new Date(Date.UTC(2025, 8 + index)));
    for (const rows of [statistics, costReport])
      expect(rows?.map(({ day, month }) => [day, month])).toEqual(
        months.map((month) => [null, `${month.toISOString().slice(0, 7)}-01`]),
      );
    for (const row of statistics ?? [])
      expect(row['attemptsFloat']).toBe(row['attempts'] === null ? null : Number(row['attempts']));
  } finally {
    await api.stop();
  }
}, 60_000);

/** The requested figures. */
function onlyTold(answer: Answer, rows: readonly Told[] = []): Answer {
  const [first = {}] = rows;
  return new Map(
    [...answer].map(([name, figures]) => [
      name,
      Object.fromEntries(Object.entries(figures).filter(([figure]) => figure in first)),
    ]),
  );
}

describe.each(CHAINS.filter(({ id }) => id !== ''))('the views of $id', ({ id, zone }) => {
  /** Months that are over, also by the database's clock. */
  const asked = {
    filter: { chains: [id] },
    zone,
    fromUs:
      new TruthZone(zone).bucketsOf(us('2025-10-02T00:00Z'), us('2025-10-03T00:00Z'), 'MONTH')[0]?.startUs ??
      0n,
    toUs:
      new TruthZone(zone).bucketsOf(us('2026-10-02T00:00Z'), us('2026-10-03T00:00Z'), 'MONTH')[0]?.startUs ??
      0n,
  };
  const SUMS = `sum(submissions)::text AS submissions, sum(failed_attempts)::text AS "failedAttempts",
      CASE WHEN sum(submissions) = 0 THEN '0' ELSE trim_scale(sum(fee_min_utia))::text END AS "feeMin",
      CASE WHEN sum(fee_unknown) = 0 THEN trim_scale(sum(fee_max_utia))::text END AS "feeMax"`;
  const startOf = (name: string): bigint => BigInt(name.split(' ')[0] ?? '0');
  const labelOf = (startUs: bigint, size: 'DAY' | 'MONTH'): string =>
    new Intl.DateTimeFormat('sv-SE', { timeZone: zone })
      .format(Number(startUs / 1000n))
      .slice(0, size === 'DAY' ? 10 : 7);

  it.each([
    ['cost_daily', 'day', 'DAY'],
    ['cost_daily', "to_char(day, 'YYYY-MM')", 'MONTH'],
    ['cost_daily', "to_char(month, 'YYYY-MM')", 'MONTH'],
    ['cost_monthly', "to_char(month, 'YYYY-MM')", 'MONTH'],
    ['node_cost_monthly', "to_char(month, 'YYYY-MM')", 'MONTH'],
  ] as const)('%s, added up by %s, return the cost of each %s of the zone', async (view, by, bucket) => {
    const isOfNodes = view.startsWith('node_');
    const rows = await dataSource.query<Record<string, string | null>[]>(
      `SELECT ${by}::text AS label, ${isOfNodes ? 'node' : "''"} AS node, ${SUMS} FROM reporting.${view}
        WHERE chain = $1 AND time >= to_timestamp($2) AND time < to_timestamp($3) GROUP BY 1, 2 HAVING sum(submissions) + sum(failed_attempts) > 0`,
      [id, Number(asked.fromUs / 1_000_000n), Number(asked.toUs / 1_000_000n)],
    );
    const told = new Map(rows.map(({ label, node, ...sums }) => [`${label} ${node}`, sums]));
    const answer = truth.answer(toQuestion({ ...asked, bucket, groupBy: isOfNodes ? ['NODE'] : [] }), 'cost');
    const wanted = [...answer].flatMap(([name, figures]) => {
      const { submissions, failedAttempts, feeMin, feeMax } = figures;
      if (submissions === null || (submissions === '0' && failedAttempts === '0')) return [];
      const key = `${labelOf(startOf(name), bucket)} ${name.split(' ')[1] ?? ''}`;
      return [[key, { submissions, failedAttempts, feeMin, feeMax }] as const];
    });
    expect(wanted.length).toBeGreaterThan(10);
    expect(told).toEqual(new Map(wanted));
  });
});

it('does not change when everything of a chain and its nodes is computed again', async () => {
  const before = await dumpStatistics();
  expect(before.length).toBeGreaterThan(10_000);
  const worker = new RollUp(dataSource);
  await inTransaction(dataSource, (query) => worker.markAll(query, { chain: 'alpha-1' }));
  expect(await worker.hasMarks()).toBe(true);
  await rollUp();
  const after = new Set(await dumpStatistics());
  expect(after.size).toBe(before.length);
  expect(before.filter((row) => !after.has(row)).slice(0, 5)).toEqual([]);
}, 300_000);

async function dumpStatistics(): Promise<string[]> {
  const rows = await dataSource.query<{ row: string }[]>(
    'SELECT s::text AS row FROM statistic s UNION ALL SELECT b::text FROM block_statistic b',
  );
  return rows.map(({ row }) => row);
}
