import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DataSource } from 'typeorm';
import { createDataSource, requirePostgres15 } from '../../src/platform/database.js';
import { requireMigrated, runMigrations, type MigrationProgress } from '../../src/platform/migrations.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { waitFor } from '../support/service-process.js';

const PACKAGE_MIGRATIONS = fileURLToPath(new URL('../../migrations', import.meta.url));

/** Columns with their comments, indexes, constraints, triggers and functions, a line each; without the notes of the ORM. */
const SHAPE = `
  WITH own AS (SELECT c.* FROM pg_class c WHERE c.relnamespace = 'public'::regnamespace
                AND c.relname !~ '^(schema_migration|PK_)')
  SELECT line FROM (
    SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull, a.attidentity,
                     pg_get_expr(d.adbin, d.adrelid), col_description(c.oid, a.attnum)) AS line
      FROM own c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum WHERE c.relkind IN ('r', 'p', 'v')
    UNION ALL SELECT concat_ws(' ', relname, relkind, obj_description(oid, 'pg_class')) FROM own
    UNION ALL SELECT pg_get_indexdef(oid) FROM own WHERE relkind IN ('i', 'I')
    UNION ALL SELECT concat_ws(' ', c.relname, o.conname, pg_get_constraintdef(o.oid))
      FROM own c JOIN pg_constraint o ON o.conrelid = c.oid
    UNION ALL SELECT pg_get_triggerdef(t.oid) FROM own c JOIN pg_trigger t ON t.tgrelid = c.oid AND NOT t.tgisinternal
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  ) lines ORDER BY line COLLATE "C"`;

