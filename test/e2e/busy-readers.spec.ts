import type { DataSource } from 'typeorm';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { createDataSource } from '../../src/platform/database.js';
import { poolSizes } from '../../src/platform/pools.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';
import { TableLock } from '../support/table-lock.js';

const PATIENCE_MS = 180_000;
const CLIENTS = 6;
/** Rows that must be recorded while every reader is blocked. */
const ROWS = 10;

const BOOKS = `{ ${Array.from({ length: 15 }, (_, i) => `a${i}: priceBook(chain: "busy-1") { subject }`).join(' ')} }`;

describe('a service whose readers are all blocked', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;
  let node: Devnode;
  let service: ServiceProcess;

  beforeAll(async () => {
    database = await startEmptyDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    node = await startDevnode({ chainId: 'busy-1', blockTimeMs: 200, daBlockTimeMs: 400 });
    service = await home.start(`dev=${node.url}`, { databaseUrl: database.url });
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await node?.stop();
    await dataSource?.destroy();
    await database?.stop();
  }, PATIENCE_MS);

  const count = async (sql: string): Promise<number> => {
    const [row] = await dataSource.query<{ count: number }[]>(`SELECT (${sql})::int AS count`);
    return row?.count ?? 0;
  };
  const countRows = (): Promise<number> => count('SELECT count(*) FROM submission');
  const grown = (from: number): Promise<number> =>
    waitFor(
      'submissions to come in',
      async () => {
        const rows = await countRows();
        return rows >= from + ROWS ? rows : undefined;
      },
      PATIENCE_MS,
    );

  it(
    'continues to record and project, and reports that it is ready',
    async () => {
      const before = await grown(0);
      // Queries read this table; recording and its read model do not need it.
      const lock = await TableLock.take(database.url, 'price');
      const leaving = new AbortController();
      try {
        // Equal queries would be joined.
        const clients = Array.from({ length: CLIENTS }, async (_, client) => {
          while (!leaving.signal.aborted) {
            await fetch(`${service.address}/graphql`, {
              method: 'POST',
              headers: { 'content-type': 'application/json' },
              body: JSON.stringify({ query: `${BOOKS} # ${client}` }),
              signal: leaving.signal,
            }).then(
              (answer) => answer.text(),
              () => undefined,
            );
          }
        });
        await waitFor('all readers to wait', async () =>
          (await lock.findWaiting()).length >= poolSizes('all').reads ? true : undefined,
        );
        await grown(before);
        const ready = await fetch(`${service.address}/health/ready`);
        expect([ready.status, await ready.json()]).toEqual([
          200,
          expect.objectContaining({ ready: true, observing: 'leading' }),
        ]);
        expect(await count(`SELECT count(*) FROM event WHERE type = 'SubmissionWindowLost'`)).toBe(0);
        leaving.abort();
        await Promise.all(clients);
      } finally {
        leaving.abort();
        await lock.release();
      }
    },
    PATIENCE_MS,
  );

  it('opens no more connections than its pools allow', async () => {
    const sizes = Object.values<number>({ ...poolSizes('all') });
    const most = sizes.reduce((sum, size) => sum + size, 0);
    const name = `hindsight ${service.pid}`;
    expect(
      await count(`SELECT count(*) FROM pg_stat_activity WHERE application_name = '${name}'`),
    ).toBeLessThanOrEqual(most);
    expect(most).toBe(20);
  });
});
