import { pino } from 'pino';
import type { DataSource } from 'typeorm';
import { ALERT_RULES } from '../../src/domain/alerts/alert-rules.js';
import type { AlertsService } from '../../src/alerts/alerts.service.js';
import { SystemClock, type Clock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { openQueue } from '../../src/platform/queues/bullmq.js';
import { JobHandlers } from '../../src/platform/queues/job-kind.js';
import { JobQueue } from '../../src/platform/queues/job-queue.js';
import { JobWorker } from '../../src/platform/queues/job-worker.js';
import { newAlerts } from '../support/alerts.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { HttpSink } from '../support/http-sink.js';
import { itHasRedis, QUEUE_BACKENDS, startTestQueue, type TestQueue } from '../support/queue-backends.js';
import { waitFor } from '../support/service-process.js';
import { SmtpSink } from '../support/smtp-sink.js';

const MINUTE = 60_000;
const STEP_MS = 60_000;
const PATIENCE_MS = 300_000;

describe('the queue of alerts', itHasRedis);

describe.each(QUEUE_BACKENDS)('alerts while destinations are away, with a queue on %s', (backend) => {
  const real = new SystemClock();
  /** How far the clock has been moved forward, in milliseconds. */
  let ahead = 0;
  const clock: Clock = {
    now: () => real.now() + ahead,
    monotonic: () => real.monotonic() + ahead,
    sleep: (ms, signal) => real.sleep(ms, signal),
  };
  const logger = pino({ level: 'silent' });
  let database: TestDatabase;
  let source: DataSource;
  let queue: TestQueue;
  let http: HttpSink;
  let smtp: SmtpSink;
  let jobs: JobQueue;
  let worker: JobWorker;
  let service: AlertsService;

  beforeAll(async () => {
    database = await startTestDatabase();
    source = await createDataSource({ url: database.url }).initialize();
    queue = await startTestQueue(backend, 11);
    [http, smtp] = [await HttpSink.start(), await SmtpSink.start()];
    await source.query(`INSERT INTO node (node_key, id, url, chain_id, from_position)
      VALUES (1, 'n1', 'http://n1', 'alpha-1', 1)`);
    await source.query(`INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
      VALUES ('n1', 'DA', now() - interval '10 min', NULL, 'CRITICAL', 'failing', 'it fails', 0, 1)`);
    const handlers = new JobHandlers();
    jobs = new JobQueue(queue.place, real, logger);
    service = newAlerts(source, jobs, handlers, {
      destinations: [
        { id: 'ops', kind: 'webhook', url: `${http.url}/hook`, remindMs: 120 * MINUTE },
        {
          id: 'mail',
          kind: 'email',
          url: `smtp://127.0.0.1:${smtp.port}`,
          from: 'us@x.org',
          to: 'ops@x.org',
        },
      ],
      rules: ALERT_RULES.filter(({ condition }) => condition.kind === 'health'),
      maintenance: [],
      clock,
      logger,
    });
    service.onModuleInit();
    worker = new JobWorker(queue.place, handlers, real, logger);
    worker.start();
  }, PATIENCE_MS);

  afterAll(async () => {
    await worker?.stop();
    await jobs?.close();
    await service?.onApplicationShutdown();
    await Promise.all([http, smtp].map((sink) => sink?.stop()));
    await source?.destroy();
    await queue?.stop();
    await database?.stop();
  }, PATIENCE_MS);

  /** The queue forgets every job, including those that wait for their next try. */
  const flush = async (): Promise<void> => {
    const own = openQueue(queue.place);
    await own.obliterate({ force: true });
    await own.resume();
    await own.close();
  };
  const delivered = async (): Promise<string[]> => {
    const rows = await source.query<{ to: string }[]>(
      "SELECT body->>'destination' || ' ' || (body->>'outcome') AS to FROM event WHERE type = 'AlertDelivered' ORDER BY position",
    );
    return rows.map(({ to }) => to);
  };
  const until = (what: string, isSo: () => boolean | Promise<boolean>): Promise<true> =>
    waitFor(what, async () => (await isSo()) || undefined, STEP_MS);
  const messageIds = () => smtp.mails.map((mail) => /^Message-ID: (.*)\r$/im.exec(mail)?.[1]);

  it(
    'arrive after an hour although the queue keeps forgetting them, with the same key and Message-ID',
    async () => {
      [http.status, smtp.answer] = ['drop', 421];
      for (let tries = 1; tries <= 4; tries += 1) {
        await service.watch();
        await until('a try of each', () => http.taken.length >= tries && smtp.mails.length >= tries);
        ahead += 20 * MINUTE;
        await flush();
      }
      expect(await delivered()).toEqual([]);
      [http.status, smtp.answer] = [200, 250];
      await service.watch();
      await until('both', async () => (await delivered()).length === 2);
      expect((await delivered()).toSorted()).toEqual(['mail DELIVERED', 'ops DELIVERED']);
      const keys = http.taken.map(({ headers }) => headers['x-hindsight-key']);
      expect(new Set(keys).size).toBe(1);
      expect(new Set(messageIds())).toEqual(new Set([`<${String(keys[0])}@hindsight>`]));
      expect(new Set(http.taken.map(({ body }) => body)).size).toBe(1);
      expect(new Set(smtp.mails).size).toBe(1);
    },
    PATIENCE_MS,
  );

  it(
    'are repeated once to the destinations that want reminders',
    async () => {
      const [before, mails] = [http.taken.length, smtp.mails.length];
      ahead += 60 * MINUTE;
      await service.watch();
      await service.watch();
      await until('it', () => http.taken.length === before + 1);
      expect(JSON.parse(http.taken.at(-1)?.body ?? '')).toMatchObject({ status: 'REMINDED', until: null });
      await until('its record', async () => (await delivered()).length === 3);
      await service.watch();
      expect([http.taken.length, smtp.mails.length]).toEqual([before + 1, mails]);
    },
    PATIENCE_MS,
  );
});