describe('migrations', () => {
  let database: TestDatabase;
  let folder: string;
  const open: DataSource[] = [];

  const connectTo = (migrationsDirectory: string): Promise<DataSource> => {
    const dataSource = createDataSource({ url: database.url, migrationsDirectory, poolSize: 2 });
    open.push(dataSource);
    return dataSource.initialize();
  };
  const connect = (): Promise<DataSource> => connectTo(folder);
  const write = (name: string, up: string, down: string): void => {
    writeFileSync(join(folder, `${name}.up.sql`), up);
    writeFileSync(join(folder, `${name}.down.sql`), down);
  };

  beforeEach(async () => {
    database = await startEmptyDatabase();
    folder = mkdtempSync(join(tmpdir(), 'migrations-'));
    write(
      '202501011200-log-first-table',
      'CREATE TABLE one (id int); INSERT INTO one VALUES (1);',
      'DROP TABLE one;',
    );
    write(
      '202501011201-log-second-table',
      'CREATE TABLE two (id int); SELECT pg_sleep(0.2);',
      'DROP TABLE two;',
    );
  });

  afterEach(async () => {
    await Promise.all(open.splice(0).map((dataSource) => dataSource.destroy()));
    await database.stop();
    rmSync(folder, { recursive: true });
  });

  it('are applied once by four processes that start together', async () => {
    const sources = await Promise.all([connect(), connect(), connect(), connect()]);
    const applied = await Promise.all(sources.map((source) => runMigrations(source)));
    expect(applied.toSorted((a, b) => a - b)).toEqual([0, 0, 0, 2]);
    expect(await sources[0]?.query('SELECT id FROM one')).toEqual([{ id: 1 }]);
  });

  it('report each step by name and number', async () => {
    const steps: MigrationProgress[] = [];
    await runMigrations(await connect(), { onProgress: (step) => steps.push(step) });
    expect(steps).toEqual([
      { name: 'LogFirstTable2025010112000', number: 1, total: 2 },
      { name: 'LogSecondTable2025010112010', number: 2, total: 2 },
    ]);
  });

  it('keep what was applied before a broken one, and continue from there', async () => {
    write('202501011202-log-third-table', 'CREATE TABLE three (id int); SELECT 1 / 0;', 'DROP TABLE three;');
    await expect(runMigrations(await connect())).rejects.toThrow('division by zero');
    write('202501011202-log-third-table', 'CREATE TABLE three (id int);', 'DROP TABLE three;');
    expect(await runMigrations(await connect())).toBe(1);
  });

  it('can be undone by their other half', async () => {
    const dataSource = await connect();
    await runMigrations(dataSource);
    await dataSource.undoLastMigration();
    expect(await dataSource.query("SELECT to_regclass('one') AS one, to_regclass('two') AS two")).toEqual([
      { one: 'one', two: null },
    ]);
  });

  it('of the package each restore the schema that was there before them', async () => {
    const names = readdirSync(PACKAGE_MIGRATIONS)
      .filter((file) => file.endsWith('.up.sql'))
      .map((file) => file.replace('.up.sql', ''))
      .toSorted();
    rmSync(folder, { recursive: true });
    mkdirSync(folder);
    const before: unknown[] = [];
    let dataSource = await connect();
    for (const name of names) {
      before.push(await dataSource.query(SHAPE));
      for (const half of ['up', 'down']) {
        copyFileSync(join(PACKAGE_MIGRATIONS, `${name}.${half}.sql`), join(folder, `${name}.${half}.sql`));
      }
      dataSource = await connect();
      expect(await runMigrations(dataSource)).toBe(1);
    }
    for (const name of names.toReversed()) {
      await dataSource.undoLastMigration();
      expect([name, await dataSource.query(SHAPE)]).toEqual([name, before.pop()]);
    }
  });

  it('keep objects of others next to the views for BI tools when these are undone', async () => {
    const dataSource = await connectTo(PACKAGE_MIGRATIONS);
    await dataSource.query('CREATE SCHEMA reporting; CREATE TABLE reporting.own (id int)');
    await runMigrations(dataSource);
    const tables = (): Promise<{ name: string }[]> =>
      dataSource.query("SELECT relname AS name FROM pg_class WHERE relnamespace = 'reporting'::regnamespace");
    expect((await tables()).length).toBeGreaterThan(10);
    while ((await tables()).length > 1) await dataSource.undoLastMigration();
    expect(await tables()).toEqual([{ name: 'own' }]);
  });

  it('wait for a table without blocking others from it', async () => {
    await runMigrations(await connect());
    write(
      '202501011202-log-wider',
      'ALTER TABLE one ADD COLUMN name text;',
      'ALTER TABLE one DROP COLUMN name;',
    );
    const [migrating, reading] = [await connect(), await connect()];
    const holder = reading.createQueryRunner();
    await holder.startTransaction();
    await holder.query('SELECT id FROM one');
    const told: string[] = [];
    const applied = runMigrations(migrating, { onWait: (holders) => told.push(holders) });
    const waiting = `SELECT FROM pg_locks WHERE NOT granted AND relation = 'one'::regclass`;
    await waitFor(
      'it to wait',
      async () => (await reading.query<unknown[]>(waiting)).length > 0 || undefined,
    );
    // Other statements wait behind it until it lets go for a moment.
    expect(await reading.query('SELECT id FROM one')).toEqual([{ id: 1 }]);
    const [{ pid }] = (await holder.query('SELECT pg_backend_pid() AS pid')) as [{ pid: number }];
    await waitFor('it to say for whom it waits', () => told[0]);
    expect(told).toEqual([
      expect.stringContaining(`(hindsight ${process.pid}, process ${pid} of the server`),
    ]);
    await holder.commitTransaction();
    await holder.release();
    expect(await applied).toBe(1);
  });

  it('wait for those of another process, name that process, and give up in the end', async () => {
    const [migrating, other] = [await connect(), await connect()];
    const holder = other.createQueryRunner();
    const [{ pid }] = await holder.query(
      `SELECT set_config('application_name', 'a stranger', false), pg_advisory_lock(x'68696e64'::int), pg_backend_pid() AS pid`,
    );
    const told: string[] = [];
    const onWait = (holders: string): void => void told.push(holders);
    const names = expect.stringMatching(
      new RegExp(`the role \\w+ \\(a stranger, process ${pid} of the server`),
    );
    await expect(runMigrations(migrating, { onWait, patienceMs: 1_000 })).rejects.toMatchObject({
      message: names,
      remedy: expect.stringContaining('pg_terminate_backend'),
    });
    expect(told).toEqual([names]);
    const applied = runMigrations(migrating, { onWait });
    await waitFor('it to wait again', () => told[1]);
    await holder.query('SELECT pg_advisory_unlock_all()');
    await holder.release();
    expect(await applied).toBe(2);
  });

  it('refuse a database of another version, before they change anything', async () => {
    await runMigrations(await connect());
    rmSync(join(folder, '202501011201-log-second-table.up.sql'));
    rmSync(join(folder, '202501011201-log-second-table.down.sql'));
    write('202501011202-log-third-table', 'CREATE TABLE three (id int);', 'DROP TABLE three;');
    const dataSource = await connect();
    const refused = expect.objectContaining({
      message: expect.stringContaining('does not know its migration LogSecondTable2025010112010.'),
    });
    await expect(runMigrations(dataSource)).rejects.toEqual(refused);
    await expect(requireMigrated(dataSource)).rejects.toEqual(refused);
    expect(await dataSource.query("SELECT to_regclass('three') AS three")).toEqual([{ three: null }]);
  });

  it('refuse a database of a snapshot from before this set, and say how to carry its log over', async () => {
    const dataSource = await connectTo(PACKAGE_MIGRATIONS);
    await dataSource.query(`
      CREATE TABLE schema_migration (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL);
      INSERT INTO schema_migration (timestamp, name)
        VALUES (2026112101000, 'EventLog2026112101000'), (2026112102000, 'Record2026112102000');
      CREATE TABLE event (position bigint NOT NULL, recorded_at timestamptz NOT NULL, body json NOT NULL) PARTITION BY RANGE (recorded_at);
      CREATE TABLE event_2026_11 PARTITION OF event FOR VALUES FROM ('2026-11-01Z') TO ('2026-12-01Z');
      INSERT INTO event VALUES (1, '2026-11-21Z', '{}')`);
    const everything = async () => [
      await dataSource.query(SHAPE),
      await dataSource.query('SELECT * FROM schema_migration ORDER BY id'),
      await dataSource.query('SELECT * FROM event'),
      await dataSource.query("SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY 1"),
    ];
    const before = await everything();
    for (const begin of [runMigrations, requireMigrated]) {
      await expect(begin(dataSource)).rejects.toMatchObject({
        name: 'UserError',
        exitCode: 1,
        message: expect.stringContaining('Record2026112102000 and 1 more. Nothing was changed.'),
        remedy: expect.stringMatching(
          /`hindsight export events .+` with that version, .+`hindsight import events /,
        ),
      });
    }
    expect(await everything()).toEqual(before);
  });

  it('report the rights that a role without CREATE lacks', async () => {
    const owner = await connect();
    const [{ name }] = await owner.query(
      `SELECT 'guest_' || replace(gen_random_uuid()::text, '-', '') AS name`,
    );
    await owner.query(`CREATE ROLE ${name} LOGIN PASSWORD 'guest'`);
    try {
      const url = new URL(database.url);
      Object.assign(url, { username: name, password: 'guest' });
      const guest = createDataSource({ url: url.href, migrationsDirectory: folder });
      open.push(await guest.initialize());
      await expect(runMigrations(guest)).rejects.toMatchObject({
        message: 'The role lacks a right that a migration needs: permission denied for schema public.',
        remedy: expect.stringContaining('ALTER DATABASE … OWNER TO'),
      });
    } finally {
      await owner.query(`DROP ROLE ${name}`);
    }
  });

  it.each(['202501011203-log-alone', '202501011203-stray', '202501011270-log-late'])(
    'refuse a file without a counterpart, of no part of the schema, or without a time (%s)',
    (name) => {
      writeFileSync(join(folder, `${name}.up.sql`), 'SELECT 1');
      if (!name.endsWith('alone')) writeFileSync(join(folder, `${name}.down.sql`), 'SELECT 1');
      expect(() => createDataSource({ url: database.url, migrationsDirectory: folder })).toThrow(
        `${name}.up.sql`,
      );
    },
  );

  it('leave the connection with the limits of its pool', async () => {
    const dataSource = createDataSource({ url: database.url, migrationsDirectory: folder, poolSize: 1 });
    open.push(await dataSource.initialize());
    await runMigrations(dataSource);
    expect(await dataSource.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '30s' }]);
  });

  it('run on a server that is new enough', async () => {
    const dataSource = await connect();
    await expect(requirePostgres15(dataSource)).resolves.toBeUndefined();
  });
});
