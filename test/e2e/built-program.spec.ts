import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { BUILT, ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

// A build must exist to be copied; `.ci/run` makes one.
const itIsBuilt = BUILT !== undefined || process.env['CI'] ? it : it.skip;

/** The parts of a manifest that name packages. */
interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies: Readonly<Record<string, string>>;
}

function readManifest(folder: string): Manifest {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
}

/** Each package of a list of licences: its name and version. */
function readTitles(path: string): [name: string, version: string][] {
  const headings = readFileSync(path, 'utf8').matchAll(/^## (\S+) (?:- )?(\d\S*?),? /gm);
  return [...headings].map(([, name = '', version = '']) => [name, version]);
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

  itIsBuilt('has no character that doubles the memory of a chunk', () => {
    const chunks = readdirSync('dist', { recursive: true, encoding: 'utf8' }).filter((name) =>
      /^(?:main|program.*)\.js$/.test(name),
    );
    expect(chunks).toContain('program/service.js');
    const wide = chunks.filter((name) => /[\u0100-\uffff]/.test(readFileSync(join('dist', name), 'utf8')));
    expect(wide).toEqual([]);
  });

  itIsBuilt('monitors a node, serves its pages and stops, without any packages next to it', async () => {
    expect(BUILT).toBeDefined();
    // All that the image contains; see `Dockerfile`.
    const image = join(folder, 'image');
    cpSync('dist', join(image, 'dist'), { recursive: true });
    const [program, databaseUrl] = [join(image, 'dist/main.js'), database.url];
    const service = home.launch(['start', '--node', `dev=${node.url}`, '--port', '0'], {
      program,
      databaseUrl,
      cwd: image,
    });
    await waitForDay(service);
    const page = await fetch(`${service.address}/`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    for (const name of ['da-failing', 'failure-causes'])
      expect((await fetch(`${service.address}/runbooks/${name}`)).status).toBe(200);
    expect(await service.kill('SIGTERM')).toBe(0);
    const exported = await home.run(['export', 'events'], { program, databaseUrl, cwd: image });
    expect([exported.code, exported.error]).toEqual([0, '']);
    expect(exported.out.split('\n').length).toBeGreaterThan(2);
  });

  itIsBuilt('runs as an installed package on its own Postgres, with its npm dependencies', async () => {
    const modules = join(folder, 'installed', 'node_modules');
    const installed = join(modules, '@hindsight-da/hindsight');
    mkdirSync(installed, { recursive: true });
    const packed = execFileSync('npm', ['pack', './dist', '--json', '--pack-destination', folder], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const [{ filename } = { filename: '' }] = JSON.parse(packed) as { filename: string }[];
    execFileSync('tar', ['-xzf', join(folder, filename), '-C', installed, '--strip-components=1']);
    const { dependencies, devDependencies, optionalDependencies } = readManifest(installed);
    expect({ dependencies, devDependencies }).toEqual({});
    // npm installs those that are for this platform.
    for (const name of Object.keys(optionalDependencies)) {
      const [from, to] = [join('node_modules', name), join(modules, name)];
      if (existsSync(from)) cpSync(from, to, { recursive: true, verbatimSymlinks: true });
    }

    const program = join(installed, 'main.js');
    const service = homeOfInstalled.launch(['start', '--node', `dev=${node.url}`, '--port', '0'], {
      program,
      cwd: folder,
    });
    await waitForDay(service);
    expect(await service.kill('SIGTERM')).toBe(0);
  });

  itIsBuilt.each([
    ['dist/LICENSES.md', ['@nestjs/core', 'typeorm', 'pg', 'bullmq', 'graphql']],
    ['dist/pages/LICENSES.md', ['preact', 'uplot', 'cm6-graphql']],
  ])('contains the licences of the bundled packages: %s', (path, packages) => {
    const named = readTitles(path).map(([name]) => name);
    expect(named).toEqual(expect.arrayContaining(packages));
  });

  itIsBuilt('lists the bundled packages, of the program and of its pages, in CycloneDX', () => {
    const { components, ...head } = JSON.parse(readFileSync('dist/sbom.cdx.json', 'utf8')) as {
      readonly components: readonly unknown[];
    };
    expect(head).toMatchObject({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1 });
    const bundled = [...readTitles('dist/LICENSES.md'), ...readTitles('dist/pages/LICENSES.md')];
    const expected = bundled.map(([name, version]) => {
      const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
      const licenses = [{ expression: expect.stringMatching(/^[\w(][\w. ()-]+$/) as string }];
      return { type: 'library', 'bom-ref': purl, name, version, purl, licenses };
    });
    expect(components).toEqual(expect.arrayContaining(expected));
    expect(components).toHaveLength(new Set(expected.map(({ purl }) => purl)).size);
  });

  itIsBuilt('bundles all dependencies of the manifest, and nothing that is for development', () => {
    const { dependencies = {}, devDependencies = {} } = readManifest('.');
    const bundled = new Set(readTitles('dist/LICENSES.md').map(([name]) => name));
    expect(Object.keys(dependencies).filter((name) => !bundled.has(name))).toEqual([]);
    expect(Object.keys(devDependencies).filter((name) => bundled.has(name))).toEqual([]);
  });

  itIsBuilt('names its sources in stack traces', async () => {
    const probe =
      'const { exit } = process; process.exit = (code) => { console.error(new Error().stack); exit(code); };';
    const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(probe)}`;
    const { error } = await home.run(['--version'], { program: 'dist/main.js', env: { NODE_OPTIONS } });
    expect(error).toMatch(/^ {4}at src\/main\.ts:\d+:\d+$/m);
  });
});
