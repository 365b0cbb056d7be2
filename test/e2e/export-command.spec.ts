import { createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createLogger } from '../../src/platform/logger.js';
import { openDatabase, type OpenedDatabase } from '../../src/platform/open-database.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startApi } from '../support/api-server.js';
import { itAtOnce } from '../support/at-once.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { readParquet } from '../support/duckdb.js';
import { compareDumps, dumpReadModels } from '../support/read-model-dump.js';
import { TableLock } from '../support/table-lock.js';
import type { CommandResult } from '../support/command-here.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 300_000;

/** The queries of the README. */
const QUESTIONS = [
  '{ nodes { id chain head inclusionFrontier submissionCount blockCount lastSuccessAt } }',
  '{ submissions(first: 100, order: OCCURRED_ASC) { nodes { id status kind daHeight sizeBytes evidence blocks raw } } }',
  '{ losses(first: 50) { nodes { id kind minLost explanation } } }',
  '{ blocks(first: 100) { nodes { height hash lineage checks { link hash signature } headerDaHeight } } }',
  '{ statistics(bucket: DAY, groupBy: [NODE]) { time node attempts successes sizeBytes } }',
];

const LOSSES = '{ losses(first: 50) { nodes { id kind } } submissions(first: 1) { nodes { sequence } } }';

