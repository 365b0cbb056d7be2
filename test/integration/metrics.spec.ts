import { COST_NAMES } from '../../src/statistics/read/measures.js';
import { API_OPTIONS, type ApiOptions } from '../../src/api/api-options.js';
import { FIGURES } from '../../src/api/metrics/metric-table.js';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ManualClock } from '../support/manual-clock.js';
import { healthRow, insertRows, lossRow, nodeRow } from '../support/read-model-rows.js';
import { StatisticsWorld } from '../support/statistics-world.js';
import { samplesOf, valueOf } from '../support/prometheus-text.js';

const KEY = 'a-key-of-16-chars';
const NOW = Date.parse('2026-03-10T12:00:00Z');
/** The name of a node's chain: a line end and a quote would start lines of their own. */
const CHAIN = 'evil"}\n{\\\u001b[31m';

let database: TestDatabase;
let api: ApiServer;
let locked: ApiServer;
let clock: ManualClock;
let world: StatisticsWorld;

const scrape = async (server = api, headers: Record<string, string> = {}): Promise<string> => {
  const response = await fetch(`${server.url}/metrics`, { headers });
  expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return response.text();
};

beforeAll(async () => {
  database = await startTestDatabase();
  clock = new ManualClock(NOW);
  api = await startApi(database.url, { clock, queue: { backend: 'postgres', url: database.url } });
  locked = await startApi(database.url, { clock, keys: [KEY] });
  world = new StatisticsWorld(api.dataSource);
  await world.addNodes();
  const { dataSource } = api;
  await dataSource.query(
    `UPDATE node SET inclusion_frontier = 37, last_success_at = '2026-03-10T11:59:30Z', submission_count = 7,
                     last_seen_at = '2026-03-10T11:59:59Z', list_looked_at = '2026-03-10T11:59:59Z' WHERE id = 'b1'`,
  );
  await insertRows(dataSource, 'node', [
    nodeRow(6, 'gone', { retired: true, head: 9 }),
    nodeRow(7, 'odd', { chain_id: CHAIN, head: 3, last_seen_at: '2026-03-01T00:00:00Z' }),
  ]);
  await insertRows(dataSource, 'health_interval', [
    healthRow('DA', '2026-03-10T10:00:00Z', null, 'CRITICAL', { node: 'b1', rule: 'failing' }),
    healthRow('NODE', '2026-03-10T10:00:00Z', null, 'HEALTHY', { node: 'b1' }),
    // The nodes have not been polled for days.
    healthRow('NODE', '2026-03-01T00:00:00Z', null, 'HEALTHY', { node: 'odd' }),
  ]);
  const probe = {
    status_code: 200,
    detail: '',
    latency_ms: 1,
    catching_up: null,
    from_position: 1,
    to_position: null,
  };
  await insertRows(
    dataSource,
    'probe_state',
    ['b1', 'odd'].map((node) => ({
      ...probe,
      node,
      probe: 'reachable',
      from_at: '2026-03-01T00:00:00Z',
      outcome: 'OK',
    })),
  );
  await insertRows(dataSource, 'claim', [
    {
      node: 'b1',
      kind: 'health',
      observed_at: '2026-03-10T10:00:00Z',
      status: 'healthy',
      body: {},
      from_position: 1,
      to_position: null,
    },
  ]);
  // Rows of all time: from long ago, and from today.
  await world.addSubmissions(1, ['2026-01-05T10:00:00Z', '2026-02-05T10:00:00Z', '2026-03-10T10:00:00Z']);
  await world.addSubmissions(1, ['2026-01-05T10:01:00Z', '2026-03-10T10:01:00Z'], { status: 6, evidence: 0 });
  await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.01' });
  await insertRows(dataSource, 'loss', [
    lossRow(1, { to_at: '2026-01-05T10:00:00Z' }),
    lossRow(2, { to_at: '2026-03-10T10:00:00Z' }),
    lossRow(3, { to_at: '2026-03-10T11:00:00Z', to_position: 4 }),
  ]);
  await world.rollUp();
  await dataSource.query('SELECT ensure_event_partition(now())');
});

afterAll(async () => {
  await api?.stop();
  await locked?.stop();
  await database?.stop();
});

