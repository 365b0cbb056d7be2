import type { DataSource } from 'typeorm';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { verifyLog } from '../../src/event-log/verify-log.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { createLogger } from '../../src/platform/logger.js';
import { loadSettings } from '../../src/settings/settings.js';
import { startService, type RunningService } from '../../src/service.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { waitFor } from '../support/service-process.js';
import { SteppableClock } from '../support/steppable-clock.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PATIENCE_MS = 300_000;
/** Clock offsets, applied one after the other; the clock is right again after each. */
const STEPS: readonly (readonly [string, (now: number) => number])[] = [
  ['an hour ahead', () => HOUR_MS],
  ['an hour back', () => -HOUR_MS],
  ['thirty days back', () => -30 * DAY_MS],
  ['four hundred days ahead', () => 400 * DAY_MS],
  ['in 1970', (now) => 1_000 - now],
  ['in the year 9999', (now) => Date.UTC(9999, 11, 1) - now],
];

interface NodeAnswer {
  readonly submissionCount: string;
  readonly da: { readonly state: string };
  readonly node: { readonly state: string };
}

describe('a service on a computer whose clock is set repeatedly', () => {
  const clock = new SteppableClock(new SystemClock());
  let database: TestDatabase;
  let dataSource: DataSource;
  let devnode: Devnode;
  let service: RunningService;

  beforeAll(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
    devnode = await startDevnode({ chainId: 'clock-1', blockTimeMs: 300, daBlockTimeMs: 400 });
    service = await startService({
      settings: loadSettings({ flags: { port: '0', node: [`c=${devnode.url}`] }, env: {}, file: undefined }),
      databaseUrl: database.url,
      clock,
      logger: createLogger('silent'),
      version: 'test',
    });
  }, PATIENCE_MS);

  afterAll(async () => {
    await service?.close();
    await devnode?.stop();
    await dataSource?.destroy();
    await database?.stop();
  }, PATIENCE_MS);

  async function ask<T>(query: string): Promise<T> {
    const response = await fetch(`${service.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query }),
    });
    return ((await response.json()) as { data: T }).data;
  }

  async function readNode(): Promise<NodeAnswer> {
    const answer = await ask<{ nodes: NodeAnswer[] }>(
      '{ nodes { submissionCount da { state } node { state } } }',
    );
    if (!answer.nodes[0]) throw new Error('the node is not there yet');
    return answer.nodes[0];
  }

  async function readSubmissions(): Promise<number> {
    return Number((await readNode()).submissionCount);
  }

  async function readAttempts(): Promise<number> {
    const [row] = await dataSource.query<{ attempts: string }[]>(
      'SELECT coalesce(sum(attempts), 0) AS attempts FROM statistic',
    );
    return Number(row?.attempts ?? 0);
  }

  /** New submissions reach the record, and then the statistics. */
  async function expectProgress(what: string): Promise<void> {
    const known = await readSubmissions();
    await waitFor(`submissions recorded ${what}`, async () =>
      (await readSubmissions()) >= known + 3 ? true : undefined,
    );
    const attempts = await readAttempts();
    await waitFor(`statistics computed ${what}`, async () =>
      (await readAttempts()) > attempts ? true : undefined,
    );
  }

  it(
    'continues to record and compute, whatever the clock shows',
    async () => {
      await waitFor('the first submissions', async () => ((await readSubmissions()) > 3 ? true : undefined));
      for (const [name, offBy] of STEPS) {
        clock.offBy = offBy(Date.now());
        await expectProgress(`while the clock is ${name}`);
        clock.offBy = 0;
        await expectProgress(`after the clock was ${name}`);
      }
    },
    PATIENCE_MS,
  );

  it(
    'records that the clock was set',
    async () => {
      clock.offBy = -HOUR_MS;
      const [step] = await waitFor('a step on record', async () => {
        const rows = await dataSource.query<
          { body: { wallBefore: number; wallAfter: number; elapsedMs: number } }[]
        >(`SELECT body FROM event WHERE stream = 'c/node' AND type = 'ClockStepped'`);
        return rows.length > 0 ? rows.map(({ body }) => body) : undefined;
      });
      clock.offBy = 0;
      const by = (step?.wallAfter ?? 0) - (step?.wallBefore ?? 0) - (step?.elapsedMs ?? 0);
      expect(Math.abs(by)).toBeGreaterThanOrEqual(2_000);
    },
    PATIENCE_MS,
  );

  it(
    'finds the node healthy, never critical, and the log complete and in chronological order',
    async () => {
      await waitFor('the node to be healthy', async () => {
        const { da, node } = await readNode();
        return da.state === 'HEALTHY' && node.state === 'HEALTHY' ? true : undefined;
      });
      for (const component of ['DA', 'NODE']) {
        const { healthHistory } = await ask<{ healthHistory: { state: string; rule: string }[] }>(
          `{ healthHistory(node: "c", component: ${component}) { state rule } }`,
        );
        expect(healthHistory.filter(({ state }) => state === 'CRITICAL')).toEqual([]);
      }
      const [far] = await dataSource.query<{ count: bigint }[]>(
        `SELECT count(*) FROM event WHERE abs(extract(epoch FROM recorded_at - observed_at)) > 100`,
      );
      expect(far?.count).toBe(0n);
      expect((await verifyLog(dataSource, () => undefined)).fault).toBeUndefined();
      const ready = (await (await fetch(`${service.url}/health/ready`)).json()) as {
        ready: boolean;
        statisticsBehindSeconds: number;
      };
      expect(ready.ready).toBe(true);
      expect(ready.statisticsBehindSeconds).toBeLessThan(60);
    },
    PATIENCE_MS,
  );
});
