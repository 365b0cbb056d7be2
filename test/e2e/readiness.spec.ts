import type { DataSource } from 'typeorm';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { createDataSource } from '../../src/platform/database.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 180_000;

interface Ready {
  readonly status: number;
  readonly ready: boolean;
  readonly reason?: string;
  readonly observing?: string;
}

describe('readiness of a service that records', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;
  let node: Devnode;
  let service: ServiceProcess;

  const ask = async (): Promise<Ready> => {
    const response = await fetch(`${service.address}/health/ready`);
    return { status: response.status, ...((await response.json()) as Omit<Ready, 'status'>) };
  };

  beforeAll(async () => {
    database = await startEmptyDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    node = await startDevnode({ chainId: 'ready-1', blockTimeMs: 1_000, daBlockTimeMs: 1_000 });
    service = await home.start(`dev=${node.url}`, { databaseUrl: database.url });
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await node?.stop();
    await dataSource?.destroy();
    await database?.stop();
  }, PATIENCE_MS);

  it(
    'is gone within a minute of a full disk, with the reason, and back when there is room',
    async () => {
      await waitFor('it to lead', async () => (await ask()).observing === 'leading' || undefined);
      expect(await ask()).toMatchObject({ status: 200, ready: true });
      await dataSource.query(`
        CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN RAISE EXCEPTION 'No space left on device' USING ERRCODE = 'disk_full'; END $$;
        CREATE TRIGGER full_disk BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION full_disk()`);
      const full = await waitFor(
        'it to notice',
        async () => {
          const answer = await ask();
          return answer.status === 503 ? answer : undefined;
        },
        PATIENCE_MS,
      );
      expect(full.reason).toMatch(/^Nothing can be recorded for \d+ s: .*No space left on device/);
      await dataSource.query('DROP TRIGGER full_disk ON event');
      await waitFor('it to record again', async () => (await ask()).status === 200 || undefined, PATIENCE_MS);
    },
    2 * PATIENCE_MS,
  );
});
