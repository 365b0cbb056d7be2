import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { loadReadModelMigrations, runMigrations } from '../../src/platform/migrations.js';
import type { Projection, Query } from '../../src/projections/projection.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import type { ReadModelSet } from '../../src/projections/rebuild/read-model-set.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { readModelSet, rebuildNow, type TestRebuildOptions } from '../support/rebuild.js';
import { recordLog } from '../support/record-log.js';
import { CONTENT, contentTables } from '../support/table-content.js';
import { useDatabase } from '../support/use-database.js';
import { projectAll } from '../support/read-models.js';

const COUNT_TABLE = `CREATE TABLE stream_count (stream text PRIMARY KEY, n bigint NOT NULL);
  CREATE INDEX stream_count_by_n ON stream_count (n);
  COMMENT ON COLUMN stream_count.n IS 'How many.';`;

/** Counts the events of each stream: the smallest possible read model. */
class CountProjection implements Projection {
  readonly name = 'count';
  readonly version = 1;
  readonly tables = ['stream_count'];
  readonly handles = ['NodeRetired'] as const;

  constructor(private readonly rule: (event: RecordedEvent) => number = () => 1) {}

  async apply(events: readonly RecordedEvent[], query: Query): Promise<void> {
    for (const event of events) {
      await query(
        `INSERT INTO stream_count VALUES ($1, $2) ON CONFLICT (stream) DO UPDATE SET n = stream_count.n + excluded.n`,
        [event.stream, this.rule(event)],
      );
    }
  }
}

/** The same with its rows in memory, like a projection that avoids reading them. */
class RememberingProjection extends CountProjection {
  private counts: Map<string, number> | undefined;

  override async apply(events: readonly RecordedEvent[], query: Query): Promise<void> {
    const rows = await query<{ stream: string; n: bigint }>('SELECT stream, n FROM stream_count');
    const counts = (this.counts ??= new Map(rows.map(({ stream, n }) => [stream, Number(n)])));
    for (const { stream } of events) {
      counts.set(stream, (counts.get(stream) ?? 0) + 1);
      await query(
        'INSERT INTO stream_count VALUES ($1, $2) ON CONFLICT (stream) DO UPDATE SET n = excluded.n',
        [stream, counts.get(stream)],
      );
    }
  }

  reset(): void {
    this.counts = undefined;
  }
}

