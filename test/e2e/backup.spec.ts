import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { Manifest } from '../../src/cli/backup-folder.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { createDataSource } from '../../src/platform/database.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi } from '../support/api-server.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { compareDumps, dumpReadModels } from '../support/read-model-dump.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';
import { TableLock } from '../support/table-lock.js';

const PATIENCE_MS = 180_000;

/** How often a backup is killed. */
const KILLS = Number(process.env['HINDSIGHT_BACKUP_KILLS'] ?? 3);
/** About as long as a backup takes. */
const LONGEST_LIFE_MS = 1_500;

/** Connections of a service would have another name. */
const ours = { poolSize: 1, applicationName: 'backup.spec' };

const QUESTIONS = [
  '{ nodes { id chain head inclusionFrontier submissionCount blockCount lastSuccessAt } }',
  '{ submissions(first: 100, order: OCCURRED_ASC) { nodes { id status kind daHeight sizeBytes evidence blocks raw } } }',
  '{ losses(first: 50) { nodes { id kind minLost explanation } } }',
  '{ statistics(bucket: DAY, groupBy: [NODE]) { time node attempts successes sizeBytes } }',
];

describe(`a backup of a service that records, killed again and again (seed ${CHAOS_SEED})`, () => {
  const home = new ServiceHome();
  const random = seededRandom(CHAOS_SEED);
  const folder = join(home.dataDir, 'backup');
  let source: TestDatabase;
  let target: TestDatabase;
  let dataSource: DataSource;
  let node: Devnode;
  let service: ServiceProcess;

  const run = ({ url }: TestDatabase, ...args: string[]) =>
    home.run(args, { databaseUrl: url, env: { HINDSIGHT_LOG_LEVEL: 'silent' } });
  const endOf = async (database: DataSource): Promise<number> => {
    const [row] = await database.query<{ position: bigint }[]>('SELECT position FROM log_head');
    return Number(row?.position);
  };
  const manifest = (): Manifest => JSON.parse(readFileSync(join(folder, 'backup.json'), 'utf8')) as Manifest;
  const logOf = async ({ url }: TestDatabase): Promise<unknown> => {
    const database = await createDataSource({ ...ours, url }).initialize();
    try {
      return await Promise.all(
        ['event', 'stream_head', 'log_head'].map((table) =>
          database.query(
            `SELECT count(*), md5(string_agg(t::text, E'\\n' ORDER BY t::text COLLATE "C")) FROM ${table} t`,
          ),
        ),
      );
    } finally {
      await database.destroy();
    }
  };
  const answersOf = async ({ url }: TestDatabase): Promise<unknown[]> => {
    const api = await startApi(url);
    try {
      await new RollUp(api.dataSource).run();
      return await Promise.all(QUESTIONS.map((question) => api.read(question)));
    } finally {
      await api.stop();
    }
  };

  beforeAll(async () => {
    source = await startEmptyDatabase();
    target = await startEmptyDatabase();
    dataSource = await createDataSource({ ...ours, url: source.url }).initialize();
    node = await startDevnode({ chainId: 'backup-1', blockTimeMs: 100, daBlockTimeMs: 200 });
    service = await home.start(`dev=${node.url}`, { databaseUrl: source.url });
    await waitFor('twenty events', async () => ((await endOf(dataSource)) >= 20 ? true : undefined));
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await node?.stop();
    await dataSource?.destroy();
    await source?.stop();
    await target?.stop();
  }, PATIENCE_MS);

  it(
    'has what was committed before the last run, and never less than a complete run before',
    async () => {
      let least = 0;
      for (let kill = 0; kill < KILLS; kill += 1) {
        const backup = home.launch(['backup', folder], { databaseUrl: source.url });
        await Promise.race([backup.exit, sleep(random() * LONGEST_LIFE_MS)]);
        await backup.kill('SIGKILL');
        const checked = await run(source, 'verify', '--backup', folder);
        const position = existsSync(join(folder, 'backup.json')) ? manifest().position : 0;
        expect(position).toBeGreaterThanOrEqual(least);
        // The folder was never complete, or is complete up to its end.
        expect(checked).toMatchObject(position === 0 ? { out: '' } : { code: 0, error: '' });
        least = position;
      }
      // As on a full disk: no file may have more than a kilobyte.
      const full = await home.runLine(`ulimit -f 1; $HINDSIGHT backup ${folder}`, {
        databaseUrl: source.url,
      });
      expect(full).toMatchObject({
        code: 1,
        error: expect.stringMatching(/Cannot write .+: file too large\.\nFree some disk space/) as string,
      });
      const committed = await endOf(dataSource);
      expect(await run(source, 'backup', folder)).toMatchObject({ code: 0, error: '' });
      expect(manifest().position).toBeGreaterThanOrEqual(committed);
      expect(await run(source, 'verify', '--backup', folder)).toMatchObject({ code: 0, error: '' });
    },
    PATIENCE_MS,
  );

  it(
    'is restored by a run after one that was killed, with the same log, read models and answers',
    async () => {
      expect(await service.kill('SIGTERM')).toBe(0);
      expect(await run(source, 'backup', folder)).toMatchObject({ code: 0, error: '' });
      expect(await run(target, 'migrate')).toMatchObject({ code: 0 });
      // The events are written, and the end of the log waits for the lock.
      const lock = await TableLock.take(target.url, 'api_key');
      const restore = home.launch(['restore', folder], { databaseUrl: target.url });
      const copy = await createDataSource({ ...ours, url: target.url }).initialize();
      await waitFor('the events', async () => {
        const [row] = await copy.query<{ count: number }[]>('SELECT count(*)::int AS count FROM event');
        return row?.count === manifest().position ? true : undefined;
      });
      await restore.kill('SIGKILL');
      await lock.release();
      await copy.destroy();
      const started = await run(target, 'start', '--node', `dev=${node.url}`, '--port', '0');
      expect(started).toMatchObject({
        code: 1,
        error: expect.stringContaining('restoring a backup into it was not finished') as string,
      });
      const restored = await run(target, 'restore', folder);
      expect(restored).toMatchObject({ code: 0, error: '' });
      expect(restored.out).toContain(manifest().hash);
      expect(await logOf(target)).toEqual(await logOf(source));
      expect((await run(target, 'verify')).out).toContain(manifest().hash);
      const place = { dataDir: home.dataDir };
      const [before, after] = [
        await dumpReadModels({ ...place, databaseUrl: source.url }),
        await dumpReadModels({ ...place, databaseUrl: target.url }),
      ];
      expect(compareDumps(before, after)).toEqual([]);
      expect(before.get('submission')?.length).toBeGreaterThan(9);
      expect(await answersOf(target)).toEqual(await answersOf(source));
    },
    PATIENCE_MS,
  );

  it(
    'continues where the original ended, as if the service had only been restarted',
    async () => {
      const moved = await home.start(`dev=${node.url}`, { databaseUrl: target.url });
      const before = manifest().position;
      const copy = await createDataSource({ ...ours, url: target.url }).initialize();
      await waitFor('new events', async () => ((await endOf(copy)) > before + 5 ? true : undefined));
      await copy.destroy();
      expect(await moved.kill('SIGTERM')).toBe(0);
      expect(await run(target, 'verify')).toMatchObject({ code: 0, error: '' });
      expect(await run(target, 'backup', folder)).toMatchObject({ code: 0, error: '' });
    },
    PATIENCE_MS,
  );
});
