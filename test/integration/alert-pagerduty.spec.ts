import { pino } from 'pino';
import type { AlertsService } from '../../src/alerts/alerts.service.js';
import { IncidentsQuery } from '../../src/api/incidents/incidents.query.js';
import { incidentStream } from '../../src/api/incidents/incident-notes.reader.js';
import { ALERT_RULES } from '../../src/domain/alerts/alert-rules.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { SystemClock } from '../../src/platform/clock.js';
import { JobHandlers } from '../../src/platform/queues/job-kind.js';
import { JobQueue } from '../../src/platform/queues/job-queue.js';
import { JobWorker } from '../../src/platform/queues/job-worker.js';
import { newAlerts } from '../support/alerts.js';
import { HttpSink } from '../support/http-sink.js';
import { startTestQueue, type TestQueue } from '../support/queue-backends.js';
import { waitFor } from '../support/service-process.js';
import { useDatabase } from '../support/use-database.js';

interface PagedEvent {
  readonly event_action: string;
  readonly dedup_key: string;
}

describe('an alert at PagerDuty', () => {
  const clock = new SystemClock();
  const logger = pino({ level: 'silent' });
  const database = useDatabase();
  let sink: HttpSink;
  let queue: TestQueue;
  let jobs: JobQueue;
  let worker: JobWorker;
  let service: AlertsService;

  beforeAll(async () => {
    sink = await HttpSink.start();
    queue = await startTestQueue('postgres', 12);
    const handlers = new JobHandlers();
    jobs = new JobQueue(queue.place, clock, logger);
    const incidents = new IncidentsQuery(database);
    service = newAlerts(
      database,
      jobs,
      handlers,
      {
        destinations: [{ id: 'pager', kind: 'pagerduty', url: sink.url, routingKey: 'K'.repeat(32) }],
        rules: ALERT_RULES,
        maintenance: [],
        clock,
        logger,
      },
      {
        readOwnHealth: () => Promise.resolve({ degraded: [] }),
        findIncident: (...question) => incidents.findIncidentAt(...question),
      },
    );
    service.onModuleInit();
    worker = new JobWorker(queue.place, handlers, clock, logger);
    worker.start();
    await database.query(
      `INSERT INTO node (node_key, id, url, chain_id, from_position) VALUES (1, 'n1', 'http://n1', 'alpha-1', 1)`,
    );
    await database.query(`INSERT INTO health_interval (node, component, from_at, to_at, state, rule, reason, differed_ms, from_position)
        VALUES ('n1', 'DA', now() - interval '10 min', NULL, 'CRITICAL', 'failing', 'it fails', 0, 1)`);
  });

  afterAll(async () => {
    await worker?.stop();
    await jobs?.close();
    await service?.onApplicationShutdown();
    await queue?.stop();
    await sink?.stop();
  });

  const events = (): PagedEvent[] => sink.taken.map(({ body }) => JSON.parse(body) as PagedEvent);
  const actions = (): string[] => events().map(({ event_action: action }) => action);
  const delivered = (count: number): Promise<true> =>
    waitFor(`${count} deliveries`, async () => {
      await queue.hasten();
      const [row] = await database.query<{ count: number }[]>(
        `SELECT count(*)::int AS count FROM event WHERE type = 'AlertDelivered'`,
      );
      return row?.count === count || undefined;
    });

  it('is triggered again until it is accepted', async () => {
    sink.status = 'drop';
    await service.watch();
    await waitFor('a lost trigger', async () => sink.taken.length > 0 || undefined);
    sink.status = 202;
    await delivered(1);
    expect(new Set(actions())).toEqual(new Set(['trigger']));
  });

  it('is acknowledged once, when its incident is', async () => {
    sink.taken.length = 0;
    const incident = await new IncidentsQuery(database).findIncidentAt('n1', 'DA', clock.now() - 60_000);
    const body = { incident: incident?.id ?? '', note: 'on it', by: 'ana' };
    await new EventStore(database).append({
      stream: incidentStream('n1'),
      expectedVersion: 0n,
      events: [{ type: 'IncidentAcknowledged', observedAt: clock.now(), body }],
    });
    await service.watch();
    await service.watch();
    await delivered(2);
    expect(actions()).toEqual(['acknowledge']);
  });

  it('is resolved under the key with which it began', async () => {
    await database.query(`UPDATE health_interval SET to_at = now() - interval '6 min'`);
    await service.watch();
    await delivered(3);
    expect(actions()).toEqual(['acknowledge', 'resolve']);
    expect(new Set(events().map(({ dedup_key: key }) => key)).size).toBe(1);
  });
});
