import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Client } from 'pg';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { itAtOnce } from '../support/at-once.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { itHasRedis, QUEUE_BACKENDS } from '../support/queue-backends.js';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 120_000;

/** A process stops within this time after a signal, whatever Redis does. */
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

/** A node, and an empty database on which a service with a queue is started. */
class QueueWorld {
  private readonly home = new ServiceHome();

  private constructor(
    private readonly database: TestDatabase,
    readonly client: Client,
    private readonly node: Devnode,
  ) {}

  static async use(use: (world: QueueWorld) => Promise<void>): Promise<void> {
    const database = await startEmptyDatabase();
    const client = new Client(database.url);
    await client.connect();
    const node = await startDevnode({ chainId: 'jobs-1', blockTimeMs: 200, daBlockTimeMs: 400 });
    const world = new QueueWorld(database, client, node);
    try {
      await use(world);
    } finally {
      await world.stop();
    }
  }

  start(env: Readonly<Record<string, string>>): Promise<ServiceProcess> {
    return this.home.start(`dev=${this.node.url}`, { databaseUrl: this.database.url, env });
  }

  get dataDir(): string {
    return this.home.dataDir;
  }

  async readAttempts(): Promise<number> {
    const { rows } = await this.client.query<{ sum: string | null }>(
      'SELECT sum(attempts) FROM statistic WHERE node_key = 0 AND grain = 2',
    );
    return Number(rows[0]?.sum ?? 0);
  }

  async readSchemas(): Promise<string[]> {
    const { rows } = await this.client.query<{ name: string }>(
      `SELECT nspname AS name FROM pg_namespace WHERE nspname !~ '^(pg_|information)' ORDER BY 1`,
    );
    return rows.map(({ name }) => name);
  }

  /** Waits for statistics of submissions made from now on. */
  async waitForStatistics(): Promise<void> {
    const known = await this.readAttempts();
    await waitFor('statistics', async () => (await this.readAttempts()) > known + 5 || undefined);
  }

  private async stop(): Promise<void> {
    await this.home.clear();
    await this.client.end();
    await this.node.stop();
    await this.database.stop();
  }
}

async function readReadiness(service: ServiceProcess): Promise<Readiness> {
  const response = await fetch(`${service.address}/health/ready`);
  expect(response.status).toBe(200);
  return (await response.json()) as Readiness;
}

async function stopsInTime(service: ServiceProcess): Promise<void> {
  const asked = performance.now();
  expect(await service.kill('SIGTERM')).toBe(0);
  expect(performance.now() - asked).toBeLessThan(STOP_LIMIT_MS);
}

async function computesAndRebuilds(world: QueueWorld): Promise<void> {
  const spansFile = join(world.dataDir, 'spans.ndjson');
  const service = await world.start({
    NODE_OPTIONS: `--import ${resolve('test/support/trace-to-file.mjs')}`,
    SPANS_FILE: spansFile,
  });
  await world.waitForStatistics();
  expect(await readReadiness(service)).toMatchObject({
    queue: { backend: 'postgres', state: 'reachable' },
  });
  const schemas = await world.readSchemas();
  expect(schemas).toEqual(expect.arrayContaining(['hindsight_queue', 'public']));
  await world.client.query('UPDATE statistic SET attempts = attempts + 1000000');
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
  await waitFor('the right figure', async () => (await world.readAttempts()) < 1_000_000 || undefined);
  await hasSpans(service, spansFile);
  await stopsInTime(service);

  // A rebuild leaves no schema behind.
  expect(await world.readSchemas()).toEqual(schemas);
}

interface Span {
  readonly name: string;
  readonly kind: number;
  readonly trace: string;
  readonly parent: string | null;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly status: number;
}

/** An SDK of OpenTelemetry that was loaded before the program gets spans of requests, polls and jobs. */
async function hasSpans(service: ServiceProcess, file: string): Promise<void> {
  const [trace, parent] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const headers = { traceparent: `00-${trace}-${parent}-01` };
  expect((await fetch(`${service.address}/openapi.json`, { headers })).status).toBe(200);
  const request = await waitFor('the span of the request', () => {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    return lines.map((line) => JSON.parse(line) as Span).find((span) => span.trace === trace);
  });
  expect(request).toEqual({
    name: 'GET /openapi.json',
    kind: 1,
    trace,
    parent,
    attributes: {
      'http.request.method': 'GET',
      'http.route': '/openapi.json',
      'http.response.status_code': 200,
    },
    status: 0,
  });
  const spans = readFileSync(file, 'utf8').trimEnd().split('\n');
  const names = new Set(spans.map((line) => (JSON.parse(line) as Span).name));
  const expected = [
    'POST /graphql',
    'poll submissions',
    'poll blocks',
    'poll probes',
    'job roll-up',
    'job rebuild',
  ];
  expect([...names]).toEqual(expect.arrayContaining(expected));
}

async function doesWithoutRedis(world: QueueWorld): Promise<void> {
  const redis: TestRedis = await startTestRedis(5);
  try {
    await redis.kill();
    const service = await world.start({ REDIS_URL: redis.url });
    expect(await waitFor('it to be ready', () => readReadiness(service))).toMatchObject({
      degraded: [expect.stringContaining('job queue does not answer')],
      queue: { backend: 'redis', state: 'unreachable' },
    });
    await redis.revive();
    await waitFor('the queue', async () =>
      (await readReadiness(service)).queue.state === 'reachable' ? true : undefined,
    );
    await world.waitForStatistics();
    redis.hang();
    await world.waitForStatistics();
    await stopsInTime(service);
    expect(
      service.log.split('\n').filter((line) => /"level":"(warn|error|fatal)"/.test(line)).length,
    ).toBeLessThan(20);
  } finally {
    redis.resume();
    await redis.stop();
  }
}

describe('a service on a queue', () => {
  itHasRedis();

  itAtOnce(
    {
      'computes statistics again and rebuilds a read model when asked': () =>
        QueueWorld.use(computesAndRebuilds),
      ...(QUEUE_BACKENDS.includes('redis') && {
        'in Redis starts without it, uses it when available, and continues to compute and stops in time without it':
          () => QueueWorld.use(doesWithoutRedis),
      }),
    },
    2 * PATIENCE_MS,
  );
});
