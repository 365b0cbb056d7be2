import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { healthRow, insertRows, markRow, nameChains, nodeRow } from '../support/read-model-rows.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const clock = new ManualClock(NOW);

/** An interval of coverage of a node. */
function coverageRow(node: string, from: string, to: string, position: number, isOpen = false): object {
  return {
    node,
    from_at: from,
    to_at: to,
    available: true,
    ended_by: isOpen ? null : 'SubmissionWindowLost',
    from_position: position,
    to_position: isOpen ? null : position + 1,
  };
}

function claimRow(kind: string, second: number, body: string): string {
  return `('alpha', '${kind}', '2026-11-21T03:00:${String(second).padStart(2, '0')}Z', ${kind === 'health' ? "'healthy'" : 'NULL'}, '${body}', ${second}, ${second + 1})`;
}

describe('chains, coverage, claims, uptime and queues over GraphQL', () => {
  let database: TestDatabase;
  let api: ApiServer;

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { clock, queue: { backend: 'postgres', url: database.url } });
    const { dataSource } = api;
    await insertRows(dataSource, 'lineage', [
      { lineage_key: 1, chain_id: 'lab-1', n: 1, from_position: 1 },
      { lineage_key: 2, chain_id: 'lab-1', n: 2, from_position: 5 },
      { lineage_key: 3, chain_id: 'other', n: 1, from_position: 1 },
    ]);
    await insertRows(dataSource, 'node', [
      nodeRow(1, 'alpha', {
        chain_id: 'lab-1',
        lineage_key: 2,
        head: 90,
        inclusion_frontier: 80,
        aggregator: true,
        last_seen_at: '2026-11-22T12:00:00Z',
      }),
      nodeRow(2, 'beta', { chain_id: 'lab-1', lineage_key: 2, head: 95, inclusion_frontier: 70 }),
      nodeRow(3, 'gamma', { chain_id: 'lab-1', lineage_key: 1, head: 5_000, inclusion_frontier: 5_000 }),
      nodeRow(4, 'delta', { chain_id: 'other', lineage_key: 3 }),
      nodeRow(5, 'epsilon'),
    ]);
    await nameChains(dataSource);
    await dataSource.query(
      `INSERT INTO chain_setting (chain, reporting_time_zone, from_position) VALUES ('lab-1', 'Europe/Berlin', 1)`,
    );
    await insertRows(dataSource, 'coverage_interval', [
      coverageRow('alpha', '2026-11-21T03:00:00Z', '2026-11-21T04:00:00Z', 1),
      coverageRow('alpha', '2026-11-21T05:00:00Z', '2026-11-21T05:00:00Z', 3),
      coverageRow('alpha', '2026-11-21T06:00:00Z', '2026-11-21T07:00:00Z', 5, true),
      coverageRow('beta', '2026-11-21T03:30:00Z', '2026-11-21T04:30:00.5Z', 2, true),
    ] as never);
    await dataSource.query(
      `INSERT INTO claim (node, kind, observed_at, status, body, from_position, to_position) VALUES
       ${[1, 2, 3, 4].map((second) => claimRow('health', second, `{"n": ${second}.50}`)).join(', ')}, ${claimRow('stats', 9, '{"total": 12345678901234567890}')}`,
    );
    await insertRows(dataSource, 'health_interval', [
      healthRow('DA', '2026-11-21T22:00:00Z', '2026-11-21T23:30:00Z', 'HEALTHY'),
      healthRow('DA', '2026-11-21T23:30:00Z', '2026-11-22T00:00:00Z', 'UNKNOWN'),
      healthRow('DA', '2026-11-22T00:00:00Z', '2026-11-22T06:00:00Z', 'CRITICAL'),
      healthRow('DA', '2026-11-22T06:00:00Z', null, 'WARNING'),
      healthRow('DA', '2026-11-22T00:00:00Z', null, 'HEALTHY', { from_position: 0, to_position: 1 }),
    ]);
  });

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });

  it('shows chains with what their nodes show together, on the newest history alone', async () => {
    const { chains } = await api.read<{ chains: unknown }>(
      '{ chains { id head headFloat inclusionFrontier pending reportingTimeZone lineages nodes { id } aggregators { id } } }',
    );
    expect(chains).toEqual([
      {
        id: 'lab-1',
        head: '95',
        headFloat: 95,
        inclusionFrontier: '80',
        pending: '15',
        reportingTimeZone: 'Europe/Berlin',
        lineages: ['lab-1/1', 'lab-1/2'],
        nodes: [{ id: 'alpha' }, { id: 'beta' }, { id: 'gamma' }],
        aggregators: [{ id: 'alpha' }],
      },
      {
        id: 'other',
        head: null,
        headFloat: null,
        inclusionFrontier: null,
        pending: null,
        reportingTimeZone: 'UTC',
        lineages: ['other/1'],
        nodes: [{ id: 'delta' }],
        aggregators: [],
      },
    ]);
    expect(await api.read('{ one: chain(id: "other") { id } none: chain(id: "x") { id } }')).toEqual({
      one: { id: 'other' },
      none: null,
    });
  });

  it('says of which chains something is decided in pages, beside their figures too', async () => {
    const bucket = 'bucket: DAY, timeZone: "UTC", from: "2026-11-21T00:00:00Z", to: "2026-11-22T00:00:00Z"';
    const ask = `{
      chains { id undecidedSince undecidedSteps }
      grouped: statistics(${bucket}, groupBy: [CHAIN], filter: {chains: ["lab-1", "other"]}) { chain decided }
      all: statistics(${bucket}) { decided }
      others: statistics(${bucket}, filter: {chains: ["other"]}) { decided }
      ofNode: statistics(${bucket}, filter: {nodes: ["alpha"]}) { decided }
      ofOther: statistics(${bucket}, filter: {nodes: ["delta"]}) { decided }
      costs: costReport(${bucket}, groupBy: [CHAIN]) { chain decided }
    }`;
    type Answer = Record<string, { id?: string; chain?: string | null; decided?: boolean }[]>;
    const undecidedOf = async (): Promise<unknown> => {
      const { chains, ...reports } = await api.read<Answer>(ask);
      const rows = Object.entries(reports).flatMap(([report, each]) =>
        each.map((row) => ({ report, ...row })),
      );
      expect(new Set(rows.map(({ report }) => report)).size).toBe(6);
      const open = rows.filter(({ decided }) => !decided);
      return [chains, open.map(({ report, chain }) => `${report} ${chain ?? ''}`)];
    };
    const nothing = { undecidedSince: null, undecidedSteps: 0 };
    const decided = [
      { id: 'lab-1', ...nothing },
      { id: 'other', ...nothing },
    ];
    expect(await undecidedOf()).toEqual([decided, []]);
    await insertRows(api.dataSource, 'record_mark', [
      markRow(1, 'LEAVING', { lineage_key: 1 }),
      markRow(2, 'CHAIN', { chain_id: 'before' }),
      markRow(3, 'READY', { lineage_key: 2 }),
    ]);
    expect(await undecidedOf()).toEqual([
      [{ id: 'lab-1', undecidedSince: '2026-11-22T11:00:00.000Z', undecidedSteps: 3 }, decided[1]],
      ['grouped lab-1', 'all ', 'ofNode ', 'costs lab-1'],
    ]);
    await api.dataSource.query('DELETE FROM record_mark');
    expect(await undecidedOf()).toEqual([decided, []]);
  });

  it.each([
    [
      'node: "alpha"',
      [
        '2026-11-21T03:00:00.000Z',
        '2026-11-21T04:00:00.000Z',
        '2026-11-21T06:00:00.000Z',
        '2026-11-21T07:00:00.000Z',
      ],
    ],
    [
      'chain: "lab-1"',
      [
        '2026-11-21T03:00:00.000Z',
        '2026-11-21T04:30:00.500Z',
        '2026-11-21T06:00:00.000Z',
        '2026-11-21T07:00:00.000Z',
      ],
    ],
    [
      'chain: "lab-1", from: "2026-11-21T04:30:00.5Z"',
      ['2026-11-21T06:00:00.000Z', '2026-11-21T07:00:00.000Z'],
    ],
    ['chain: "lab-1", to: "2026-11-21T06:00:00Z"', ['2026-11-21T03:00:00.000Z', '2026-11-21T04:30:00.500Z']],
    ['chain: "other"', []],
  ])('tells the coverage of (%s), joined where it touches', async (args, times) => {
    const { coverage } = await api.read<{ coverage: { time: string; from: string; to: string }[] }>(
      `{ coverage(${args}) { time from to } }`,
    );
    expect(coverage.flatMap(({ from, to }) => [from, to])).toEqual(times);
    for (const { time, from } of coverage) expect(time).toBe(from);
  });

  it.each([
    ['coverage { from }', 'BAD_USER_INPUT'],
    ['coverage(chain: "lab-1", node: "alpha") { from }', 'BAD_USER_INPUT'],
    ['coverage(chain: "x") { from }', 'NOT_FOUND'],
    ['coverage(node: "x") { from }', 'NOT_FOUND'],
    ['claims(node: "x", kind: STATS) { nodes { body } }', 'NOT_FOUND'],
    ['claims(node: "alpha", kind: STATS, after: "bDEsMQ") { nodes { body } }', 'BAD_USER_INPUT'],
    ['uptime(node: "x", bucket: DAY) { time }', 'NOT_FOUND'],
    ['uptime(node: "alpha", bucket: DAY, timeZone: "Mars") { time }', 'BAD_USER_INPUT'],
    [
      'uptime(node: "alpha", bucket: DAY, from: "2026-11-22T00:00:00Z", to: "2026-11-22T00:00:00Z") { time }',
      'BAD_USER_INPUT',
    ],
    ['uptime(node: "alpha", bucket: HOUR, from: "2020-01-01T00:00:00Z") { time }', 'BAD_USER_INPUT'],
  ])('refuses { %s } with %s', async (query, code) => {
    expect(await api.codesOf(`{ ${query} }`)).toEqual([code]);
  });

  it('pages through claims as they were sent, digit by digit', async () => {
    type Page = {
      claims: {
        nodes: { time: string; body: unknown }[];
        pageInfo: { hasNextPage: boolean; endCursor: string };
      };
    };
    const query = `query ($after: String) { claims(node: "alpha", kind: HEALTH, first: 3, after: $after, from: "2026-11-21T03:00:01Z") {
      nodes { time observedAt status body } pageInfo { hasNextPage endCursor } } }`;
    const first = await api.read<Page>(query);
    const { pageInfo } = first.claims;
    const rest = await api.read<Page>(query, { after: pageInfo.endCursor });
    expect([pageInfo.hasNextPage, rest.claims.pageInfo.hasNextPage]).toEqual([true, false]);
    expect([...first.claims.nodes, ...rest.claims.nodes].map(({ body }) => body)).toEqual([
      { n: 1.5 },
      { n: 2.5 },
      { n: 3.5 },
      { n: 4.5 },
    ]);
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ claims(node: "alpha", kind: STATS) { nodes { status body } } }' }),
    });
    expect(await response.text()).toContain('{"status":null,"body":{"total": 12345678901234567890}}');
  });

  interface Row {
    time: string;
    healthyMs: string;
    warningMs: string;
    criticalMs: string;
    unknownMs: string;
    unknownMsFloat: number;
    uptime: number | null;
  }
  const ask = async (args: string): Promise<Row[]> =>
    (
      await api.read<{ uptime: Row[] }>(
        `{ uptime(node: "alpha", ${args}) { time healthyMs warningMs criticalMs unknownMs unknownMsFloat uptime } }`,
      )
    ).uptime;
  const HOUR = 3_600_000;

  it('accounts for days of the zone of the chain, up to now, and counts no unknown time as up', async () => {
    const rows = await ask('bucket: DAY');
    expect(rows.map(({ time }) => time)).toEqual(['2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z']);
    // Nobody had looked before the last hour of the first day.
    expect(rows[0]).toMatchObject({ healthyMs: String(HOUR), unknownMs: String(23 * HOUR), uptime: 1 });
    expect(rows[1]).toMatchObject({
      healthyMs: String(HOUR / 2),
      unknownMs: String(HOUR / 2),
      unknownMsFloat: HOUR / 2,
      criticalMs: String(6 * HOUR),
      warningMs: String(6 * HOUR),
      uptime: 6.5 / 12.5,
    });
  });

  it('gives a row for each bucket that was asked for, and none of the time before the first look as known', async () => {
    const rows = await ask('bucket: HOUR, from: "2026-11-21T20:30:00Z", to: "2026-11-21T23:00:00Z"');
    expect(rows.map(({ unknownMs, healthyMs, uptime }) => [unknownMs, healthyMs, uptime])).toEqual([
      [String(HOUR / 2), '0', null],
      [String(HOUR), '0', null],
      ['0', String(HOUR), 1],
    ]);
    const ahead = await ask('bucket: HOUR, from: "2026-11-22T11:30:00Z", to: "2026-11-22T13:30:00Z"');
    expect(ahead.map(({ warningMs, unknownMs }) => [warningMs, unknownMs])).toEqual([
      [String(HOUR / 2), '0'],
      ['0', '0'],
      ['0', '0'],
    ]);
    expect(await ask('component: NODE, bucket: DAY')).toEqual([]);
  });

  it('takes the time in which nobody looks any more as unknown', async () => {
    await api.dataSource.query("UPDATE node SET last_seen_at = '2026-11-22T08:00:00Z' WHERE id = 'alpha'");
    const [row] = await ask('bucket: DAY, from: "2026-11-22T06:00:00Z", timeZone: "UTC"');
    expect(Number(row?.warningMs) + Number(row?.unknownMs)).toBe(6 * HOUR);
    expect(Number(row?.warningMs)).toBeLessThan(2.1 * HOUR);
    expect(row?.uptime).toBe(1);
  });

  it('tells how many jobs stand in each state', async () => {
    const { queues } = await api.read<{ queues: unknown[] }>(
      '{ queues { name backend reachable reason waiting delayed active failed schedules { name } activeJobs { id } } }',
    );
    expect(queues).toEqual([
      {
        name: 'hindsight',
        backend: 'POSTGRES',
        reachable: true,
        reason: null,
        waiting: 0,
        delayed: 0,
        active: 0,
        failed: 0,
        schedules: [],
        activeJobs: [],
      },
    ]);
  });
});
