import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, lstatSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { BUILT, ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

/** Every file of the package that the image contains; see `Dockerfile`. */
const OF_IMAGE = ['package.json', 'migrations', 'dist'];

/** Disk space of an installed package and its dependencies: about 60 MB are Postgres, 20 MB are ours. */
const MOST_MEGABYTES = 100;

// A build must exist to be copied; `.ci/run` makes one.
const itIsBuilt = BUILT !== undefined || process.env['CI'] ? it : it.skip;

/** Runs npm, which finds the package's own files and what they depend on. */
function npm(...args: string[]): string {
  return execFileSync('npm', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
}

function megabytesOf(folder: string): number {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return files.reduce((sum, file) => sum + lstatSync(join(folder, file)).size, 0) / 1e6;
}

async function waitForDay(service: ServiceProcess): Promise<void> {
  await service.ready;
  await waitFor('a submission and its day', async () => {
    type Counts = { submissions: { nodes: unknown[] }; statistics: { attempts: string | null }[] };
    const { submissions, statistics } = await service.graphql<Counts>(
      '{ submissions(first: 1) { nodes { id } } statistics(bucket: DAY) { attempts } }',
    );
    return submissions.nodes.length === 1 && Number(statistics.at(-1)?.attempts) > 0 ? true : undefined;
  });
}

describe('the built program', () => {
  const [home, homeOfInstalled] = [new ServiceHome(), new ServiceHome()];
  const folder = mkdtempSync(join(tmpdir(), 'hindsight-built-'));
  let database: TestDatabase;
  let node: Devnode;

  beforeAll(async () => {
    database = await startTestDatabase();
    node = await startDevnode({ chainId: 'built-1', blockTimeMs: 200, daBlockTimeMs: 400 });
  });

  afterAll(async () => {
    await Promise.all([home.clear(), homeOfInstalled.clear()]);
    await node?.stop();
    await database?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  itIsBuilt('monitors a node, serves its pages and stops, without any packages next to it', async () => {
    expect(BUILT).toBeDefined();
    const image = join(folder, 'image');
    for (const part of OF_IMAGE) cpSync(part, join(image, part), { recursive: true });
    const [program, databaseUrl] = [join(image, 'dist/main.js'), database.url];
    const service = home.launch(['start', '--node', `dev=${node.url}`, '--port', '0'], {
      program,
      databaseUrl,
    });
    await waitForDay(service);
    const page = await fetch(`${service.address}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(await service.kill('SIGTERM')).toBe(0);
    const exported = await home.run(['export', 'events'], { program, databaseUrl });
    expect([exported.code, exported.error]).toEqual([0, '']);
    expect(exported.out.split('\n').length).toBeGreaterThan(2);
  });

  itIsBuilt('runs as an installed package on its own Postgres, with its npm dependencies', async () => {
    const modules = join(folder, 'installed', 'node_modules');
    const installed = join(modules, '@hindsight-da/hindsight');
    mkdirSync(installed, { recursive: true });
    const [{ filename } = { filename: '' }] = JSON.parse(
      npm('pack', '--json', '--ignore-scripts', '--pack-destination', folder),
    ) as { filename: string }[];
    execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
    for (const path of npm('ls', '--omit=dev', '--all', '--parseable').trim().split('\n').slice(1))
      cpSync(path, join(modules, relative('node_modules', path)), {
        recursive: true,
        verbatimSymlinks: true,
      });
    expect(megabytesOf(modules)).toBeLessThan(MOST_MEGABYTES);

    const program = join(installed, 'dist/main.js');
    const service = homeOfInstalled.launch(['start', '--node', `dev=${node.url}`, '--port', '0'], {
      program,
    });
    await waitForDay(service);
    expect(await service.kill('SIGTERM')).toBe(0);
  });

  itIsBuilt.each([
    ['dist/LICENSES.md', ['@nestjs/core', 'typeorm', 'pg', 'bullmq', 'graphql']],
    ['dist/pages/LICENSES.md', ['preact', 'uplot', 'graphiql']],
  ])('contains the licences of the bundled packages: %s', (path, packages) => {
    const named = [...readFileSync(path, 'utf8').matchAll(/^## (\S+) /gm)].map(([, name]) => name);
    expect(named).toEqual(expect.arrayContaining(packages));
  });
});
