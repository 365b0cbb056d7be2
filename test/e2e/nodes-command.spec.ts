import type { DataSource } from 'typeorm';
import { setTimeout as sleep } from 'node:timers/promises';
import { appendNext } from '../../src/event-log/append-next.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { onConnection } from '../../src/platform/sql.js';
import { describeUpgrade, readUpgrades } from '../../src/statistics/upgrades.reader.js';
import { createDataSource } from '../../src/platform/database.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import type { CommandResult } from '../support/command-here.js';
import { ServiceHome, waitFor } from '../support/service-process.js';
import { SmallLog } from '../support/small-log.js';

describe('hindsight nodes', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let home: ServiceHome;
  let waited: CommandResult | undefined;

  const run = (...args: string[]) => home.runHere(['nodes', ...args], database.url);
  const nodes = async () =>
    (await dataSource.query('SELECT id AS node FROM reporting.nodes ORDER BY 1')) as unknown;

  beforeAll(async () => {
    home = new ServiceHome();
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
    const log = new SmallLog().register('alpha', 'lab-1').register('beta', 'lab-2').describe('beta', 'lab-2');
    log.rows('alpha', [{ da: 1 }]).rows('beta', [{ da: 2 }]);
    await appendLog(dataSource, log.events);
    expect((await home.runHere(['rebuild'], database.url)).code).toBe(0);
  });
  afterAll(async () => {
    await dataSource?.destroy();
    await home?.clear();
    await database?.stop();
  });

  it('excludes a node with the chain that only this node had, and says by whom and why', async () => {
    expect(await run()).toMatchObject({ code: 0, out: 'No node is excluded.\n' });
    expect(await nodes()).toEqual([{ node: 'alpha' }, { node: 'beta' }]);
    const excluded = await run('exclude', 'beta', '--why', 'a test network');
    expect(excluded).toMatchObject({ code: 0 });
    expect(excluded.out).toContain('beta is excluded. Remove it from the settings');
    expect(excluded.out).toContain('All figures, lists and pages follow.');
    expect(await nodes()).toEqual([{ node: 'alpha' }]);
    expect(await dataSource.query('SELECT id AS chain FROM reporting.chains')).toEqual([{ chain: 'lab-1' }]);
    expect((await run('list')).out).toMatch(
      /EXCLUDED +SINCE +BY +WHY\s+beta +.*command line +a test network/,
    );
    expect(JSON.parse((await run('--json')).out)).toEqual([
      { node: 'beta', why: 'a test network', by: 'command line', at: expect.any(String) },
    ]);
    expect((await home.runHere(['verify'], database.url)).code).toBe(0);
    // An empty answer would look like a healthy node; the log keeps the events.
    expect(await home.runHere(['incident', 'beta'], database.url)).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^hindsight: beta is excluded since .*: a test network\./),
    });
    expect((await home.runHere(['export', 'events', '--nodes', 'beta'], database.url)).out).toContain(
      'lab-2',
    );
  });

  it('does nothing a second time, and undoes the order', async () => {
    const before = await dataSource.query('SELECT position FROM log_head');
    expect((await run('exclude', 'beta', '--why', 'again')).out).not.toContain('Rebuilt');
    expect(await dataSource.query('SELECT position FROM log_head')).toEqual(before);
    expect((await run('include', 'beta')).code).toBe(0);
    expect(await nodes()).toEqual([{ node: 'alpha' }, { node: 'beta' }]);
    expect((await run()).out).toBe('No node is excluded.\n');
  });

  it('waits for another process that makes some of the figures', async () => {
    const key = "hashtext('hindsight rebuild probes')";
    await dataSource.transaction(async (other) => {
      await other.query(`SELECT pg_advisory_xact_lock(${key})`);
      const running = run('exclude', 'beta', '--why', 'a test');
      const behind = () =>
        dataSource.query<object[]>("SELECT name FROM projection_checkpoint WHERE NOT excluded ? 'beta'");
      await waitFor('all other figures', async () => (await behind()).length === 1 || undefined);
      // By now the command has tried these figures, too.
      await sleep(500);
      expect(await behind()).toEqual([{ name: 'probes' }]);
      void running.then((result) => (waited = result));
    });
    const { out } = await waitFor('the end', () => waited);
    expect(out.match(/Another process makes the other figures again/g)).toHaveLength(1);
    expect(out).toContain('All figures, lists and pages follow.');
    expect(
      await dataSource.query("SELECT excluded FROM projection_checkpoint WHERE name = 'probes'"),
    ).toEqual([{ excluded: ['beta'] }]);
    expect((await run('include', 'beta')).code).toBe(0);
  });

  it('is completed by a service if the command was killed after the order', async () => {
    const event = { type: 'NodeExcluded', observedAt: 1, body: { why: 'a test', by: 'test' } } as const;
    await appendNext(new EventStore(dataSource), 'beta/exclusion', event);
    const { setName, text } = await onConnection(dataSource, async (query) => {
      const [upgrade] = await readUpgrades(query);
      return { setName: upgrade?.made, text: upgrade && describeUpgrade(upgrade) };
    });
    expect(setName).toBe('other-nodes');
    expect(text).toBe(
      'A node was excluded or included; the new read models (record, prices, statistics) wait for a worker. Until they are in use, answers are as before.',
    );
    const service = home.launch(['start', '--role', 'archive', '--port', '0'], { databaseUrl: database.url });
    await service.ready;
    await waitFor(
      'all read models',
      async () => (await onConnection(dataSource, readUpgrades)).length === 0 || undefined,
    );
    expect(await nodes()).toEqual([{ node: 'alpha' }]);
    expect(await service.graphql('{ nodes { id } }')).toEqual({ nodes: [{ id: 'alpha' }] });
    expect((await fetch(`${service.address}/nodes/beta/da/submissions`)).status).toBe(404);
    await service.kill('SIGTERM');
    expect((await run('include', 'beta')).code).toBe(0);
  });

  it('names the recorded nodes if it does not know a node, and needs a reason', async () => {
    expect(await run('exclude', 'gamma', '--why', 'x')).toMatchObject({
      code: 2,
      error: expect.stringContaining('Known nodes: alpha, beta.'),
    });
    expect(await run('exclude', 'alpha')).toMatchObject({ code: 2, error: expect.stringContaining('--why') });
    expect(await run('exclude', 'alpha', '--why', ' ')).toMatchObject({ code: 2 });
    expect(await nodes()).toEqual([{ node: 'alpha' }, { node: 'beta' }]);
  });
});
