import { createHmac } from 'node:crypto';
import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import type { AlertsService } from '../../src/alerts/alerts.service.js';
import { DELIVER_JOB } from '../../src/alerts/alert-jobs.js';
import { Heartbeat, HEARTBEAT_JOB } from '../../src/alerts/heartbeat.js';
import { readHealth } from '../../src/alerts/health-spans.js';
import { readMonitoredTimes } from '../../src/alerts/monitored-times.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { ALERT_RULES, type AlertRule } from '../../src/domain/alerts/alert-rules.js';
import { findRuns, type HealthSpan } from '../../src/domain/alerts/trouble-runs.js';
import type { AlertDestination } from '../../src/domain/alerts/destinations.js';
import { SystemClock, type Clock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { JobHandlers } from '../../src/platform/queues/job-kind.js';
import { JobQueue } from '../../src/platform/queues/job-queue.js';
import { JobWorker } from '../../src/platform/queues/job-worker.js';
import type { QueueLocation } from '../../src/platform/queues/queue-location.js';
import { newAlerts } from '../support/alerts.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { HttpSink } from '../support/http-sink.js';
import { startTestQueue, type TestQueue } from '../support/queue-backends.js';
import { waitFor } from '../support/service-process.js';

const SECRET = 'a-secret-of-16-chars';

/** Cases that depend on where the queue lives are in `alert-outage.spec.ts` and `queues.spec.ts`. */
describe('alerts', () => {
  const clock = new SystemClock();
  const lines: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line) => void lines.push(line) });
  const endings: (() => Promise<void>)[] = [];
  let database: TestDatabase;
  let source: DataSource;
  let queue: TestQueue;
  let other: TestQueue;
  let good: HttpSink;
  let away: HttpSink;
  let closed: HttpSink;
  let destinations: AlertDestination[];
  /** The health on which a worker decides now. */
  const healthSince = async (hours: number): Promise<HealthSpan[]> => {
    const [from, to] = [clock.now() - hours * 3_600_000, clock.now()];
    const times = await readMonitoredTimes(source);
    const spans = await readHealth(source, { nodes: times.nodesBetween(from, to), from, to });
    return spans.flatMap((span) => times.cut(span));
  };

  beforeAll(async () => {
    database = await startTestDatabase();
    source = await createDataSource({ url: database.url }).initialize();
    queue = await startTestQueue('postgres', 12);
    other = await startTestQueue('postgres', 13);
    [good, away, closed] = [await HttpSink.start(), await HttpSink.start(), await HttpSink.start()];
    destinations = [
      { id: 'good', kind: 'webhook', url: `${good.url}/hook`, secret: SECRET },
      { id: 'away', kind: 'slack', url: `${away.url}/key-0123456789abcdef0123` },
      { id: 'closed', kind: 'alertmanager', url: closed.url },
    ];
    await source.query(`INSERT INTO node (node_key, id, url, chain_id, from_position)
      SELECT n, 'n' || n, 'http://n' || n, 'alpha-1', n FROM generate_series(1, 10) n`);
    await source.query(`INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
      SELECT id, 'DA', now() - interval '10 min', NULL, 'CRITICAL', 'failing', 'it fails', 0, node_key FROM node`);
  });

  afterAll(async () => {
    for (const end of endings) await end();
    await Promise.all([good, away, closed].map((sink) => sink?.stop()));
    await source?.destroy();
    await queue?.stop();
    await other?.stop();
    await database?.stop();
  });

  /** A process of its own, as far as alerts are concerned. */
  const start = (
    place: QueueLocation,
    { works, time = clock }: { works: boolean; time?: Clock },
  ): AlertsService => {
    const handlers = new JobHandlers();
    const jobs = new JobQueue(place, clock, logger);
    const options = { destinations, rules: ALERT_RULES, maintenance: [], clock: time, logger };
    const service = newAlerts(source, jobs, handlers, options);
    service.onModuleInit();
    const worker = new JobWorker(place, handlers, clock, logger);
    if (works) worker.start();
    endings.push(async () => {
      if (works) await worker.stop();
      await jobs.close();
      await service.onApplicationShutdown();
    });
    return service;
  };
  const read = (type: string): Promise<Record<string, unknown>[]> =>
    source
      .query<{ body: Record<string, unknown> }[]>(
        "SELECT body FROM event WHERE stream = '*/operator' AND type = $1 ORDER BY version",
        [type],
      )
      .then((rows) => rows.map(({ body }) => body));
  /** Retries failed jobs without a pause. */
  const tryUntil = (what: string, isSo: () => boolean | Promise<boolean>): Promise<true> =>
    waitFor(what, async () => {
      if (await isSo()) return true;
      await queue.hasten();
      return undefined;
    });
  const keysOf = (sink: HttpSink) => sink.taken.map(({ headers }) => headers['x-hindsight-key']);

  let service: AlertsService;

  it('are raised once by several workers, and are on record before anything is sent', async () => {
    away.status = 'drop';
    closed.status = 401;
    const idle = [start(other.place, { works: false }), start(other.place, { works: false })];
    await Promise.all(idle.map((one) => one.watch()));
    expect(await read('AlertRaised')).toMatchObject([
      { alert: { rule: 'da-failing', chain: 'alpha-1' }, destinations: ['good', 'away', 'closed'] },
    ]);
    expect(good.taken).toEqual([]);
  });

  it('are delivered although their queue was lost: one signed message for ten nodes', async () => {
    service = start(queue.place, { works: true });
    await service.watch();
    const [message] = await waitFor('the message', async () =>
      good.taken.length > 0 ? good.taken : undefined,
    );
    expect(message?.headers['x-hindsight-signature']).toBe(
      createHmac('sha256', SECRET)
        .update(message?.body ?? '')
        .digest('hex'),
    );
    const body = JSON.parse(message?.body ?? '') as { nodes: string[]; status: string };
    expect(body.nodes).toHaveLength(10);
    expect(body.status).toBe('RAISED');
  });

  it('are sent once if the token is wrong, and again and again with the same key if nothing accepts them', async () => {
    const outcomes = (): Promise<unknown[]> => read('AlertDelivered');
    await waitFor('two outcomes', async () => ((await outcomes()).length === 2 ? true : undefined));
    await tryUntil('a second try', () => away.taken.length >= 2);
    await service.watch();
    // A job for a destination that already accepted the alert comes late.
    const [{ alert: { id } } = { alert: { id: '' } }] = (await read('AlertRaised')) as {
      alert: { id: string };
    }[];
    const late = new JobQueue(queue.place, clock, logger);
    await late.add(DELIVER_JOB, { notice: `${id}-raised`, destination: 'good' });
    await late.close();
    away.status = 200;
    await tryUntil('the third', async () => (await outcomes()).length === 3);
    expect(await outcomes()).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ destination: 'good', outcome: 'DELIVERED' }),
        expect.objectContaining({ destination: 'closed', outcome: 'REFUSED', detail: 'it answered 401' }),
        expect.objectContaining({ destination: 'away', outcome: 'DELIVERED' }),
      ]),
    );
    expect([good.taken.length, closed.taken.length]).toEqual([1, 1]);
    expect(new Set([...keysOf(good), ...keysOf(away), ...keysOf(closed)]).size).toBe(1);
    expect(new Set(away.taken.map(({ body }) => body)).size).toBe(1);
  });

  it('end for a process that knows nothing but the log, and are reported as over once', async () => {
    await source.query(`UPDATE health_interval SET to_at = now() - interval '6 min'`);
    closed.status = 200;
    const fresh = start(queue.place, { works: false });
    await fresh.watch();
    await tryUntil('all outcomes', async () => (await read('AlertDelivered')).length === 6);
    await fresh.watch();
    expect(await read('AlertResolved')).toHaveLength(1);
    const [, over] = good.taken;
    expect(JSON.parse(over?.body ?? '')).toMatchObject({ status: 'RESOLVED' });
    expect([good.taken.length, closed.taken.length]).toEqual([2, 2]);
    expect(new Set(keysOf(good)).size).toBe(2);
  });

  it('are given up when a destination accepts nothing for a day', async () => {
    away.status = 'drop';
    await source.query(`UPDATE health_interval SET rule = 'silent', to_at = NULL WHERE node = 'n1'`);
    const tomorrow: Clock = {
      now: () => clock.now() + 25 * 3_600_000,
      monotonic: () => clock.monotonic(),
      sleep: (ms, signal) => clock.sleep(ms, signal),
    };
    await service.watch();
    await waitFor('one that is told', async () => (good.taken.length === 3 ? true : undefined), 30_000);
    await start(other.place, { works: true, time: tomorrow }).watch();
    const gaveUp = async (): Promise<unknown> =>
      (await read('AlertDelivered')).find(({ outcome }) => outcome === 'GIVEN_UP');
    expect(await waitFor('the end', gaveUp, 30_000)).toMatchObject({ destination: 'away' });
  });

  it('are based on the interval at a moment and the later ones, of nodes that are watched', async () => {
    await source.query(`INSERT INTO node (node_key, id, url, retired, from_position)
      VALUES (11, 'line', 'http://line', false, 11), (12, 'gone', 'http://gone', true, 12)`);
    await source.query(`INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
      SELECT node, 'DA', now() - from_h * interval '1 h', now() - to_h * interval '1 h', 'CRITICAL', rule, '', 0, 1
        FROM unnest(ARRAY['line', 'gone']) node,
             (VALUES (9, 5, 'failing'), (5, 3, 'healthy'), (3, NULL, 'frozen')) AS i (from_h, to_h, rule)`);
    const rulesSince = async (hours: number): Promise<string[]> =>
      (await healthSince(hours))
        .filter(({ node }) => node === 'line' || node === 'gone')
        .map(({ node, rule }) => `${node} ${rule}`)
        .toSorted();
    const at = clock.now() - 2 * 3_600_000;
    const left = { type: 'NodeRetired', observedAt: at, body: {} } as const;
    const store = new EventStore(source);
    await store.append({ stream: 'left/node', expectedVersion: 0n, events: [left] });
    await source.query(
      `INSERT INTO node (node_key, id, url, retired, from_position, to_position) VALUES (13, 'left', 'http://left', true, 13, $1)`,
      [await store.lastPosition()],
    );
    await source.query(`INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
      SELECT 'left', component, from_at, to_at, state, rule, reason, differed_ms, from_position FROM health_interval WHERE node = 'line'`);
    const ofLeft = async (hours: number) =>
      (await healthSince(hours))
        .filter(({ node }) => node === 'left')
        .map(({ rule, to }) => `${rule} ${to === at}`)
        .toSorted();
    expect(await ofLeft(1)).toEqual([]);
    expect(await ofLeft(4)).toEqual(['frozen true', 'healthy false']);
    expect(await rulesSince(1)).toEqual(['line frozen']);
    expect(await rulesSince(4)).toEqual(['line frozen', 'line healthy']);
    expect(await rulesSince(20)).toEqual(['line failing', 'line frozen', 'line healthy']);
  });

  it('leave trouble with the chain that its node belonged to at the time', async () => {
    await source.query(
      `INSERT INTO node (node_key, id, url, chain_id, from_position) VALUES (15, 'moves', 'http://moves', 'new-1', 15)`,
    );
    await source.query(`INSERT INTO node_chain (node_key, from_position, chain_id, told)
      VALUES (15, 0, 'old-1', true), (15, 500, 'new-1', true)`);
    // A version that was replaced, and the present one, written after the node had moved.
    await source.query(`INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position, to_position)
      SELECT 'moves', 'DA', now() - from_h * interval '1 h', now() - to_h * interval '1 h', 'CRITICAL', rule, '', 0, told, retold
        FROM (VALUES (9, NULL, 'failing', 400, 501), (9, 5, 'failing', 501, NULL), (5, NULL, 'silent', 501, NULL)) AS i (from_h, to_h, rule, told, retold)`);
    const chains = (spans: readonly HealthSpan[]): string[] =>
      spans
        .filter(({ node }) => node === 'moves')
        .map(({ rule, chain }) => `${rule} ${chain}`)
        .toSorted();
    expect(chains(await healthSince(6))).toEqual(['failing old-1', 'silent new-1']);
    const period = { nodes: ['moves'], from: clock.now() - 6 * 3_600_000, to: clock.now() };
    const past = (knownAt: bigint) => readHealth(source, { ...period, knownAt });
    expect(chains(await past(501n))).toEqual(['failing old-1', 'silent new-1']);
    expect(chains(await past(500n))).toEqual(['failing old-1']);
  });

  it('treat an hour of flapping as one period of trouble, with its beginning and its latest reason', async () => {
    await source.query(
      `INSERT INTO node (node_key, id, url, from_position) VALUES (14, 'flaps', 'http://flaps', 14)`,
    );
    await source.query(`INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
      SELECT 'flaps', 'DA', now() - (180 - i) * interval '20 s', now() - (179 - i) * interval '20 s',
             CASE WHEN i % 2 = 0 THEN 'CRITICAL' ELSE 'HEALTHY' END, CASE WHEN i % 2 = 0 THEN 'failing' ELSE 'healthy' END, 'at ' || i, 0, 100 + i
        FROM generate_series(0, 178) i`);
    const rule = ALERT_RULES.find(({ name }) => name === 'da-failing');
    const health = (await healthSince(2)).filter(({ node }) => node === 'flaps');
    const runs = [...findRuns(rule as AlertRule, { health, sampled: [] }, clock.now()).values()].flat();
    expect(runs).toMatchObject([{ first: { position: 100n }, last: { reason: 'at 178' } }]);
    expect((runs[0]?.until ?? 0) - (runs[0]?.first.from ?? 0)).toBe(179 * 20_000);
  });

  it('are reported as over to an Alertmanager alone if the rule reports no end', async () => {
    const alone = await startTestDatabase();
    const own = await createDataSource({ url: alone.url }).initialize();
    await own.query(`INSERT INTO node (node_key, id, url, from_position) VALUES (1, 'n1', 'http://n1', 1)`);
    await own.query(`INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
      VALUES ('n1', 'DA', now() - interval '10 min', NULL, 'CRITICAL', 'failing', 'it fails', 0, 1)`);
    const rules = ALERT_RULES.map((rule) => ({ ...rule, tellsEnd: false }));
    const jobs = new JobQueue(other.place, clock, logger);
    const options = { destinations, rules, maintenance: [], clock, logger };
    const quiet = newAlerts(own, jobs, new JobHandlers(), options);
    await quiet.watch();
    await own.query(`UPDATE health_interval SET to_at = now() - interval '6 min'`);
    await quiet.watch();
    const bodies = await own.query<{ body: object }[]>(
      `SELECT body FROM event WHERE type IN ('AlertRaised', 'AlertResolved') ORDER BY position`,
    );
    expect(bodies.map(({ body }) => body)).toMatchObject([
      { destinations: ['good', 'away', 'closed'] },
      { destinations: ['closed'] },
    ]);
    await quiet.onApplicationShutdown();
    await jobs.close();
    await own.destroy();
    await alone.stop();
  });

  it('are accompanied by a heartbeat, which is sent only if something was recorded lately', async () => {
    const empty = await startTestDatabase();
    const nothing = await createDataSource({ url: empty.url }).initialize();
    const beat = async (dataSource: DataSource): Promise<void> => {
      const handlers = new JobHandlers();
      const options = {
        destinations: [],
        rules: [],
        maintenance: [],
        heartbeat: `${good.url}/beat`,
        clock,
        logger,
      };
      const heartbeat = new Heartbeat(dataSource, handlers, options);
      heartbeat.onModuleInit();
      const { signal } = new AbortController();
      await handlers.find(HEARTBEAT_JOB.name).handle({}, { signal, progress: () => undefined });
      await heartbeat.onApplicationShutdown();
    };
    const countBeats = () => good.taken.filter(({ path }) => path === '/beat').length;
    await beat(nothing);
    expect(countBeats()).toBe(0);
    await beat(source);
    expect(countBeats()).toBe(1);
    await nothing.destroy();
    await empty.stop();
  });

  it('never write an address or a secret into the log lines or the record', async () => {
    const events = JSON.stringify([await read('AlertRaised'), await read('AlertDelivered')]);
    expect(lines.join('')).toContain('a message was not accepted');
    for (const text of [lines.join(''), events])
      expect(text).not.toMatch(/key-0123456789|a-secret-of|127\.0\.0\.1/);
  });
});
