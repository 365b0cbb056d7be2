import { Client } from 'pg';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { itHasRedis, QUEUE_BACKENDS } from '../support/queue-backends.js';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 120_000;

/** A process that is asked to stop is gone after this time, whatever Redis does. */
const STOP_LIMIT_MS = 5_000;

interface Readiness {
  readonly degraded?: readonly string[];
  readonly statisticsBehindSeconds: number;
  readonly queue: { readonly state: string };
}

interface Job {
  readonly id: string;
  readonly state: string;
  readonly progress: number | null;
}

describe('a service on a queue', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let client: Client;
  let node: Devnode;

  beforeAll(async () => {
    database = await startEmptyDatabase();
    client = new Client(database.url);
    await client.connect();
    node = await startDevnode({ chainId: 'jobs-1', blockTimeMs: 200, daBlockTimeMs: 400 });
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await client?.end();
    await node?.stop();
    await database?.stop();
  }, PATIENCE_MS);

  const start = (redisUrl?: string): Promise<ServiceProcess> =>
    home.start(`dev=${node.url}`, {
      databaseUrl: database.url,
      ...(redisUrl !== undefined && { env: { REDIS_URL: redisUrl } }),
    });

  const readAttempts = async (): Promise<number> => {
    const { rows } = await client.query<{ sum: string | null }>(
      'SELECT sum(attempts) FROM statistic WHERE node_key = 0 AND grain = 2',
    );
    return Number(rows[0]?.sum ?? 0);
  };

  const readSchemas = async (): Promise<string[]> => {
    const { rows } = await client.query<{ name: string }>(
      `SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^(pg_|information)' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  };

  /** Statistics of submissions that were made from now on. */
  const waitForStatistics = async (): Promise<void> => {
    const known = await readAttempts();
    await waitFor('statistics', async () => (await readAttempts()) > known + 5 || undefined);
  };

  const readReadiness = async (service: ServiceProcess): Promise<Readiness> => {
    const response = await fetch(`${service.address}/health/ready`);
    expect(response.status).toBe(200);
    return (await response.json()) as Readiness;
  };

  const stopsInTime = async (service: ServiceProcess): Promise<void> => {
    const asked = performance.now();
    expect(await service.kill('SIGTERM')).toBe(0);
    expect(performance.now() - asked).toBeLessThan(STOP_LIMIT_MS);
  };

  it(
    'computes statistics again and rebuilds a read model when asked',
    async () => {
      const service = await start();
      await waitForStatistics();
      expect(await readReadiness(service)).toMatchObject({
        queue: { backend: 'postgres', state: 'reachable' },
      });
      const schemas = await readSchemas();
      expect(schemas).toEqual(expect.arrayContaining(['hindsight_queue', 'public']));
      await client.query('UPDATE statistic SET attempts = attempts + 1000000');
      const asked = await service.graphql<Record<string, Job>>(
        'mutation { recompute: recomputeStatistics(chain: "jobs-1") { id } rebuild: rebuildProjection(name: "record") { id } }',
      );
      for (const { id } of Object.values(asked)) {
        const job = await waitFor(`job ${id}`, async () => {
          const { jobs } = await service.graphql<{ jobs: Job[] }>('{ jobs { id state progress } }');
          return jobs.find((job) => job.id === id && ['COMPLETED', 'FAILED'].includes(job.state));
        });
        expect(job).toMatchObject({ state: 'COMPLETED', progress: 1 });
      }
      await waitFor('the right figure', async () => (await readAttempts()) < 1_000_000 || undefined);
      await stopsInTime(service);

      // A rebuild leaves no schema behind.
      expect(await readSchemas()).toEqual(schemas);
    },
    PATIENCE_MS,
  );

  describe('in Redis', () => {
    itHasRedis();

    (QUEUE_BACKENDS.includes('redis') ? it : it.skip)(
      'starts without it, uses it when it is there, and without it goes on computing and stops in time',
      async () => {
        const redis: TestRedis = await startTestRedis(5);
        try {
          await redis.kill();
          const service = await start(redis.url);
          expect(await readReadiness(service)).toMatchObject({
            degraded: [expect.stringContaining('job queue does not answer')],
            queue: { backend: 'redis', state: 'unreachable' },
          });
          await redis.revive();
          await waitFor('the queue', async () =>
            (await readReadiness(service)).queue.state === 'reachable' ? true : undefined,
          );
          await waitForStatistics();
          redis.hang();
          await waitForStatistics();
          await stopsInTime(service);
          expect(
            service.log.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line)).length,
          ).toBeLessThan(20);
        } finally {
          redis.resume();
          await redis.stop();
        }
      },
      PATIENCE_MS,
    );
  });
});
