import type { DataSource } from 'typeorm';
import { startDevnode } from '../../src/devnode/devnode.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { readLogTime } from '../../src/event-log/log-time.js';
import { createDataSource, requirePostgres15 } from '../../src/platform/database.js';
import { runMigrations } from '../../src/platform/migrations.js';
import { inTransaction } from '../../src/platform/sql.js';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { GREETING, QueueHarness } from '../support/queue-harness.js';
import { randomLog } from '../support/random-log.js';
import { compareDumps, dumpReadModels, type ReadModelDump } from '../support/read-model-dump.js';
import { takeEvents } from '../support/read-models.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor } from '../support/service-process.js';

const PATIENCE_MS = 180_000;

/** Settings that a database, or a role in it, may give to every session; Postgres allows each of them. */
const HOSTILE = {
  DateStyle: 'SQL, DMY',
  IntervalStyle: 'sql_standard',
  TimeZone: 'Asia/Kathmandu',
  extra_float_digits: '-10',
  bytea_output: 'escape',
  standard_conforming_strings: 'off',
  array_nulls: 'off',
  transform_null_equals: 'on',
  quote_all_identifiers: 'on',
  default_transaction_isolation: 'repeatable read',
  default_transaction_deferrable: 'on',
  lc_numeric: 'C',
  lc_time: 'C',
  lc_monetary: 'C',
  client_encoding: 'LATIN1',
  statement_timeout: '200ms',
  lock_timeout: '1ms',
  idle_in_transaction_session_timeout: '100ms',
  idle_session_timeout: '300ms',
  transaction_timeout: '200ms',
  work_mem: '64kB',
  enable_hashjoin: 'off',
  enable_sort: 'off',
  enable_seqscan: 'off',
  from_collapse_limit: '1',
  plan_cache_mode: 'force_generic_plan',
  default_table_access_method: 'heap',
  default_toast_compression: 'pglz',
  jit_above_cost: '0',
  client_min_messages: 'error',
} as const;