describe('hindsight export and import', () => {
  let home: ServiceHome;
  let moved: ServiceHome;
  let node: Devnode;
  let target: TestDatabase;
  const started: ServiceHome[] = [];
  let kept: OpenedDatabase | undefined;

  const start = async (at: ServiceHome, databaseUrl?: string): Promise<ServiceProcess> =>
    at.start(`dev=${node.url}`, { databaseUrl });
  const run = (...args: string[]): Promise<CommandResult> =>
    home.run(args, { env: { HINDSIGHT_LOG_LEVEL: 'silent' } });
  const open = (at: ServiceHome, databaseUrl?: string): Promise<OpenedDatabase> =>
    openDatabase({
      dataDir: at.dataDir,
      databaseUrl,
      exclusive: false,
      clock: new SystemClock(),
      logger: createLogger('silent'),
    });
  /** Starts an API without an observer, so that nothing changes meanwhile. */
  const answersOf = async (at: ServiceHome, databaseUrl?: string): Promise<unknown[]> => {
    const database = await open(at, databaseUrl);
    const api = await startApi(database.url);
    try {
      await new RollUp(api.dataSource).run();
      return await Promise.all(QUESTIONS.map((question) => api.read(question)));
    } finally {
      await api.stop();
      await database.close();
    }
  };
  const untilRecorded = (service: ServiceProcess, rows: bigint): Promise<true> =>
    waitFor(`${rows} rows`, async () => {
      const { nodes } = await service.graphql<{ nodes: { submissionCount: string }[] }>(
        '{ nodes { submissionCount } }',
      );
      return BigInt(nodes[0]?.submissionCount ?? 0) >= rows ? true : undefined;
    });
  const file = (name: string): string => join(home.dataDir, name);

  beforeAll(async () => {
    home = new ServiceHome();
    moved = new ServiceHome();
    started.push(home, moved);
    target = await startEmptyDatabase();
    node = await startDevnode({ chainId: 'move-1', blockTimeMs: 200, daBlockTimeMs: 400 });
    const service = await start(home);
    await untilRecorded(service, 20n);
    expect(await service.kill('SIGTERM')).toBe(0);
    // Otherwise each command would start and stop the server.
    kept = await open(home);
  }, PATIENCE_MS);

  afterAll(async () => {
    await kept?.close();
    for (const each of started) await each.clear();
    await node?.stop();
    await target?.stop();
  }, PATIENCE_MS);

  it(
    'move a log to another database, which answers the same and continues without a gap',
    async () => {
      expect(await run('export', 'events', '--format', 'ndjson', '--out', file('log.ndjson'))).toEqual({
        code: 0,
        out: expect.stringMatching(/^\d+\.\d kB are in .*log\.ndjson\.\n$/),
        error: '',
      });
      expect(existsSync(file('log.ndjson.part'))).toBe(false);
      const imported = await moved.run(['import', 'events', file('log.ndjson')], { databaseUrl: target.url });
      expect([imported.code, imported.out]).toEqual([0, expect.stringContaining('every hash chain intact')]);
      const verified = await moved.run(['verify'], { databaseUrl: target.url });
      expect([verified.code, verified.out]).toEqual([0, expect.stringContaining('as it was written')]);
      const [before, after] = [
        await dumpReadModels({ dataDir: home.dataDir }),
        await dumpReadModels({ dataDir: moved.dataDir, databaseUrl: target.url }),
      ];
      expect(compareDumps(before, after)).toEqual([]);
      expect(before.get('submission')?.length).toBeGreaterThan(19);
      expect(await answersOf(moved, target.url)).toEqual(await answersOf(home));
      const again = await moved.run(['import', 'events', file('log.ndjson')], { databaseUrl: target.url });
      expect([again.code, again.error]).toEqual([1, expect.stringContaining('is not empty')]);
    },
    PATIENCE_MS,
  );

  it('take days, name flags in errors, and refuse a time that ends before it begins', async () => {
    const ask = (...args: string[]) => home.runHere(['export', 'submissions', ...args], target.url);
    const days = await ask('--from', '2020-01-01', '--to', '2020-01-02');
    expect(days).toMatchObject({ code: 0, out: expect.stringMatching(/^id,chain,.*\n$/) });
    expect(await ask('--from', '2020-13')).toMatchObject({
      code: 2,
      error: expect.stringContaining('--from: "2020-13" is not'),
    });
    expect(await ask('--kinds', 'x')).toMatchObject({
      code: 2,
      error: expect.stringContaining('--kinds must'),
    });
    expect(await ask('--from', '2020-01-02', '--to', '2020-01-02')).toMatchObject({
      code: 2,
      error: expect.stringContaining('--from must be before --to.'),
    });
    expect(await ask('--out', '/missing/x.csv')).toMatchObject({
      code: 1,
      error: expect.stringContaining('Make its folder first'),
    });
  });

  it(
    'serve a log without a node, which stays unchanged, and the same file over HTTP; an empty database has no data',
    async () => {
      const archive = moved.launch(['start', '--role', 'archive', '--port', '0'], {
        databaseUrl: target.url,
      });
      await archive.ready;
      const answers: unknown[] = [];
      for (const question of QUESTIONS) answers.push(await archive.graphql(question));
      expect(answers).toEqual(await answersOf(home));
      const ask = '{ nodes { id retired } events(first: 1000) { nodes { position } } }';
      const held = await archive.graphql<{ nodes: object[]; events: { nodes: object[] } }>(ask);
      expect(held.nodes).toEqual([{ id: 'dev', retired: false }]);
      const served = await (await fetch(`${archive.address}/export/events.ndjson?positionTo=5`)).text();
      expect(await archive.kill('SIGTERM')).toBe(0);
      const logged = await text(createReadStream(file('log.ndjson')));
      expect(served).toBe(logged.split('\n').slice(0, 5).join('\n') + '\n');
      expect(held.events.nodes).toHaveLength(Math.min(logged.split('\n').length - 1, 1000));
      const empty = await startEmptyDatabase();
      try {
        expect(
          await moved.run(['start', '--role', 'archive', '--port', '0'], { databaseUrl: empty.url }),
        ).toMatchObject({
          code: 2,
          error: expect.stringContaining('role is archive, but there is no record to serve') as unknown,
        });
      } finally {
        await empty.stop();
      }
      const bare = new ServiceHome();
      started.push(bare);
      rmSync(bare.dataDir, { recursive: true });
      expect(await bare.run(['start', '--port', '0'])).toMatchObject({
        code: 2,
        error: expect.stringContaining('no node is given: give --node URL') as unknown,
      });
      expect(existsSync(bare.dataDir)).toBe(false);
    },
    PATIENCE_MS,
  );

  async function takeTheirTime(): Promise<void> {
    const args = ['export', 'events', '--types', 'NodeRetired', '--format', 'ndjson'];
    const lock = await TableLock.take(target.url, 'event');
    const exported = moved.run([...args, '--out', file('few.ndjson')], { databaseUrl: target.url });
    try {
      await waitFor('the export', async () => ((await lock.findWaiting()).length > 0 ? true : undefined));
      // Longer than the time limit of a query.
      await sleep(11_000);
    } finally {
      await lock.release();
    }
    expect(await exported).toMatchObject({ code: 0 });
    expect(readFileSync(file('few.ndjson'), 'utf8')).toBe('');
  }

  async function writeEveryKind(): Promise<void> {
    const run = (...args: string[]): Promise<CommandResult> => home.runHere(args, home.embeddedUrl);
    const whole = await run('export', 'submissions', '--nodes', 'dev');
    expect([whole.code, whole.error]).toEqual([0, '']);
    const lines = whole.out.split('\n');
    const first = await run('export', 'submissions', '--nodes', 'dev', '--limit', '7');
    const cursor = /--cursor (\S+)/.exec(first.error)?.[1] ?? '';
    expect(first.out.split('\n')).toEqual([...lines.slice(0, 8), '']);
    const second = await run('export', 'submissions', '--nodes', 'dev', '--cursor', cursor);
    expect(second.out.split('\n')).toEqual([lines[0], ...lines.slice(8)]);
    // The file that an interrupted export leaves.
    writeFileSync(file('rows.csv.part'), first.out);
    await run('export', 'submissions', '--nodes', 'dev', '--cursor', cursor, '--out', file('rows.csv'));
    expect(readFileSync(file('rows.csv'), 'utf8')).toBe(whole.out);
    await run('export', 'submissions', '--format', 'parquet', '--out', file('rows.parquet'));
    expect(await readParquet(readFileSync(file('rows.parquet')))).toHaveLength(lines.length - 2);
    expect(await run('export', 'blocks', '--statuses', 'ERROR')).toMatchObject({
      code: 2,
      error: expect.stringMatching(/^hindsight: There is no parameter "statuses" here/) as unknown,
    });
    expect(await run('export', 'blocks', '--nodes', 'dve')).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('There is no node "dve".\nDid you mean dev?') as unknown,
    });
    expect(await run('export', 'block')).toMatchObject({
      code: 2,
      error: expect.stringContaining('did you mean `blocks`?') as unknown,
    });
  }

  it(
    'continue to monitor the nodes from where they were',
    async () => {
      const port = new URL(node.url).port;
      expect(port).not.toBe('');
      const service = await start(moved, target.url);
      const old = await service.graphql<{ submissions: { nodes: { sequence: string }[] } }>(LOSSES);
      const last = BigInt(old.submissions.nodes[0]?.sequence ?? 0);
      await untilRecorded(service, last + 5n);
      const { losses } = await service.graphql<{ losses: { nodes: { kind: string }[] } }>(LOSSES);
      expect(losses.nodes.filter(({ kind }) => kind === 'BEFORE_START')).toHaveLength(1);
      expect(await service.kill('SIGTERM')).toBe(0);
    },
    PATIENCE_MS,
  );

  itAtOnce(
    {
      'take as long as a long log needs to find few matching rows, also into a file': takeTheirTime,
      'write every kind of file, also in parts, and report errors': writeEveryKind,
    },
    PATIENCE_MS,
  );
});