describe('projections', () => {
  const dataSource = useDatabase();
  const store = new EventStore(dataSource);
  let runner: ProjectionRunner;
  const versions = new Map<string, bigint>();

  beforeAll(async () => {
    runner = new ProjectionRunner(dataSource, store, 7);
    await dataSource.query(COUNT_TABLE);
    await dataSource.query('CREATE VIEW busy AS SELECT stream FROM stream_count WHERE n > 3');
    await dataSource.query('CREATE VIEW busiest AS SELECT max(stream) AS stream FROM busy');
    await dataSource.query('GRANT SELECT ON stream_count, busy TO PUBLIC');
    await dataSource.query("COMMENT ON VIEW busy IS 'it''s busy'");
  });

  it('move rows and checkpoint together, and apply nothing of a batch that failed', async () => {
    await appendMany(20);
    let calls = 0;
    const failing = new CountProjection((event) => {
      calls += 1;
      if (event.position === 11n) throw new Error('a bug');
      return 1;
    });
    await expect(runner.catchUp(failing, 20n)).rejects.toThrow('a bug');
    expect(calls).toBe(11);
    expect(await total()).toBe(7);
    await runner.catchUp(new CountProjection(), 20n);
    expect(await total()).toBe(20);
    await runner.catchUp(new CountProjection(), 20n);
    expect(await total()).toBe(20);
  });

  it('run in two processes at once without doing anything twice', async () => {
    await appendMany(200);
    const end = await store.lastPosition();
    await Promise.all([1, 2, 3].map(() => runner.catchUp(new CountProjection(), end)));
    expect(await total()).toBe(Number(end));
  });

  it('forget their memory when another process has moved the tables on', async () => {
    const processes = [1, 2].map(() => ({
      runner: new ProjectionRunner(dataSource, store, 7),
      projection: new RememberingProjection(),
    }));
    for (const { runner: own, projection } of [...processes, ...processes, ...processes]) {
      await appendMany(10);
      await own.catchUp(projection, await store.lastPosition());
      await own.catchUp(projection, await store.lastPosition());
    }
    expect(await total()).toBe(Number(await store.lastPosition()));
  });

  it('forget their memory when a rebuild has replaced the tables', async () => {
    const projection = new RememberingProjection();
    await appendMany(10);
    await runner.catchUp(projection, await store.lastPosition());
    await rebuild(() => 2);
    await appendMany(1);
    await runner.catchUp(projection, await store.lastPosition());
    expect(await total()).toBe(2 * Number(await store.lastPosition()) - 1);
    await rebuild();
  });

  it('are rebuilt by a new rule while recording, projecting and reading continue', async () => {
    const load = { isOn: true };
    const readings: number[] = [];
    const loading = (async () => {
      while (load.isOn) {
        await appendMany(5);
        await runner.catchUp(new CountProjection(() => 2), await store.lastPosition());
        readings.push(await total());
      }
    })();
    const progress: bigint[] = [];
    await rebuild(() => 2, { report: ({ position }) => progress.push(position) });
    load.isOn = false;
    await loading;
    await runner.catchUp(new CountProjection(() => 2), await store.lastPosition());
    expect(await total()).toBe(2 * Number(await store.lastPosition()));
    expect(progress.length).toBeGreaterThan(0);
    expect(readings.every((reading) => reading > 0)).toBe(true);
  });

  it('keep indexes, comments, grants and dependent views over a rebuild', async () => {
    const describe = () =>
      dataSource.query(
        `SELECT c.relname, c.relkind, c.relacl::text, obj_description(c.oid) AS comment, col_description(c.oid, 2) AS column_comment
           FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace AND n.nspname = 'public'
          WHERE c.relname ~ '^(stream_count|busy|busiest)' ORDER BY 1`,
      );
    const before = await describe();
    await rebuild(() => 3);
    expect(await describe()).toEqual(before);
    expect(await dataSource.query('SELECT stream FROM busiest')).toEqual([{ stream: 'load-2/node' }]);
    const leftovers = await dataSource.query(
      "SELECT nspname FROM pg_namespace WHERE nspname LIKE 'rebuild%'",
    );
    expect(leftovers).toEqual([]);
  });

  it('wait for a reader of the old table, and swap when it is done', async () => {
    const reader = dataSource.createQueryRunner();
    await reader.startTransaction();
    await reader.query('SELECT * FROM stream_count');
    const swap = { isDone: false };
    const rebuilding = rebuild(() => 1).finally(() => {
      swap.isDone = true;
    });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(swap.isDone).toBe(false);
    expect((await reader.query('SELECT sum(n) AS n FROM stream_count'))[0].n).not.toBeNull();
    await reader.commitTransaction();
    await reader.release();
    await rebuilding;
    expect(await total()).toBe(Number(await store.lastPosition()));
  });

  /** @param rule how much an event counts */
  function rebuild(rule?: (event: RecordedEvent) => number, options: TestRebuildOptions = {}): Promise<void> {
    const set: ReadModelSet = { name: 'count', createProjections: () => [new CountProjection(rule)] };
    const migrations = [...loadReadModelMigrations(), COUNT_TABLE];
    return rebuildNow(dataSource, set, { migrations, ...options });
  }

  async function appendMany(count: number): Promise<void> {
    for (let index = 0; index < count; index += 1) {
      const stream = `load-${index % 3}/node`;
      const version = versions.get(stream) ?? 0n;
      const events: NewEvent[] = [{ type: 'NodeRetired', observedAt: index, body: {} }];
      const result = await store.append({ stream, expectedVersion: version, events });
      if (result.won) versions.set(stream, result.version);
    }
  }

  async function total(): Promise<number> {
    const [row] = await dataSource.query('SELECT sum(n)::int AS n FROM stream_count');
    return row.n;
  }
});