describe('a database with settings of its own', () => {
  const databases: TestDatabase[] = [];
  const sources: DataSource[] = [];
  const home = new ServiceHome();

  const connect = async ({ url }: TestDatabase): Promise<DataSource> => {
    const source = await createDataSource({ url, poolSize: 4 }).initialize();
    sources.push(source);
    return source;
  };

  const start = async (settings: Readonly<Record<string, string>>): Promise<TestDatabase> => {
    const database = await startEmptyDatabase();
    databases.push(database);
    const source = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    const [known] = await source.query<{ names: string[] }[]>(
      'SELECT array_agg(lower(name)) AS names FROM pg_settings',
    );
    for (const [name, value] of Object.entries(settings)) {
      // A setting that this server is too old to know.
      if (known?.names.includes(name.toLowerCase()) !== true) continue;
      await source.query(
        `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${name} TO ${name === 'DateStyle' ? value : `''${value}''`}', current_database()); END $$`,
      );
    }
    await source.destroy();
    return database;
  };

  afterAll(async () => {
    await home.clear();
    for (const source of sources) await source.destroy();
    for (const database of databases) await database.stop();
  }, PATIENCE_MS);

  it(
    'has the same read models and statistics as a database without settings',
    async () => {
      const fill = async (database: TestDatabase): Promise<ReadModelDump> => {
        const source = await connect(database);
        await runMigrations(source);
        const events = randomLog(seededRandom(7), 600);
        for (const make of Object.values(PROJECTION_FACTORIES)) await takeEvents(source, make(), events);
        await new RollUp(source).run();
        const dump = await dumpReadModels({ dataDir: home.dataDir, databaseUrl: database.url });
        const statistics = await source.query<{ row: string }[]>(
          'SELECT to_jsonb(s)::text AS row FROM statistic s ORDER BY 1',
        );
        return new Map([...dump, ['statistic', statistics.map(({ row }) => row)]]);
      };
      const usual = await fill(await start({}));
      const hostile = await fill(await start(HOSTILE));
      expect(usual.get('submission')?.length).toBeGreaterThan(50);
      expect(usual.get('statistic')?.length).toBeGreaterThan(10);
      expect(compareDumps(usual, hostile)).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'returns its own time to the millisecond, and can be migrated by two processes at once',
    async () => {
      const database = await start(HOSTILE);
      const [one, other] = [await connect(database), await connect(database)];
      const applied = await Promise.all([runMigrations(one), runMigrations(other)]);
      expect(applied.toSorted((a, b) => a - b)).toEqual([0, one.migrations.length]);
      const { nowMs } = await readLogTime(one);
      expect(Math.abs(nowMs - Date.now())).toBeLessThan(10_000);
      const store = new EventStore(one);
      await store.append({
        stream: 'a/node',
        expectedVersion: 0n,
        events: [{ type: 'NodeRetired', body: {}, observedAt: 1_763_683_200_123 }],
      });
      const [event] = await other.query('SELECT observed_at FROM event');
      expect(event).toEqual({ observed_at: 1_763_683_200_123_000n });
    },
    PATIENCE_MS,
  );

  it('lets a transaction see what another one commits meanwhile', async () => {
    const database = await start(HOSTILE);
    const source = await connect(database);
    await source.query('CREATE TABLE seen (n int)');
    await inTransaction(source, async (query) => {
      expect(await query('SELECT count(*)::int AS n FROM seen')).toEqual([{ n: 0 }]);
      await source.query('INSERT INTO seen VALUES (1)');
      expect(await query('SELECT count(*)::int AS n FROM seen')).toEqual([{ n: 1 }]);
      expect(await query('SHOW transaction_isolation')).toEqual([
        { transaction_isolation: 'read committed' },
      ]);
    });
  });

  it('runs jobs', async () => {
    const database = await start(HOSTILE);
    const harness = new QueueHarness({ backend: 'postgres', url: database.url });
    try {
      const greeted: string[] = [];
      harness.startWorker(async ({ to }) => void greeted.push(to));
      harness.startWorker(async ({ to }) => void greeted.push(to));
      for (const to of ['a', 'b', 'c', 'd']) await harness.queue.add(GREETING, { to });
      await waitFor('all to be greeted', () => greeted.length === 4 || undefined);
      expect(greeted.toSorted()).toEqual(['a', 'b', 'c', 'd']);
    } finally {
      await harness.stop();
    }
  });

  it(
    'serves a service, which complains about nothing',
    async () => {
      const database = await start(HOSTILE);
      const node = await startDevnode({ chainId: 'settings-1', blockTimeMs: 200, daBlockTimeMs: 400 });
      try {
        const service = await home.start(`dev=${node.url}`, { databaseUrl: database.url });
        await waitFor('statistics', async () => {
          const { statistics } = await service.graphql<{ statistics: { attempts: string }[] }>(
            '{ statistics(filter: { chains: ["settings-1"] }, bucket: DAY) { attempts } }',
          );
          return statistics.find(({ attempts }) => Number(attempts) > 0);
        });
        const lines = service.log.split('\n').filter((line) => line !== '');
        const loud = lines.filter((line) => /"level":(?:40|50|60)|WARN|ERROR/.test(line));
        expect(loud).toEqual([]);
      } finally {
        await node.stop();
      }
    },
    PATIENCE_MS,
  );

  it.each([
    [{ session_replication_role: 'replica' }, 'does not run triggers'],
    [{ search_path: 'nowhere' }, 'names no schema'],
  ])('is refused with %j', async (settings, reason) => {
    const source = await connect(await start(settings));
    await expect(requirePostgres15(source)).rejects.toThrow(reason);
  });

  it('is refused if nothing may be written', async () => {
    const database = await start({});
    await runMigrations(await connect(database));
    const source = await connect(database);
    await source.query(
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only TO on', current_database()); END $$`,
    );
    const fresh = await connect(database);
    await expect(requirePostgres15(fresh)).resolves.toBeUndefined();
    await expect(runMigrations(fresh)).rejects.toThrow('is read-only');
  });
});
