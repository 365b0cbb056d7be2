import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { appendLog } from '../support/append-log.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome } from '../support/service-process.js';
import { SmallLog } from '../support/small-log.js';

describe('hindsight nodes', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let home: ServiceHome;

  const run = (...args: string[]) => home.runHere(['nodes', ...args], database.url);
  const nodes = async () =>
    (await dataSource.query('SELECT id AS node FROM reporting.nodes ORDER BY 1')) as unknown;

  beforeAll(async () => {
    home = new ServiceHome();
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
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

  it('names the recorded nodes if it does not know a node, and needs a reason', async () => {
    expect(await run('exclude', 'gamma', '--why', 'x')).toMatchObject({
      code: 2,
      error: expect.stringContaining('Recorded nodes: alpha, beta.'),
    });
    expect(await run('exclude', 'alpha')).toMatchObject({ code: 2, error: expect.stringContaining('--why') });
    expect(await run('exclude', 'alpha', '--why', ' ')).toMatchObject({ code: 2 });
    expect(await nodes()).toEqual([{ node: 'alpha' }, { node: 'beta' }]);
  });
});
