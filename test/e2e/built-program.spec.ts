import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { BUILT, ServiceHome, waitFor } from '../support/service-process.js';

/** All that the image has of the package; see `Dockerfile`. */
const OF_IMAGE = ['package.json', 'migrations', 'dist'];

// Without a build there is nothing to copy; `.ci/run` makes one.
const itIsBuilt = BUILT !== undefined || process.env['CI'] ? it : it.skip;

describe('the built program', () => {
  const home = new ServiceHome();
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-built-'));
  let database: TestDatabase;
  let node: Devnode;

  beforeAll(async () => {
    database = await startTestDatabase();
    node = await startDevnode({ chainId: 'built-1', blockTimeMs: 200, daBlockTimeMs: 400 });
  });

  afterAll(async () => {
    await home.clear();
    await node?.stop();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  itIsBuilt('watches a node, serves its pages and ends, with none of its packages beside it', async () => {
    expect(BUILT).toBeDefined();
    for (const part of OF_IMAGE) cpSync(part, join(folder, part), { recursive: true });
    const service = home.launch(['start', '--node', `dev=${node.url}`, '--port', '0'], {
      program: join(folder, 'dist/main.js'),
      databaseUrl: database.url,
    });
    await service.ready;
    await waitFor('a submission and its day', async () => {
      type Counts = { submissions: { nodes: unknown[] }; statistics: { attempts: string | null }[] };
      const { submissions, statistics } = await service.graphql<Counts>(
        '{ submissions(first: 1) { nodes { id } } statistics(bucket: DAY) { attempts } }',
      );
      return submissions.nodes.length === 1 && Number(statistics.at(-1)?.attempts) > 0 ? true : undefined;
    });
    const page = await fetch(`${service.address}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await service.kill('SIGTERM')).toBe(0);
    const exported = await home.run(['export', 'events'], {
      program: join(folder, 'dist/main.js'),
      databaseUrl: database.url,
    });
    expect([exported.code, exported.error]).toEqual([0, '']);
    expect(exported.out.split('\n').length).toBeGreaterThan(2);
  });
});
