import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import {
  coverageFoldRow,
  coverageRow,
  healthRow,
  insertRows,
  lossRow,
  turnRow,
  nameChains,
  nodeRow,
  type TableRow,
} from '../support/read-model-rows.js';

const NOW = Date.UTC(2026, 10, 22, 12);
const clock = new ManualClock(NOW);

/** A time on the 21st, by hour and minutes. */
const day = (time: string): string => `2026-11-21T${time}`;
/** A stretch of the day, proven between the first two times and unproven up to the third. */
function stretch(
  node: string,
  number: number,
  from: string,
  to: string,
  until: string | null,
  more: TableRow = {},
): TableRow {
  const ends = { until_at: until === null ? null : day(until), unstated: until === null };
  return coverageRow(node, number, [day(from), day(to)], { ...ends, ...more });
}

function claimRow(kind: string, second: number, body: string): string {
  return `('alpha', '${kind}', '2026-11-21T03:00:${String(second).padStart(2, '0')}Z', ${kind === 'health' ? "'healthy'" : 'NULL'}, '${body}', ${second}, ${second + 1})`;
}

interface Interval {
  readonly time: string;
  readonly from: string;
  readonly to: string;
  readonly lists: number;
}

interface Gap {
  readonly time: string;
  readonly from: string;
  readonly to: string;
  readonly node: string | null;
  readonly open: boolean;
  readonly reason: string;
}

