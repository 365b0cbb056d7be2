import { pino } from 'pino';
import type { ConditionOf, SampledCondition } from '../../src/domain/alerts/alert-condition.js';
import { ALERT_RULES } from '../../src/domain/alerts/alert-rules.js';
import type { NewEvent } from '../../src/domain/events.js';
import type { Finding } from '../../src/domain/alerts/sampled-lines.js';
import {
  ConditionSampler,
  findUnevaluable,
  findWhere,
  isRecorded,
} from '../../src/alerts/condition-sampler.js';
import { findOwn } from '../../src/alerts/conditions/own-conditions.js';
import { readMonitoredTimes } from '../../src/alerts/monitored-times.js';
import type { OwnHealth } from '../../src/alerts/alerts-options.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { healthRow, insertRows, lossRow, nodeRow } from '../support/read-model-rows.js';
import { loadSettings } from '../../src/settings/settings.js';
import { ReportReader } from '../../src/statistics/read/report.reader.js';
import { budgetPeriodAt } from '../../src/domain/cost/budget-period.js';
import { millisToMicros } from '../../src/domain/time.js';
import { StatisticsWorld } from '../support/statistics-world.js';
import { useDatabase } from '../support/use-database.js';

const NOW = Date.UTC(2026, 10, 21, 12);
const MINUTE = 60_000;

/** A time, given in minutes before {@link NOW}. */
const ago = (minutes: number): string => new Date(NOW - minutes * MINUTE).toISOString();
/** One time for each minute of a period before {@link NOW}. */
const minutes = (from: number, to: number): string[] =>
  Array.from({ length: from - to }, (_, index) => ago(from - index));

