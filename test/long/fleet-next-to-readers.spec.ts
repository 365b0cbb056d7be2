import { setTimeout as sleep } from 'node:timers/promises';
import { Agent, fetch, type RequestInit } from 'undici';
import { createDataSource } from '../../src/platform/database.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

/** Length of the readers' work. */
const SECONDS = Number(process.env['HINDSIGHT_ATTACK_SECONDS'] ?? 6);
const PATIENCE_MS = 180_000 + SECONDS * 1_000;
const CLIENTS = 200;
const DAY_MS = 86_400_000;
const LONGEST_GAP_MS = 6_000;
/** The longest median time of the fleet page; during a short run other specs use the processors, too. */
const SLOWEST_PAGE_MS = SECONDS >= 20 ? 1_000 : 3_000;

const yearReport = (): string => {
  const times = [Date.now() - 365 * DAY_MS, Date.now()].map((time) => new Date(time).toISOString());
  return `{ statistics(bucket: HOUR, from: "${times[0]}", to: "${times[1]}") { attempts successes failures } }`;
};

describe('the fleet page, next to readers of a whole year', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let service: ServiceProcess;
  const agents: Agent[] = [];

  beforeAll(async () => {
    database = await startEmptyDatabase();
    service = home.launch(['demo', '--node-port', '0', '--port', '0'], { databaseUrl: database.url });
    await service.ready;
    await waitFor('the sample year', async () => (await countYear()) > 1_000 || undefined, PATIENCE_MS);
  }, PATIENCE_MS);

  afterAll(async () => {
    await Promise.all(agents.map((agent) => agent.destroy()));
    await home.clear();
    await database?.stop();
  }, PATIENCE_MS);

  const countYear = async (): Promise<number> => {
    const { nodes } = await service.graphql<{ nodes: { submissionCount: string }[] }>(
      '{ nodes { submissionCount } }',
    );
    return Math.max(0, ...nodes.map(({ submissionCount }) => Number(submissionCount)));
  };

  const get = async (path: string, init: RequestInit = {}): Promise<{ status: number; ms: number }> => {
    const from = performance.now();
    const response = await fetch(service.address + path, init);
    await response.arrayBuffer();
    const { status } = response;
    // As a refused client should.
    if (status === 429) await sleep(Number(response.headers.get('retry-after')) * 1_000);
    return { status, ms: performance.now() - from };
  };

  /** Sends a request again and again, from an address; the statuses of the answers. */
  const repeat = async (until: number, path: string, init: RequestInit): Promise<number[]> => {
    const statuses = [];
    while (performance.now() < until) statuses.push((await get(path, init)).status);
    return statuses;
  };

  /** A client with an address of its own, because slots are shared out among clients. */
  const clientAt = (localAddress: string): Agent => {
    const agent = new Agent({ connect: { localAddress } });
    agents.push(agent);
    return agent;
  };

  /** The longest time without a poll of a node, in milliseconds. */
  const findGap = async (since: Date): Promise<number> => {
    const dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    try {
      const [row] = await dataSource.query<{ gap: number | null }[]>(
        `SELECT max((body->'looks'->>'longestGapMs')::float8) AS gap FROM event
          WHERE stream = 'alpha/submissions' AND recorded_at >= $1 AND body->'looks' IS NOT NULL`,
        [since],
      );
      return row?.gap ?? Infinity;
    } finally {
      await dataSource.destroy();
    }
  };

  it(
    `comes in time, while one client exports the year and ${CLIENTS} others request reports of it`,
    async () => {
      const since = new Date();
      const until = performance.now() + SECONDS * 1_000;
      const report = {
        method: 'POST',
        dispatcher: clientAt('127.0.0.3'),
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query: yearReport() }),
      };
      const files = repeat(until, '/export/blocks.ndjson', { dispatcher: clientAt('127.0.0.2') });
      const reports = Promise.all(Array.from({ length: CLIENTS }, () => repeat(until, '/graphql', report)));
      const [pages, statuses] = [[] as number[], new Set<number>()];
      while (performance.now() < until) {
        const page = await get('/', { headers: { accept: 'text/html' } });
        pages.push(page.ms);
        const probes = [await get('/health/live'), await get('/health/ready')];
        for (const { status } of [page, ...probes]) statuses.add(status);
        await sleep(100);
      }
      await sleep(2_500);
      expect(statuses).toEqual(new Set([200]));
      expect(pages.toSorted((a, b) => a - b)[Math.floor(pages.length / 2)]).toBeLessThan(SLOWEST_PAGE_MS);
      expect(await findGap(since)).toBeLessThan(LONGEST_GAP_MS);
      expect(await files).toContain(200);
      expect((await reports).flat()).toContain(200);
    },
    PATIENCE_MS,
  );
});