/** `04:30` on the 21st, as GraphQL writes it. */
const timeOf = (time: string): string => `${day(time.padEnd(8, ':00'))}${time.includes('.') ? '' : '.000'}Z`;
/** The inverse. */
const hourOf = (time: string): string => time.slice(11, -1).replace(/(:00)?\.000$/, '');

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
    const noList = { list: null, unstated: false };
    await insertRows(dataSource, 'coverage_interval', [
      stretch('alpha', 0, '03:00:00Z', '04:00:00Z', '05:00:00Z'),
      stretch('alpha', 1, '05:00:00Z', '05:00:00Z', '06:00:00Z'),
      stretch('alpha', 2, '06:00:00Z', '07:00:00Z', null, { after_sequence: 12 }),
      // This node was taken out of the settings.
      stretch('beta', 0, '03:30:00Z', '03:45:00Z', '03:50:00Z'),
      stretch('beta', 1, '03:50:00Z', '04:30:00.5Z', '05:30:00Z'),
      stretch('delta', 0, '03:00:00Z', '08:00:00Z', null, {
        kind: 'NOT_AGGREGATOR',
        ring: 'delta/-',
        ...noList,
      }),
      stretch('epsilon', 0, '04:00:00Z', '04:00:00Z', null, { kind: 'UNSEEN', ring: 'epsilon/-', ...noList }),
    ]);
    const lookedAt = { alpha: '08:00:00Z', beta: '05:30:00Z', delta: '08:00:00Z', epsilon: '08:00:00Z' };
    await insertRows(
      dataSource,
      'coverage_fold',
      Object.entries(lookedAt).map(([node, time]) => coverageFoldRow(node, day(time))),
    );
    await insertRows(dataSource, 'loss', [
      lossRow(7, { kind: 'RESET', after_sequence: 9, from_at: day('04:00:00Z'), to_at: day('05:00:00Z') }),
    ]);
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

  it('show chains with what their nodes report together, on the newest history alone', async () => {
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
    expect(await api.read('{ chain(id: "other") { id } }')).toEqual({ chain: { id: 'other' } });
  });

  it('report which chains have deferred tasks, next to their figures too', async () => {
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
    await insertRows(api.dataSource, 'decision_turn', [
      turnRow(1, 'lab-1'),
      turnRow(2, 'before'),
      turnRow(3, 'lab-1'),
    ]);
    expect(await undecidedOf()).toEqual([
      [{ id: 'lab-1', undecidedSince: '2026-11-22T11:00:00.000Z', undecidedSteps: 2 }, decided[1]],
      ['grouped lab-1', 'all ', 'ofNode ', 'costs lab-1'],
    ]);
    await api.dataSource.query('DELETE FROM decision_turn');
    expect(await undecidedOf()).toEqual([decided, []]);
  });

  it.each([
    ['node: "alpha"', ['03:00', '04:00', '06:00', '07:00']],
    ['node: "beta"', ['03:30', '03:45', '03:50', '04:30:00.500']],
    ['node: "delta"', []],
    ['node: "epsilon"', []],
    // The chain counts while both nodes are there, and while one of them is not there yet, or no longer.
    ['chain: "lab-1"', ['03:00', '03:45', '03:50', '04:00', '06:00', '07:00']],
    ['chain: "lab-1", from: "2026-11-21T03:40:00Z"', ['03:40', '03:45', '03:50', '04:00', '06:00', '07:00']],
    ['chain: "lab-1", to: "2026-11-21T06:30:00Z"', ['03:00', '03:45', '03:50', '04:00', '06:00', '06:30']],
    ['chain: "lab-1", from: "2026-11-21T04:00:00Z", to: "2026-11-21T06:00:00Z"', []],
    ['chain: "other"', []],
  ])(
    'return the coverage of (%s), joined where stretches touch and cut to the requested time',
    async (args, times) => {
      const { coverage } = await api.read<{ coverage: Interval[] }>(
        `{ coverage(${args}) { time from to lists } }`,
      );
      expect(coverage.flatMap(({ from, to }) => [from, to])).toEqual(times.map(timeOf));
      for (const { time, from } of coverage) expect(time).toBe(from);
      const isChain = args.startsWith('chain');
      expect(coverage.every(({ lists, from }) => lists === (isChain && from < timeOf('06:00') ? 2 : 1))).toBe(
        true,
      );
    },
  );

  it.each<[string, readonly string[]]>([
    // Up to the present, which is 12:00 of the next day.
    ['node: "alpha"', ['04:00 06:00 alpha', '07:00 12:00 alpha open']],
    ['node: "beta"', ['03:45 03:50 beta', '04:30:00.500 05:30 beta', '05:30 12:00 beta open']],
    ['node: "delta"', ['03:00 08:00 delta open', '08:00 12:00 delta open']],
    ['node: "epsilon"', ['04:00 12:00 epsilon open']],
    [
      'chain: "lab-1"',
      ['03:45 03:50 beta', '04:00 06:00 alpha', '04:30:00.500 05:30 beta', '07:00 12:00 alpha open'],
    ],
    [
      'chain: "lab-1", from: "2026-11-21T04:45:00Z", to: "2026-11-21T05:15:00Z"',
      ['04:45 05:15 alpha', '04:45 05:15 beta'],
    ],
    // Its only node says that it is no aggregator, so no node is named.
    ['chain: "other"', ['03:00 08:00 null', '08:00 12:00 delta open']],
    // The node has never answered.
    ['node: "gamma", from: "2026-11-21T01:00:00Z"', ['01:00 12:00 gamma open']],
    ['node: "gamma", from: "2026-11-20T01:00:00Z", to: "2026-11-20T02:00:00Z"', ['01:00 02:00 gamma open']],
    // This includes time before the first answer, but not beyond the requested range.
    ['node: "alpha", from: "2026-11-21T01:00:00Z", to: "2026-11-21T02:00:00Z"', ['01:00 02:00 alpha']],
    [
      'chain: "lab-1", from: "2026-11-21T02:00:00Z", to: "2026-11-21T04:30:00Z"',
      ['02:00 03:00 null', '03:45 03:50 beta', '04:00 04:30 alpha'],
    ],
    ['node: "alpha", from: "2026-11-22T12:00:00Z", to: "2026-11-23T12:00:00Z"', []],
  ])('return the uncovered times of (%s), and their node', async (args, expected) => {
    const { coverageGaps } = await api.read<{ coverageGaps: Gap[] }>(
      `{ coverageGaps(${args}) { time from to node open reason } }`,
    );
    const lines = coverageGaps.map(
      ({ from, to, node, open }) => `${hourOf(from)} ${hourOf(to)} ${node}${open ? ' open' : ''}`,
    );
    expect(lines).toEqual(expected);
    for (const { time, from } of coverageGaps) expect(time).toBe(from);
  });

  it('name the reason of uncovered time', async () => {
    const reasons = async (args: string): Promise<string[]> => {
      const { coverageGaps } = await api.read<{ coverageGaps: Gap[] }>(
        `{ coverageGaps(${args}) { reason } }`,
      );
      return coverageGaps.map(({ reason }) => reason);
    };
    expect(await reasons('node: "alpha"')).toEqual([
      'Submissions of alpha may be missing: no poll proves what its list held in this time.',
      'The list of alpha has been out of sight since. The gap ends when the list is seen again, or when alpha is removed from the settings.',
    ]);
    expect(await reasons('node: "delta"')).toEqual([
      expect.stringContaining('delta reports that it is no aggregator'),
      'No later poll of delta is recorded.',
    ]);
    expect((await reasons('node: "beta"')).at(-1)).toBe('Not monitored: beta was not in the settings.');
    expect(await reasons('node: "gamma", from: "2026-11-21T00:00:00Z"')).toEqual([
      'Not monitored yet: gamma had not answered a poll by then.',
    ]);
    expect((await reasons('chain: "lab-1", from: "2026-11-21T00:00:00Z"'))[0]).toBe(
      'Not monitored yet: no node of this chain had answered a poll by then.',
    );
    expect(await reasons('node: "epsilon"')).toEqual([expect.stringContaining('has never shown its list')]);
    expect(await reasons('chain: "other"')).toEqual([
      'Not monitored: no node that submits was in the settings.',
      'No later poll of delta is recorded.',
    ]);
  });

  it('include a list that is out of sight as an open gap, among the recorded gaps', async () => {
    const fields =
      'id kind nodeId afterSequence minLost maxLost likelyLost from to time open withdrawn updatedAt explanation';
    const { all, first, rest } = await api.read<Record<string, { nodes: Record<string, unknown>[] }>>(
      `{ all: losses { nodes { ${fields} } } first: losses(first: 1) { nodes { id } } rest: losses(filter: {from: "2026-11-21T06:00:00Z"}) { nodes { id } } }`,
    );
    const [open, stated] = all?.nodes ?? [];
    expect(all?.nodes).toHaveLength(2);
    expect(stated).toMatchObject({ id: '7', open: false });
    const number = 2n ** 62n + 2n ** 61n + (1n << 30n) + 2n;
    expect(open).toEqual({
      id: String(number),
      kind: 'RESET',
      nodeId: 'alpha',
      afterSequence: '12',
      minLost: '0',
      maxLost: null,
      likelyLost: null,
      from: timeOf('07:00'),
      // The last poll.
      to: timeOf('08:00'),
      time: timeOf('08:00'),
      open: true,
      withdrawn: false,
      updatedAt: null,
      explanation:
        'The list of alpha has been out of sight since 2026-11-21 07:00:00.000 UTC; the latest poll was at 2026-11-21 08:00:00.000 UTC. ' +
        'Submissions may be missing after row 12. If the list is seen again unchanged, none is missing and this entry disappears.',
    });
    expect([first?.nodes, rest?.nodes]).toEqual([[{ id: String(number) }], [{ id: String(number) }]]);
    const then = await api.read<{ losses: { nodes: { open: boolean }[] } }>(
      '{ losses(knownAt: "2100-01-01T00:00:00Z") { nodes { open } } }',
    );
    expect(then.losses.nodes.filter(({ open: isOpen }) => isOpen)).toEqual([]);
  });

  it.each([
    ['coverage { from }', 'BAD_USER_INPUT'],
    ['coverage(chain: "lab-1", node: "alpha") { from }', 'BAD_USER_INPUT'],
    ['coverage(chain: "x") { from }', 'NOT_FOUND'],
    ['coverage(node: "x") { from }', 'NOT_FOUND'],
    ['coverageGaps { from }', 'BAD_USER_INPUT'],
    ...['coverage', 'coverageGaps'].map((field) => [
      `${field}(node: "alpha", from: "2026-11-23T00:00:00Z", to: "2026-11-22T00:00:00Z") { from }`,
      'BAD_USER_INPUT',
    ]),
    ['coverageGaps(chain: "x") { from }', 'NOT_FOUND'],
    ['claims(node: "x", kind: STATS) { nodes { body } }', 'NOT_FOUND'],
    ['claims(node: "alpha", kind: STATS, after: "bDEsMQ") { nodes { body } }', 'BAD_USER_INPUT'],
    ['uptime(node: "x", bucket: DAY) { time }', 'NOT_FOUND'],
    ['uptime(node: "alpha", bucket: DAY, timeZone: "Mars") { time }', 'BAD_USER_INPUT'],
    [
      'uptime(node: "alpha", bucket: DAY, from: "2026-11-22T00:00:00Z", to: "2026-11-22T00:00:00Z") { time }',
      'BAD_USER_INPUT',
    ],
    ['uptime(node: "alpha", bucket: HOUR, from: "2020-01-01T00:00:00Z") { time }', 'BAD_USER_INPUT'],
  ])('refuse { %s } with %s', async (query, code) => {
    expect(await api.codesOf(`{ ${query} }`)).toEqual([code]);
  });

  it('return claims page by page as they were sent, digit by digit', async () => {
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

  it('report days in the zone of the chain, up to now, and count no unknown time as up', async () => {
    const rows = await ask('bucket: DAY');
    expect(rows.map(({ time }) => time)).toEqual(['2026-11-20T23:00:00.000Z', '2026-11-21T23:00:00.000Z']);
    // The node was not polled before the last hour of the first day.
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

  it('return a row for each requested bucket, and report the time before the first poll as unknown', async () => {
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

  it('report time without polls as unknown', async () => {
    await api.dataSource.query("UPDATE node SET last_seen_at = '2026-11-22T08:00:00Z' WHERE id = 'alpha'");
    const [row] = await ask('bucket: DAY, from: "2026-11-22T06:00:00Z", timeZone: "UTC"');
    expect(Number(row?.warningMs) + Number(row?.unknownMs)).toBe(6 * HOUR);
    expect(Number(row?.warningMs)).toBeLessThan(2.1 * HOUR);
    expect(row?.uptime).toBe(1);
  });

  it('report the number of jobs in each state', async () => {
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