describe('the record', () => {
  const dataSource = useDatabase();
  const store = new EventStore(dataSource);

  beforeAll(async () => {
    const versions = new Map<string, bigint>();
    const options = { nodes: ['aggregator', 'follower'], cut: { from: 60_000, to: 150_000 } } as const;
    for (const { stream, type, body, observedAt } of recordLog({ ...options, every: 5_000 })) {
      const event = { type, body, observedAt: Number(observedAt / 1000n) } as NewEvent;
      const expectedVersion = versions.get(stream) ?? 0n;
      const result = await store.append({ stream, expectedVersion, events: [event] });
      if (result.won) versions.set(stream, result.version);
    }
    await catchUp();
  });

  it('is the same after a rebuild, with its statistics computed before it is visible', async () => {
    const before = await dump();
    expect(before['submission']).toHaveLength(593);
    expect(await countMarks()).toBe(6);
    await rebuildNow(dataSource, readModelSet('record'));
    expect(await dump()).toEqual(before);
    expect(await countMarks()).toBe(0);
    const rolledUp = await dumpStatistics();
    expect(rolledUp['statistic']).toHaveLength(52);
    await dataSource.query('TRUNCATE statistic, block_statistic, statistic_state');
    await new RollUp(dataSource).run();
    expect(rolledUp).toEqual(await dumpStatistics());
  });

  it('is read again from the log when its migrations are undone and done again', async () => {
    const before = await dump();
    const { migrations } = dataSource;
    const ofLog = migrations.filter(({ name }) => name?.startsWith('Log'));
    for (let left = migrations.length; left > ofLog.length; left -= 1) await dataSource.undoLastMigration();
    expect(await dataSource.query("SELECT to_regclass('submission') AS table")).toEqual([{ table: null }]);
    expect(await runMigrations(dataSource)).toBe(migrations.length - ofLog.length);
    expect(await dataSource.query('SELECT 1 FROM submission')).toEqual([]);
    await catchUp();
    expect(await dump()).toEqual(before);
  });

  it('has the columns of a later migration in use, after a rebuild, and no more when it is undone', async () => {
    const before = await dump();
    const folder = mkdtempSync(join(tmpdir(), 'later-migrations-'));
    cpSync('migrations', folder, { recursive: true });
    const later = join(folder, '209901010000-record-later');
    writeFileSync(
      `${later}.up.sql`,
      'ALTER TABLE submission ADD COLUMN later text; CREATE TABLE later (n int);',
    );
    writeFileSync(`${later}.down.sql`, 'DROP TABLE later; ALTER TABLE submission DROP COLUMN later;');
    writeFileSync(join(folder, '209901010001-log-note.up.sql'), 'CREATE TABLE note (n int);');
    writeFileSync(join(folder, '209901010001-log-note.down.sql'), 'DROP TABLE note;');
    const { url } = dataSource.options as { url?: string };
    const upgraded = createDataSource({ url: String(url), poolSize: 4, migrationsDirectory: folder });
    await upgraded.initialize();
    try {
      expect(await runMigrations(upgraded)).toBe(2);
      const shown = () => dataSource.query('SELECT later FROM submission GROUP BY later');
      expect(await shown()).toEqual([{ later: null }]);
      await dataSource.query("UPDATE submission SET later = 'by hand'");
      // Made by the same migrations, without those of the log; filled by rules that know nothing of the column.
      await rebuildNow(upgraded, readModelSet('record'), { migrations: loadReadModelMigrations(folder) });
      expect(await shown()).toEqual([{ later: null }]);
      // The previous program does not accept it as one of its own.
      await expect(runMigrations(dataSource)).rejects.toThrow('does not know its migration LogNote');
      for (let left = 2; left > 0; left -= 1) await upgraded.undoLastMigration();
      expect(await runMigrations(dataSource)).toBe(0);
      expect(await dump()).toEqual(before);
    } finally {
      await upgraded.destroy();
      rmSync(folder, { recursive: true });
    }
  });

  async function catchUp(): Promise<void> {
    await projectAll(dataSource, ['record']);
  }

  async function countMarks(): Promise<number> {
    const [row] = await dataSource.query('SELECT count(DISTINCT m)::int AS n FROM roll_up_mark m');
    return row.n;
  }

  function dumpStatistics(): Promise<Record<string, unknown[]>> {
    return dump(['statistic', 'block_statistic']);
  }

  /** Columns by name: a migration may put them in another order. */
  async function dump(names = contentTables(new RecordProjection().tables)) {
    const tables: Record<string, unknown[]> = {};
    for (const table of names) {
      tables[table] = await dataSource.query(
        `SELECT ${CONTENT} AS row FROM ${table} t ORDER BY ${CONTENT} COLLATE "C"`,
      );
    }
    return tables;
  }
});
