import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import { createDataSource, hasLz4, requirePostgres15 } from '../../src/platform/database.js';
import { runMigrations, type MigrationProgress } from '../../src/platform/migrations.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';

describe('migrations', () => {
  let database: TestDatabase;
  let folder: string;
  const open: DataSource[] = [];

  const connect = async (): Promise<DataSource> => {
    const dataSource = createDataSource({ url: database.url, migrationsDirectory: folder, poolSize: 2 });
    open.push(dataSource);
    return dataSource.initialize();
  };
  const write = (name: string, up: string, down: string): void => {
    writeFileSync(join(folder, `${name}.up.sql`), up);
    writeFileSync(join(folder, `${name}.down.sql`), down);
  };

  beforeEach(async () => {
    database = await startEmptyDatabase();
    folder = mkdtempSync(join(tmpdir(), 'migrations-'));
    write(
      '202501011200-first-table',
      'CREATE TABLE one (id int); INSERT INTO one VALUES (1);',
      'DROP TABLE one;',
    );
    write('202501011201-second-table', 'CREATE TABLE two (id int); SELECT pg_sleep(0.2);', 'DROP TABLE two;');
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
      { name: 'FirstTable2025010112000', number: 1, total: 2 },
      { name: 'SecondTable2025010112010', number: 2, total: 2 },
    ]);
  });

  it('leave what was applied before a broken one, and go on from there', async () => {
    write('202501011202-third-table', 'CREATE TABLE three (id int); SELECT 1 / 0;', 'DROP TABLE three;');
    await expect(runMigrations(await connect())).rejects.toThrow('division by zero');
    write('202501011202-third-table', 'CREATE TABLE three (id int);', 'DROP TABLE three;');
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

  it('refuse a database of a newer version', async () => {
    await runMigrations(await connect());
    rmSync(join(folder, '202501011201-second-table.up.sql'));
    rmSync(join(folder, '202501011201-second-table.down.sql'));
    await expect(runMigrations(await connect())).rejects.toThrow('newer Hindsight');
  });

  it('refuse a file without a partner', async () => {
    writeFileSync(join(folder, '202501011203-alone.up.sql'), 'SELECT 1');
    expect(() => createDataSource({ url: database.url, migrationsDirectory: folder })).toThrow(
      '202501011203-alone.up.sql',
    );
  });

  it('leave the connection with the limits of its pool', async () => {
    const dataSource = createDataSource({ url: database.url, migrationsDirectory: folder, poolSize: 1 });
    open.push(await dataSource.initialize());
    await runMigrations(dataSource);
    expect(await dataSource.query('SHOW statement_timeout')).toEqual([{ statement_timeout: '30s' }]);
  });

  it('run on a server that is new enough and says whether it can lz4', async () => {
    const dataSource = await connect();
    await expect(requirePostgres15(dataSource)).resolves.toBeUndefined();
    expect(typeof (await hasLz4(dataSource))).toBe('boolean');
  });
});