describe('the conditions of alerts', () => {
  const dataSource = useDatabase();
  const world = new StatisticsWorld(dataSource);
  let own: OwnHealth = { degraded: [] };

  const find = async (condition: SampledCondition, at = NOW): Promise<Finding[]> => {
    if (!isRecorded(condition)) return findOwn(condition, own);
    const watched = (await readMonitoredTimes(dataSource)).nodesAt(at);
    return findWhere(dataSource, condition, { watched, at });
  };
  const findThen = async (condition: ConditionOf<'claim' | 'noLook'>, at: number): Promise<Finding[]> => {
    const times = await readMonitoredTimes(dataSource, NOW - 100 * MINUTE);
    return findWhere(dataSource, condition, { watched: times.nodesAt(at), at });
  };
  const holding = async (condition: SampledCondition, at = NOW): Promise<unknown[]> =>
    (await find(condition, at)).flatMap(({ node, chain, holds }) => (holds === true ? [node ?? chain] : []));
  const seen = (columns: Record<string, string>, ids: readonly string[]): Promise<unknown> =>
    dataSource.query(
      `UPDATE node SET ${Object.entries(columns)
        .map(([name, value]) => `${name} = ${value}`)
        .join(', ')} WHERE id = ANY ($1)`,
      [ids],
    );

  beforeAll(async () => {
    const store = new EventStore(dataSource);
    await store.append({
      stream: 'b1/node',
      expectedVersion: 0n,
      events: [{ type: 'NodeRegistered', observedAt: NOW - 1_000 * MINUTE, body: { url: 'http://b1' } }],
    });
    await world.addNodes();
    await insertRows(dataSource, 'node', [
      nodeRow(9, 'gone', { retired: true, head: 9_000, inclusion_frontier: 1 }),
    ]);
  });

  it('count the failed attempts of a node within a period, once there are enough attempts', async () => {
    await world.addSubmissions(1, minutes(30, 10), { status: 6 });
    await world.addSubmissions(1, minutes(10, 4), { status: 0 });
    await world.addSubmissions(1, minutes(4, 0), { status: 6 });
    await world.addSubmissions(3, minutes(5, 0), { status: 6 });
    await seen({ list_seen_at: `'${ago(0)}'` }, ['b1', 'k1']);
    const condition = { kind: 'failures', above: 0.39, overMs: 10 * MINUTE, attempts: 9 } as const;
    // The attempt of exactly ten minutes ago is outside the period.
    const [finding] = (await find(condition)).filter(({ holds }) => holds === true);
    expect(finding).toMatchObject({
      node: 'b1',
      chain: 'berlin-1',
      reason: '4 of 9 attempts failed in 10 min (44 %).',
    });
    expect(await holding({ ...condition, above: 0.4445 })).toEqual([]);
    expect(await holding({ ...condition, attempts: 10 })).toEqual([]);
    expect(await holding({ ...condition, attempts: 4 })).toEqual(['b1', 'k1']);
    expect(await holding({ ...condition, above: 0.9 }, NOW - 11 * MINUTE)).toEqual(['b1']);
  });

  it('do not know about failures while a list cannot be seen', async () => {
    const condition = { kind: 'failures', above: 0.39, overMs: 10 * MINUTE, attempts: 100 } as const;
    const unknown = async (): Promise<unknown[]> =>
      (await find(condition)).flatMap(({ node, holds }) => (holds === 'unknown' ? [node] : []));
    expect(await unknown()).toEqual(['b2', 'p1', 'fresh']);
    await seen({ list_seen_at: `'${ago(3)}'` }, ['b1']);
    expect(await unknown()).toContain('b1');
  });

  it('find gaps that a recent poll found, but not the time before the first poll', async () => {
    await insertRows(dataSource, 'loss', [
      lossRow(5, { node_key: 1, kind: 'OVERFLOW', min_lost: 3, from_at: ago(10), to_at: ago(9) }),
      lossRow(6, { node_key: 1, kind: 'RESET', min_lost: 4, from_at: ago(6), to_at: ago(5) }),
      lossRow(7, { node_key: 3, kind: 'BEFORE_START', from_at: null, to_at: ago(5) }),
      // No row is proven to be missing in a short gap, so it raises nothing.
      lossRow(8, { node_key: 2, kind: 'RESET', min_lost: 0, from_at: ago(5.5), to_at: ago(5) }),
    ]);
    const condition = { kind: 'hole', withinMs: 10 * MINUTE } as const;
    expect(await find(condition)).toEqual([
      {
        node: 'b1',
        chain: 'berlin-1',
        holds: true,
        reason:
          'At least 7 submissions are missing, in 2 gaps within 5 min: the list overflowed between two polls, and the list started over, as after a restart.',
        since: NOW - 10 * MINUTE,
      },
    ]);
    expect(await holding(condition, NOW + 4 * MINUTE)).toEqual(['b1']);
    expect(await holding(condition, NOW + 5 * MINUTE)).toEqual([]);
    expect(await holding(condition, NOW - 9.5 * MINUTE)).toEqual([]);
    await dataSource.query("UPDATE loss SET from_at = from_at - interval '1 ms' WHERE node_key = 2");
    expect(new Set(await holding(condition))).toEqual(new Set(['b1', 'b2']));
    expect((await find(condition)).find(({ node }) => node === 'b2')?.reason).toBe(
      'An unknown number of submissions may be missing, in a gap of 30 s: the list started over, as after a restart.',
    );
  });

  it('find nodes that no poll has reached, counted from their registration if no poll ever did', async () => {
    await seen({ last_seen_at: `'${ago(1)}'` }, ['b1', 'b2', 'k1', 'p1', 'fresh']);
    await seen({ last_seen_at: `'${ago(11)}'` }, ['k1']);
    const condition = { kind: 'noLook', ms: 10 * MINUTE } as const;
    expect(await find(condition)).toMatchObject([
      { node: 'k1', since: NOW - 11 * MINUTE, reason: 'No poll has reached the node for 11 min.' },
    ]);
    await seen({ last_seen_at: 'NULL' }, ['b1']);
    await insertRows(dataSource, 'health_interval', [
      healthRow('NODE', ago(3), null, 'UNKNOWN', { node: 'b1', rule: 'not-reached' }),
    ]);
    expect(await holding(condition, NOW + 6 * MINUTE)).not.toContain('b1');
    expect(await holding(condition, NOW + 8 * MINUTE)).toContain('b1');
    await dataSource.query('DELETE FROM health_interval');
  });

  it('find nodes with many pending blocks', async () => {
    await seen({ head: '1001', inclusion_frontier: '1', aggregator: 'true' }, ['b1']);
    await seen({ head: '1000', inclusion_frontier: '1', aggregator: 'true' }, ['b2']);
    expect(await holding({ kind: 'pending', above: 999 })).toEqual(['b1']);
    // While blocks of years are read, the node's own report is nearer to the truth.
    await seen({ da_included: '2' }, ['b1']);
    expect(await holding({ kind: 'pending', above: 999 })).toEqual([]);
    await seen({ da_included: '0' }, ['b1']);
    expect(await holding({ kind: 'pending', above: 999 })).toEqual(['b1']);
  });

  it('find no pending blocks on a node that syncs by P2P alone, until it was seen to show inclusion', async () => {
    await seen({ head: '1001', inclusion_frontier: '1', aggregator: 'NULL' }, ['b1']);
    const condition = { kind: 'pending', above: 999 } as const;
    expect(await holding(condition)).toEqual([]);
    await seen({ aggregator: 'false' }, ['b1']);
    expect(await holding(condition)).toEqual([]);
    await insertRows(dataSource, 'health_fold', [{ node: 'b1', state: {}, inclusion_shown: true }]);
    expect(await holding(condition)).toEqual(['b1']);
    await dataSource.query('DELETE FROM health_fold');
    // A node whose list is switched off reports that it submits.
    await seen({ aggregator: 'NULL', last_submitted_header: '1' }, ['b1']);
    expect(await holding(condition)).toEqual(['b1']);
  });

  it('find claims that contradict the observations', async () => {
    await insertRows(dataSource, 'health_interval', [
      healthRow('DA', ago(9), ago(5), 'CRITICAL', { node: 'b1', claim: 'healthy', claim_differs: true }),
      healthRow('DA', ago(5), null, 'HEALTHY', { node: 'b1', claim: 'healthy', claim_differs: false }),
      healthRow('DA', ago(3), null, 'CRITICAL', { node: 'b2', claim: 'healthy', claim_differs: true }),
    ]);
    expect(await find({ kind: 'claim' })).toMatchObject([
      {
        node: 'b2',
        since: NOW - 3 * MINUTE,
        reason: 'The node reports "healthy", but Hindsight finds its DA layer CRITICAL.',
      },
    ]);
    const then = (minute: number) => findThen({ kind: 'claim' }, NOW - minute * MINUTE);
    expect(await then(6)).toMatchObject([{ node: 'b1', since: NOW - 9 * MINUTE }]);
    expect(await then(4)).toEqual([]);
  });

  it('find nodes that had not been seen for long at a past moment', async () => {
    await seen({ last_seen_at: `'${ago(1)}'` }, ['b1', 'b2', 'k1', 'p1', 'fresh']);
    const node = (id: string, from: number, to: number | null, rule: string) =>
      healthRow('NODE', ago(from), to === null ? null : ago(to), 'UNKNOWN', { node: id, rule });
    await insertRows(dataSource, 'health_interval', [
      node('b1', 90, 60, 'healthy'),
      node('b1', 60, 40, 'unreachable'),
      node('b1', 40, 30, 'not-watched'),
      node('b1', 30, null, 'healthy'),
      node('b2', 90, null, 'healthy'),
      node('k1', 90, 20, 'not-watched'),
      node('k1', 20, null, 'healthy'),
    ]);
    const then = async (minute: number): Promise<unknown[]> =>
      (await findThen({ kind: 'noLook', ms: 10 * MINUTE }, NOW - minute * MINUTE)).map(
        ({ node: id, since = NaN }) => [id, (NOW - since) / MINUTE],
      );
    expect(await then(51)).toEqual([['k1', 90]]);
    const both = await then(49);
    expect(both).toHaveLength(2);
    expect(both).toEqual(
      expect.arrayContaining([
        ['b1', 60],
        ['k1', 90],
      ]),
    );
    expect(await then(29)).toEqual([['k1', 90]]);
    expect(await then(0)).toEqual([]);
  });

  it('apply to the nodes that were watched at that time, not to those watched now', async () => {
    const store = new EventStore(dataSource);
    const changes = async (node: string, ...told: (readonly ['Registered' | 'Retired', number])[]) => {
      for (const [index, [what, minute]] of told.entries()) {
        const observedAt = NOW - minute * MINUTE;
        const event: NewEvent =
          what === 'Retired'
            ? { type: 'NodeRetired', observedAt, body: {} }
            : { type: 'NodeRegistered', observedAt, body: { url: `http://${node}` } };
        await store.append({ stream: `${node}/node`, expectedVersion: BigInt(index), events: [event] });
      }
    };
    await insertRows(dataSource, 'node', [
      nodeRow(20, 'left', { retired: true }),
      nodeRow(21, 'away', { retired: false }),
      nodeRow(22, 'new', { retired: false }),
    ]);
    await changes('left', ['Registered', 90], ['Retired', 20]);
    await changes('away', ['Registered', 90], ['Retired', 60], ['Registered', 40]);
    await changes('new', ['Registered', 30]);
    const position = await store.lastPosition();
    const asked = new Set(['left', 'away', 'new', 'b1', 'gone']);
    const watched = async (since: number, minute: number, knownAt?: bigint): Promise<string[]> =>
      [
        ...(await readMonitoredTimes(dataSource, NOW - since * MINUTE, knownAt))
          .nodesAt(NOW - minute * MINUTE)
          .keys(),
      ]
        .filter((node) => asked.has(node))
        .toSorted();
    for (const since of [85, 200]) {
      expect(await watched(since, 80)).toEqual(['away', 'b1', 'left']);
      expect(await watched(since, 50)).toEqual(['b1', 'left']);
      expect(await watched(since, 40)).toEqual(['away', 'b1', 'left']);
      expect(await watched(since, 21)).toEqual(['away', 'b1', 'left', 'new']);
      expect(await watched(since, 20)).toEqual(['away', 'b1', 'new']);
    }
    expect(await watched(10, 5)).toEqual(['away', 'b1', 'new']);
    // The last event was not known yet, nor was the one before it.
    expect(await watched(200, 21, position - 1n)).toEqual(['away', 'b1', 'left']);
    expect(await watched(200, 21, position - 2n)).toEqual(['b1', 'left']);
    await insertRows(dataSource, 'health_interval', [
      healthRow('DA', ago(70), ago(10), 'CRITICAL', { node: 'left', claim: 'healthy', claim_differs: true }),
    ]);
    const claims = async (minute: number): Promise<unknown[]> =>
      (await findThen({ kind: 'claim' }, NOW - minute * MINUTE)).map(({ node }) => node);
    expect(await claims(21)).toEqual(['left']);
    expect(await claims(19)).toEqual([]);
    await dataSource.query("DELETE FROM node WHERE id IN ('left', 'away', 'new')");
  });

  it('use the chain that a node belonged to at that time', async () => {
    const event: NewEvent = { type: 'NodeRetired', observedAt: NOW - 50 * MINUTE, body: {} };
    await new EventStore(dataSource).append({ stream: 'other/node', expectedVersion: 0n, events: [event] });
    await insertRows(dataSource, 'node', [nodeRow(23, 'moves', { chain_id: 'new-1' })]);
    await dataSource.query(
      `INSERT INTO node_chain (node_key, from_position, chain_id, told)
       SELECT 23, from_position, chain_id, true
         FROM (VALUES (0, 'old-1'), ((SELECT max(position) FROM event), 'new-1')) c (from_position, chain_id)`,
    );
    await insertRows(dataSource, 'health_interval', [
      healthRow('DA', ago(70), null, 'CRITICAL', { node: 'moves', claim: 'healthy', claim_differs: true }),
    ]);
    const chains = (findings: readonly Finding[]): unknown[] =>
      findings.flatMap(({ node, chain }) => (node === 'moves' ? [chain] : []));
    expect(chains(await findThen({ kind: 'claim' }, NOW - 51 * MINUTE))).toEqual(['old-1']);
    expect(chains(await findThen({ kind: 'claim' }, NOW - 50 * MINUTE))).toEqual(['new-1']);
    expect(chains(await find({ kind: 'claim' }))).toEqual(['new-1']);
    const times = await readMonitoredTimes(dataSource, NOW - 100 * MINUTE);
    expect(times.moves).toEqual([['old-1', 'new-1']]);
    await dataSource.query("DELETE FROM node WHERE id = 'moves'");
    await dataSource.query('DELETE FROM node_chain WHERE node_key = 23');
  });

  it('find nodes whose list has too little coverage, among nodes that were watched throughout', async () => {
    // All nodes were registered by the one event of this log, just now.
    const at = Date.now() + 61 * MINUTE;
    const before = (minute: number): string => new Date(at - minute * MINUTE).toISOString();
    await world.addCoverage('b1', before(120), before(30));
    await world.addCoverage('k1', before(10), before(0));
    const states = ['b2', 'p1', 'fresh'].map(
      (node) => `('${node}', '${before(200)}', NULL, 'NOT_AGGREGATOR', '', 1)`,
    );
    // The first node is a follower now, and led when it was missed. The other one led for only a part of the hour.
    states.push(`('b1', '${before(-1)}', NULL, 'NOT_AGGREGATOR', '', 1)`);
    states.push(`('k1', '${before(200)}', '${before(10)}', 'NOT_AGGREGATOR', '', 1)`);
    await dataSource.query(
      `INSERT INTO availability_interval (node, from_at, to_at, state, detail, from_position) VALUES ${states.join()}`,
    );
    const condition = { kind: 'coverage', below: 0.51, overMs: 60 * MINUTE } as const;
    expect(await find(condition, at)).toMatchObject([
      { node: 'b1', reason: 'Only 50 % of the last 1 h is covered.' },
    ]);
    expect(await holding({ ...condition, below: 0.49 }, at)).toEqual([]);
    expect(await holding(condition, at - 2 * MINUTE)).toEqual([]);
  });

  it('compare the cost of a day with its budget, in TIA and in the currency of its rates', async () => {
    await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '1' });
    await world.addPrice('berlin-1', 'FIAT_RATE', null, { unit: 'EUR', perTia: '2' });
    await world.rollUp();
    const cost = { kind: 'cost', budget: '0.0001', unit: 'TIA', per: 'DAY', forecast: false } as const;
    const [finding] = await find(cost);
    expect(finding).toMatchObject({
      node: null,
      chain: 'berlin-1',
      holds: true,
    });
    // The cost has exceeded the budget since some moment of the day, not since the day began.
    expect(finding?.since).toBeUndefined();
    const [fromUs, nowUs] = [millisToMicros(NOW - 26 * 60 * MINUTE), millisToMicros(NOW)];
    const request = { filter: { chains: ['berlin-1'] }, bucket: 'DAY', groupBy: [] } as const;
    const days = await new ReportReader(dataSource).readCosts({ ...request, fromUs, toUs: nowUs, nowUs }, [
      'feeMin',
    ]);
    const spent = Number(days.at(days.length - 1)?.feeMin?.toString()) / 1e6;
    expect(spent).toBeGreaterThan(0.0001);
    // People read four digits; the comparison is exact.
    expect(finding?.reason).toBe(
      `The day has cost at least ${Number(spent.toPrecision(4))} TIA; the budget is 0.0001 TIA.`,
    );
    const over = (budget: number, unit = 'TIA') => holding({ ...cost, budget: budget.toFixed(6), unit });
    expect(await over(spent - 0.000001)).toEqual(['berlin-1']);
    expect(await over(spent)).toEqual([]);
    expect(await over(2 * spent - 0.000002, 'EUR')).toEqual(['berlin-1']);
    expect(await over(2 * spent, 'EUR')).toEqual([]);
    const unknown = (await find({ ...cost, unit: 'USD' })).map(({ chain, holds }) => [chain, holds]);
    expect(unknown).toContainEqual(['berlin-1', 'unknown']);
  });

  it('compare the cost of a quarter and of a fiscal year with their budgets', async () => {
    const [fromUs, nowUs] = [millisToMicros(NOW - 400 * 24 * 60 * MINUTE), millisToMicros(NOW)];
    const request = {
      filter: { chains: ['berlin-1'] },
      bucket: 'MONTH',
      groupBy: [],
      timeZone: 'Europe/Berlin',
    } as const;
    const months = await new ReportReader(dataSource).readCosts({ ...request, fromUs, toUs: nowUs, nowUs }, [
      'feeMin',
    ]);
    const since = (first: bigint): number =>
      [...months]
        .filter(({ timeUs }) => timeUs >= first)
        .reduce((sum, { feeMin }) => sum + Number(feeMin?.toString() ?? 0), 0) / 1e6;
    for (const [per, yearStart] of [
      ['QUARTER', 2],
      ['YEAR', 4],
    ] as const) {
      const cost = { kind: 'cost', budget: '0', unit: 'TIA', per, yearStart, forecast: false } as const;
      const spent = since(budgetPeriodAt(nowUs, per, 'Europe/Berlin', yearStart).fromUs);
      expect(spent).toBeGreaterThan(0);
      const over = (budget: number) => holding({ ...cost, budget: budget.toFixed(6) });
      expect([per, await over(spent - 0.000001), await over(spent)]).toEqual([per, ['berlin-1'], []]);
      const [finding] = await find({ ...cost, budget: '0.000001' });
      expect(finding?.reason).toContain(`The fiscal ${per.toLowerCase()} has cost at least `);
    }
  });

  it('report which cost rules cannot be judged, and why', async () => {
    const { rules } = loadSettings({
      flags: {},
      env: {},
      file: {
        name: 'hindsight.yaml',
        text: `alerts: { rules: [
          { name: known, cost: { budget: 1, unit: EUR, per: day }, chains: berlin-1 },
          { name: dear, cost: { budget: 1, unit: USD, per: day }, chains: berlin-1 },
          { name: spent, cost: { budget: 1, per: day }, chains: kolkata-1 }] }`,
      },
    }).alerts;
    expect(await findUnevaluable(dataSource, rules, NOW)).toEqual([
      { rule: 'dear', chain: 'berlin-1', why: 'no price in USD is known' },
      { rule: 'spent', chain: 'kolkata-1', why: 'no fees are known' },
    ]);
  });

  it('are checked once a minute, also by a watch that comes a little early', async () => {
    const clock = new ManualClock(NOW);
    let looks = 0;
    const sources = {
      readOwnHealth: () => Promise.resolve({ degraded: [`Look ${(looks += 1)}.`] }),
      findIncident: () => Promise.resolve(undefined),
    };
    const rules = ALERT_RULES.filter(({ name }) => name === 'degraded');
    const options = { destinations: [], rules, maintenance: [], clock, logger: pino({ level: 'silent' }) };
    const sampler = new ConditionSampler(dataSource, sources, options);
    for (const ms of [0, 10_000, 40_000, 9_950, 10_050, 49_900]) {
      await clock.advance(ms);
      await sampler.getSpans([], clock.now());
    }
    expect(looks).toBe(3);
  });

  it('know our own health, and say nothing about a disk that cannot be measured', async () => {
    const disk = { kind: 'disk', freeBytes: 2e9, days: 7 } as const;
    expect(await find({ kind: 'hindsight', is: 'NOT_READY' })).toEqual([]);
    expect(await find({ kind: 'hindsight', is: 'DEGRADED' })).toEqual([]);
    expect(await find(disk)).toMatchObject([{ holds: 'unknown' }]);
    own = {
      notReady: 'Nothing is recorded.',
      degraded: ['One.', 'Two.'],
      freeBytes: 1_900_000_000n,
      daysLeft: 8,
    };
    expect(await find({ kind: 'hindsight', is: 'NOT_READY' })).toMatchObject([
      { reason: 'Nothing is recorded.' },
    ]);
    expect(await find({ kind: 'hindsight', is: 'DEGRADED' })).toMatchObject([{ reason: 'One. Two.' }]);
    expect(await find(disk)).toMatchObject([{ holds: true, reason: '1.9 GB free.' }]);
    own = { degraded: [], freeBytes: 9_000_000_000n, daysLeft: 6.94 };
    expect(await find(disk)).toMatchObject([
      { reason: '9.0 GB free, enough for 6.9 days at the present growth.' },
    ]);
    own = { degraded: [], freeBytes: 9_000_000_000n, daysLeft: 7 };
    expect(await find(disk)).toEqual([]);
  });
});
