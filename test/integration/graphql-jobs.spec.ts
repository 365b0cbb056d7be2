import { verifyLog } from '../../src/event-log/verify-log.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createLogger } from '../../src/platform/logger.js';
import { JobHandlers } from '../../src/platform/queues/job-kind.js';
import { JobQueue } from '../../src/platform/queues/job-queue.js';
import { JobWorker } from '../../src/platform/queues/job-worker.js';
import { REBUILD_JOB } from '../../src/statistics/jobs/rebuild.job.js';
import { RECOMPUTE_JOB } from '../../src/statistics/jobs/recompute-statistics.job.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { itHasRedis, QUEUE_BACKENDS, startTestQueue, type TestQueue } from '../support/queue-backends.js';
import { waitFor } from '../support/service-process.js';

interface Job {
  readonly id: string;
  readonly name: string;
  readonly state: string;
  readonly data: unknown;
  readonly progress: number | null;
  readonly attempts: number;
  readonly failedReason: string | null;
  readonly createdAt: string;
  readonly startedAt: string | null;
  readonly finishedAt: string | null;
}

const FIELDS = 'id name state data progress attempts failedReason createdAt startedAt finishedAt';

describe('the queue behind GraphQL', itHasRedis);

describe.each(QUEUE_BACKENDS)('jobs in GraphQL, on %s', (backend) => {
  let database: TestDatabase;
  let queue: TestQueue;
  let api: ApiServer;

  beforeAll(async () => {
    database = await startTestDatabase();
    queue = await startTestQueue(backend, 4);
    api = await startApi(database.url, { queue: queue.place });
    await api.dataSource.query(
      `INSERT INTO lineage (lineage_key, chain_id, n, from_position) VALUES (1, 'alpha-1', 1, 1)`,
    );
  });

  afterAll(async () => {
    await api?.stop();
    await queue?.stop();
    await database?.stop();
  });

  const recompute = async (args: string): Promise<Job> =>
    (await api.read<{ job: Job }>(`mutation { job: recomputeStatistics${args} { ${FIELDS} } }`)).job;

  const find = async (id: string): Promise<Job | undefined> =>
    (await api.read<{ jobs: Job[] }>(`{ jobs { ${FIELDS} } }`)).jobs.find((job) => job.id === id);

  const readRequests = (): Promise<unknown[]> =>
    api.dataSource.query("SELECT stream, body FROM event WHERE type = 'JobRequested' ORDER BY position");

  it('report the state of the queue', async () => {
    const response = await fetch(`${api.url}/health/ready`);
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({
      ready: true,
      queue: { backend, state: 'reachable', jobs: { waiting: 0, failed: 0 } },
    });
  });

  it('are added with their arguments, once', async () => {
    const asked = '(chain: "alpha-1", from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00.0000005Z")';
    const job = await recompute(asked);
    expect(job).toMatchObject({
      name: 'recompute-statistics',
      state: 'WAITING',
      data: { chain: 'alpha-1', from: '1767225600000000', to: '1769904000000001' },
      progress: null,
      attempts: 0,
      failedReason: null,
      startedAt: null,
      finishedAt: null,
    });
    expect((await recompute(asked)).id).toBe(job.id);
    expect((await recompute('')).data).toEqual({});
    expect(await find(job.id)).toEqual(job);
  });

  it('are recorded once for each request, with the first caller, before they run', async () => {
    const range = { chain: 'alpha-1', from: '1767225600000000', to: '1769904000000001' };
    const recorded = { job: 'recompute-statistics', by: 'loopback' };
    expect(await readRequests()).toEqual([
      { stream: 'alpha-1/operator', body: { ...recorded, arguments: range } },
      { stream: '*/operator', body: { ...recorded, arguments: {} } },
    ]);
    expect(await verifyLog(api.dataSource, () => undefined)).toEqual({
      events: 2,
      streams: 2,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  it('are one job, in the queue and on record, for three hundred equal requests at once', async () => {
    const before = (await readRequests()).length;
    const request = 'recomputeStatistics(chain: "alpha-1", to: "2026-01-01T00:00:00Z") { id }';
    const query = `mutation { ${Array.from({ length: 60 }, (_, n) => `a${n}: ${request}`).join(' ')} }`;
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => api.read<Record<string, Job>>(query)));
    const ids = answers.flatMap((answer) => Object.values(answer).map(({ id }) => id));
    expect([ids.length, new Set(ids).size]).toEqual([300, 1]);
    expect((await readRequests()).length - before).toBe(1);
    const { jobs } = await api.read<{ jobs: Job[] }>('{ jobs(states: [WAITING]) { data } }');
    expect(jobs.filter(({ data }) => JSON.stringify(data).includes('"to"'))).toHaveLength(2);
  });

  it('are listed by state, the newest first', async () => {
    const { all, one, none } = await api.read<Record<string, { createdAt: string }[]>>(
      `{ all: jobs { createdAt } one: jobs(states: [WAITING], first: 1) { createdAt } none: jobs(states: [FAILED]) { createdAt } }`,
    );
    expect(all).toHaveLength(3);
    expect(one).toEqual(all?.slice(0, 1));
    expect(none).toEqual([]);
    const times = all?.map(({ createdAt }) => createdAt) ?? [];
    expect(times).toEqual([...times].sort().reverse());
  });

  it.each([
    ['a chain without a record', 'mutation { recomputeStatistics(chain: "beta-1") { id } }', 'NOT_FOUND'],
    [
      'a time that is empty',
      'mutation { recomputeStatistics(from: "2026-02-01T00:00Z", to: "2026-02-01T00:00Z") { id } }',
      'BAD_USER_INPUT',
    ],
    [
      'a read model that there is not',
      'mutation { rebuildProjection(name: "toString") { id } }',
      'BAD_USER_INPUT',
    ],
    ['a job that there is not', 'mutation { retryJob(id: "123456") { id } }', 'NOT_FOUND'],
    ['no job at all', '{ jobs(first: 0) { id } }', 'BAD_USER_INPUT'],
    ['too many jobs', '{ jobs(first: 1001) { id } }', 'BAD_USER_INPUT'],
  ])('are refused: %s', async (_, query, code) => {
    expect(await api.codesOf(query)).toEqual([code]);
  });

  it('show why they failed, and run again on request', async () => {
    let isBroken = true;
    const requests = (await readRequests()).length;
    const handlers = new JobHandlers();
    handlers.add({ ...REBUILD_JOB, attempts: 1 }, async () => undefined);
    handlers.add(RECOMPUTE_JOB, async (range, { progress }) => {
      progress(0.5);
      if (isBroken) throw new Error(`nothing works in ${range.chain ?? 'any chain'}`);
    });
    const waiting = await recompute('(chain: "alpha-1", from: "2026-01-01T00:00:00Z")');
    expect(await api.codesOf(`mutation { retryJob(id: "${waiting.id}") { id } }`)).toEqual([
      'BAD_USER_INPUT',
    ]);
    const worker = new JobWorker(queue.place, handlers, new SystemClock(), createLogger('silent'));
    worker.start();
    try {
      const { job } = await api.read<{ job: Job }>(
        `mutation { job: rebuildProjection(name: "coverage") { ${FIELDS} } }`,
      );
      expect(job).toMatchObject({ name: 'rebuild', data: { projection: 'coverage' } });
      await waitFor('the rebuild', async () =>
        (await find(job.id))?.state === 'COMPLETED' ? true : undefined,
      );
      const failing = await waitFor('the first failure', async () => {
        const seen = await find(waiting.id);
        return seen?.failedReason ? seen : undefined;
      });
      expect(failing).toMatchObject({ failedReason: 'nothing works in alpha-1' });
      isBroken = false;
      const done = await waitFor('the next try', async () => {
        await queue.hasten();
        const seen = await find(waiting.id);
        return seen?.state === 'COMPLETED' ? seen : undefined;
      });
      expect(done).toMatchObject({ progress: 0.5, attempts: 2 });
      // Requests of this job and of the rebuild, and no request of the job that could not be retried.
      expect((await readRequests()).slice(requests)).toMatchObject([
        { body: { job: 'recompute-statistics' } },
        {
          stream: '*/operator',
          body: { job: 'rebuild', arguments: { projection: 'coverage' }, by: 'loopback' },
        },
      ]);
    } finally {
      await worker.stop();
    }
  });
});

describe('a job that has failed for good', () => {
  it("is retried, and the retry is recorded with the job's name and the caller", async () => {
    const database = await startTestDatabase();
    const place = { backend: 'postgres', url: database.url } as const;
    const key = 'a-key-of-16-chars';
    const api = await startApi(database.url, { queue: place, keys: [key] });
    const clock = new SystemClock();
    const once = { ...RECOMPUTE_JOB, attempts: 1 };
    const producer = new JobQueue(place, clock, createLogger('silent'));
    const handlers = new JobHandlers();
    handlers.add(once, async () => {
      throw new Error('nothing works');
    });
    const worker = new JobWorker(place, handlers, clock, createLogger('silent'));
    try {
      const id = await producer.add(once, {});
      worker.start();
      await waitFor('the failure', async () => (await producer.find(id))?.state === 'FAILED' || undefined);
      await worker.stop();
      const { data } = await api.ask(`mutation { retryJob(id: "${id}") { id } }`, {}, { 'x-api-key': key });
      expect(data).toEqual({ retryJob: { id } });
      expect(await api.dataSource.query('SELECT stream, type, body FROM event')).toEqual([
        {
          stream: '*/operator',
          type: 'JobRequested',
          body: { job: 'retry', arguments: { id, name: 'recompute-statistics' }, by: 'settings' },
        },
      ]);
    } finally {
      await worker.stop();
      await producer.close();
      await api.stop();
      await database.stop();
    }
  });
});

describe('jobs in GraphQL, without a queue', () => {
  it('are reported as UNAVAILABLE by a process that only observes', async () => {
    const database = await startTestDatabase();
    const api = await startApi(database.url);
    try {
      const answer = await api.ask('{ jobs { id } }');
      expect([answer.status, answer.errors?.[0]?.extensions.code]).toEqual([503, 'UNAVAILABLE']);
    } finally {
      await api.stop();
      await database.stop();
    }
  });

  it('are reported as UNAVAILABLE while Redis is away, and everything else is answered', async () => {
    const database = await startTestDatabase();
    const place = { backend: 'redis', url: 'redis://127.0.0.1:1', prefix: 'test' } as const;
    const api = await startApi(database.url, { queue: place });
    try {
      const asked = fetch(`${api.url}/health/ready`);
      const answer = await api.ask('mutation { rebuildProjection(name: "coverage") { id } }');
      expect([answer.status, answer.errors?.[0]?.extensions.code]).toEqual([503, 'UNAVAILABLE']);
      expect(await api.read('{ nodes { id } }')).toEqual({ nodes: [] });
      const response = await asked;
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({
        ready: true,
        degraded: [expect.stringContaining('job queue does not answer')],
        queue: { backend: 'redis', state: 'unreachable' },
      });
    } finally {
      await api.stop();
      await database.stop();
    }
  });
});
