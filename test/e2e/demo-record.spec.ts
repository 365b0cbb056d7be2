import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SECOND_NODE } from '../../src/cli/demo-year.js';
import { bringInSample, refuseDemoRecord } from '../../src/cli/demo-record.js';
import { connect } from '../../src/cli/connect.js';
import type { DatabasePool } from '../../src/platform/database.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { NodeRegistry } from '../../src/observe/node/node-registry.js';
import { SystemClock } from '../../src/platform/clock.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome } from '../support/service-process.js';

const PATIENCE_MS = 120_000;
const NOW = Date.UTC(2026, 10, 20);
const FOLDER = { dataDir: '.hindsight', databaseUrl: undefined };

describe('the record of the demo', () => {
  const home = new ServiceHome();
  let sample: TestDatabase;
  let own: TestDatabase;
  let pools: DatabasePool[] = [];

  const positionIn = (pool: DatabasePool | undefined): Promise<unknown> =>
    pool!.query('SELECT position FROM log_head');

  beforeAll(async () => {
    [sample, own] = await Promise.all([startTestDatabase(), startTestDatabase()]);
    pools = await Promise.all([connect(sample.url, 2), connect(own.url, 2)]);
    await bringInSample(FOLDER, sample.url, NOW);
    const event = {
      type: 'NodeRegistered',
      observedAt: NOW,
      body: { url: 'http://alpha.invalid' },
    } as const;
    await new EventStore(pools[1]!).append({
      stream: 'alpha/node',
      expectedVersion: 0n,
      events: [event],
    });
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await Promise.all(pools.map((pool) => pool.destroy()));
    await Promise.all([sample?.stop(), own?.stop()]);
  }, PATIENCE_MS);

  it('is refused by start before a node is written into it, with the commands to use', async () => {
    const before = await positionIn(pools[0]);
    const started = await home.run(['start', '--node', 'http://127.0.0.1:1', '--port', '0'], {
      databaseUrl: sample.url,
    });
    expect(started).toMatchObject({ code: 1, out: '' });
    expect(started.error).toContain("The record in this database is the demo's, and has synthetic events.");
    expect(started.error).toContain('node dist/main.js start --database-url URL');
    expect(await positionIn(pools[0])).toEqual(before);
    await expect(refuseDemoRecord(FOLDER, sample.url)).rejects.toMatchObject({
      message: "The record in .hindsight is the demo's, and has synthetic events.",
      remedy: expect.stringContaining('node dist/main.js demo --data-dir .hindsight') as string,
    });
  });

  it('ends soon before the demo begins, with retired nodes', async () => {
    const [last] = await pools[0]!.query<{ stream: string; type: string; observed: bigint }[]>(
      'SELECT stream, type, observed_at AS observed FROM event ORDER BY position DESC LIMIT 1',
    );
    expect(last).toMatchObject({ stream: `${SECOND_NODE}/node`, type: 'NodeRetired' });
    expect(Number(last?.observed) / 1000).toBeGreaterThan(NOW - 8 * 3_600_000);
    expect(Number(last?.observed) / 1000).toBeLessThanOrEqual(NOW);
  });

  it('continues its own record, and accepts no other', async () => {
    await bringInSample(FOLDER, sample.url, NOW + 1_000);
    await expect(bringInSample(FOLDER, own.url, NOW)).rejects.toThrow(
      "The record in .hindsight is not the demo's.",
    );
    await refuseDemoRecord(FOLDER, own.url);
  });

  it('retires nodes that a killed demo left', async () => {
    const registry = new NodeRegistry(new EventStore(pools[0]!), new SystemClock());
    await registry.register({
      id: SECOND_NODE,
      url: 'http://made-up.invalid',
      record: 'none',
      backfillFrom: 'first',
    });
    await bringInSample(FOLDER, sample.url, NOW + 2_000);
    const types = await pools[0]!.query<{ type: string }[]>(
      'SELECT type FROM event WHERE stream = $1 ORDER BY position DESC LIMIT 2',
      [`${SECOND_NODE}/node`],
    );
    expect(types.map(({ type }) => type)).toEqual(['NodeRetired', 'NodeRegistered']);
  });

  it('is in a folder of its own, whatever a settings file names', async () => {
    const help = await home.run(['demo', '--help']);
    expect(help.out.replaceAll(/\s+/g, ' ')).toContain('HINDSIGHT_DATA_DIR; default: .hindsight-demo');
    const folder = mkdtempSync(join(tmpdir(), 'hindsight-demo-'));
    const config = join(folder, 'hindsight.yaml');
    writeFileSync(config, `dataDir: /nowhere\ndatabaseUrl: ${own.url}\n`);
    // This folder cannot be created: the error shows which one is used.
    writeFileSync(join(folder, 'file'), '');
    const run = await home.run(['demo', '--port', '0', '--node-port', '0', '--config', config], {
      env: { HINDSIGHT_DATA_DIR: join(folder, 'file') },
    });
    expect(run.code).toBe(1);
    expect(run.error).toContain(join(folder, 'file'));
    rmSync(folder, { recursive: true });
  });
});