describe('/metrics', () => {
  it('has what is known about a node', async () => {
    const samples = samplesOf(await scrape());
    const b1 = { node: 'b1', chain: 'berlin-1' };
    const of = (name: string, labels = {}) => valueOf(samples, name, { ...b1, ...labels });
    expect(of('hindsight_node_reachable')).toBe(1);
    expect(of('hindsight_node_head_height')).toBe(40);
    expect(of('hindsight_node_head_lag_blocks')).toBe(0);
    expect(of('hindsight_node_inclusion_height')).toBe(37);
    expect(of('hindsight_node_pending_blocks')).toBe(3);
    expect(of('hindsight_node_last_success_age_seconds')).toBe(30);
    expect(of('hindsight_node_claim_differs')).toBe(1);
    for (const state of ['HEALTHY', 'WARNING', 'CRITICAL', 'UNKNOWN']) {
      expect(of('hindsight_node_health', { component: 'DA', state })).toBe(state === 'CRITICAL' ? 1 : 0);
      expect(of('hindsight_node_health', { component: 'NODE', state })).toBe(state === 'HEALTHY' ? 1 : 0);
    }
    const rules = samples.filter(
      ({ name, labels }) => name === 'hindsight_node_health_rule' && labels['node'] === 'b1',
    );
    expect(rules.map(({ labels, value }) => [labels['component'], value])).toEqual([
      ['DA', 1],
      ['NODE', 1],
    ]);
    expect(of('hindsight_submissions_total', { status: 'SUCCESS', kind: 'HEADER' })).toBe(3);
    expect(of('hindsight_submissions_total', { status: 'ERROR', kind: 'HEADER' })).toBe(2);
    expect(of('hindsight_losses_total', { kind: 'OVERFLOW' })).toBe(2);
    expect(of('hindsight_losses_total', { kind: 'RESET' })).toBe(0);
  });

  it('has the same gas and fees as the cost report of the node', async () => {
    const { costReport } = await api.read<{ costReport: Record<string, string>[] }>(
      `{ costReport(bucket: YEAR, filter: { nodes: ["b1"] }, timeZone: "UTC") { gasMin gasMax feeMin feeMax } }`,
    );
    const samples = samplesOf(await scrape());
    const told = ['gas', 'fee_utia'].flatMap((of) =>
      ['min', 'max'].map((bound) => valueOf(samples, `hindsight_da_${of}`, { node: 'b1', bound })),
    );
    expect(told).toEqual(Object.values(costReport[0] ?? {}).map(Number));
    expect(told).toHaveLength(COST_NAMES.filter((name) => /^(gas|fee)M(in|ax)$/.test(name)).length);
    expect(told).toEqual([239_388, 239_388, 2_394, 2_394]);
  });

  it('leaves out unknown values, and never has 0 for them', async () => {
    const samples = samplesOf(await scrape());
    const told = (node: string) =>
      new Set(samples.filter(({ labels }) => labels['node'] === node).map(({ name }) => name));
    // The node has reported neither its chain nor anything else.
    expect(told('fresh')).toEqual(new Set());
    expect(told('gone')).toEqual(new Set());
    expect(told('k1')).toEqual(new Set());
    // An answer of days ago proves nothing about now.
    expect(told('odd')).toEqual(
      new Set(['hindsight_node_head_height', 'hindsight_node_health', 'hindsight_node_health_rule']),
    );
    expect(valueOf(samples, 'hindsight_node_health', { node: 'odd', state: 'UNKNOWN' })).toBe(1);
  });

  it("prints a node's name for its chain on one line", async () => {
    const odd = samplesOf(await scrape()).filter(({ labels }) => labels['node'] === 'odd');
    expect(new Set(odd.map(({ labels }) => labels['chain']))).toEqual(new Set(['evil"} {\\?[31m']));
  });

  it('has only the metrics of the table, of this process, and of Node', async () => {
    const names = new Set(samplesOf(await scrape()).map(({ name }) => name));
    const others = [...names].filter((name) => !(name in FIGURES) && !/^(process|nodejs)_/.test(name));
    expect(others.sort()).toEqual([
      'hindsight_build_info',
      'hindsight_pool_connections',
      'hindsight_queue_jobs',
    ]);
    expect(names).toContain('hindsight_log_position');
    expect(names).toContain('process_cpu_seconds_total');
  });

  it('counts requests by route and status, and errors of GraphQL by code', async () => {
    const server = await startApi(database.url, { clock, keys: [KEY] });
    const headers = { 'x-api-key': KEY };
    try {
      await server.ask('{ node(id: "b1") { id } }', {}, headers);
      await server.ask('{ nothing }', {}, headers);
      await server.ask('{ now }');
      for (const id of ['b1', 'b2']) await fetch(`${server.url}/nodes/${id}/da/health`, { headers });
      await fetch(`${server.url}/nowhere/${'x'.repeat(50)}`, { headers });
      const samples = samplesOf(await scrape(server, headers));
      const count = (route: string, method: string, status: string): number | undefined =>
        valueOf(samples, 'hindsight_http_request_duration_seconds_count', { route, method, status });
      expect(count('/graphql', 'POST', '200')).toBe(1);
      expect(count('/graphql', 'POST', '400')).toBe(1);
      expect(count('/graphql', 'POST', '401')).toBe(1);
      expect(count('none', 'GET', '404')).toBe(1);
      expect(valueOf(samples, 'hindsight_graphql_errors_total', { code: 'BAD_USER_INPUT' })).toBe(1);
      const routes = new Set(samples.flatMap(({ labels }) => labels['route'] ?? []));
      expect([...routes].filter((route) => /b1|b2|xxx/.test(route))).toEqual([]);
    } finally {
      await server.stop();
    }
  });

  it('has the release of this process, and all of its time', async () => {
    const samples = samplesOf(await scrape());
    const labels = { version: api.app.get<ApiOptions>(API_OPTIONS).version, nodejs: process.versions.node };
    expect(valueOf(samples, 'hindsight_build_info', labels)).toBe(1);
    const { user, system } = process.cpuUsage();
    const told = valueOf(samples, 'process_cpu_seconds_total', {}) ?? 0;
    // Much of a process's work comes before its first request.
    expect(told).toBeGreaterThan((user + system) / 1e6 - 3);
    expect(told).toBeLessThanOrEqual((user + system) / 1e6);
    expect(samples.filter(({ name, value }) => /lag/.test(name) && value > 1_000)).toEqual([]);
  });

  it('has the disk usage of the record', async () => {
    const samples = samplesOf(await scrape());
    const bytes = (what: string) => valueOf(samples, 'hindsight_disk_bytes', { what }) ?? 0;
    const [row] = await api.dataSource.query<{ size: bigint }[]>(
      'SELECT pg_database_size(current_database()) AS size',
    );
    expect(bytes('log')).toBeGreaterThan(0);
    expect(bytes('read_models')).toBeGreaterThan(bytes('log'));
    expect(bytes('log') + bytes('read_models')).toBeLessThan(Number(row?.size));
    expect(valueOf(samples, 'hindsight_shards_held', {})).toBe(0);
  });

  it('reads the database once in a few seconds, whatever the number of clients', async () => {
    const head = (text: string) => valueOf(samplesOf(text), 'hindsight_node_head_height', { node: 'b1' });
    await clock.advance(10_000);
    const first = await Promise.all([scrape(), scrape(), scrape()]);
    expect(new Set(first).size).toBe(1);
    await api.dataSource.query("UPDATE node SET head = 41 WHERE id = 'b1'");
    expect(head(await scrape())).toBe(40);
    await clock.advance(10_000);
    expect(head(await scrape())).toBe(41);
  });

  it('shows within the hour what becomes known about days long ago', async () => {
    await world.addSubmissions(1, ['2026-01-07T10:00:00Z', '2026-03-10T11:00:00Z']);
    await api.dataSource.query(
      "INSERT INTO roll_up_mark SELECT 1, '', at FROM unnest(ARRAY['2026-01-07T10:00:00Z', '2026-03-10T11:00:00Z']::timestamptz[]) at",
    );
    await world.rollUp();
    const successes = async () =>
      valueOf(samplesOf(await scrape()), 'hindsight_submissions_total', { node: 'b1', status: 'SUCCESS' });
    await clock.advance(10_000);
    expect(await successes()).toBe(4);
    await clock.advance(3_600_000);
    // The first request after that triggers another read, and is answered at once with the values at hand.
    await scrape();
    await clock.advance(10_000);
    expect(await successes()).toBe(5);
  });

  it('needs the same key as every other query', async () => {
    expect((await fetch(`${locked.url}/metrics`)).status).toBe(401);
    expect(
      (await fetch(`${locked.url}/metrics`, { headers: { authorization: 'Bearer wrong' } })).status,
    ).toBe(401);
    expect(await scrape(locked, { authorization: `Bearer ${KEY}` })).toContain('hindsight_log_position');
    const foreign = await fetch(`${api.url}/metrics`, { headers: { origin: 'https://elsewhere.example' } });
    expect(foreign.status).toBe(403);
  });

  it('runs no more statements for a thousand nodes than for a few, except for their old days', async () => {
    const other = await startTestDatabase();
    const server = await startApi(other.url, { clock });
    try {
      const reads = server.app.get(ReadDatabase);
      let count = 0;
      const query = reads.query.bind(reads);
      reads.query = (...given) => {
        count += 1;
        return query(...given) as never;
      };
      const countScrape = async () => {
        await clock.advance(10_000);
        count = 0;
        const samples = samplesOf(await scrape(server));
        return { count, heads: samples.filter(({ name }) => name === 'hindsight_node_head_height').length };
      };
      await insertRows(server.dataSource, 'node', [nodeRow(1, 'n1', { head: 1 })]);
      // A read that runs in the background once in a while may overlap one or two of them.
      const countLeast = async () => {
        const scrapes = [];
        while (scrapes.length < 5) scrapes.push(await countScrape());
        return scrapes.reduce((a, b) => (b.count <= a.count ? b : a));
      };
      const few = await countLeast();
      const more = Array.from({ length: 999 }, (_, index) =>
        nodeRow(index + 2, `n${index + 2}`, { head: 1 }),
      );
      await insertRows(server.dataSource, 'node', more);
      await clock.advance(3_600_000);
      const many = await countLeast();
      expect([few.heads, many.heads]).toEqual([1, 1_000]);
      expect(many.count).toBe(few.count);
      expect(few.count).toBeLessThanOrEqual(12);
    } finally {
      await server.stop();
      await other.stop();
    }
  });

  it('has the metrics of the process itself while the database is away', async () => {
    const server = await startApi(database.url, { clock, readUrl: 'postgres://nobody@127.0.0.1:1/none' });
    try {
      const names = new Set(samplesOf(await scrape(server)).map(({ name }) => name));
      expect(names).toContain('hindsight_pool_connections');
      expect([...names].filter((name) => name in FIGURES)).toEqual([]);
    } finally {
      await server.stop();
    }
  });
});
