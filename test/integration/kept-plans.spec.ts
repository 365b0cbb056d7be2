import { Client } from 'pg';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { inOneSnapshot, inSnapshot } from '../../src/platform/snapshot.js';
import { ONE_PLAN } from '../../src/platform/sql.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';

/** The most statements that a connection keeps. */
const MOST_KEPT = 60;

const LIST = 'SELECT * FROM fruit ORDER BY name';
/** Planned each time, as it has a parameter. */
const KEPT = 'SELECT statement FROM pg_prepared_statements WHERE $1';

describe('kept plans', () => {
  let database: TestDatabase;
  let writer: Client;
  let reads: ReadDatabase;

  const ask = <Row>(sql: string, parameters?: unknown[]): Promise<Row[]> =>
    reads.query<Row[]>(sql, parameters);
  const getKept = async (): Promise<string[]> => {
    const kept = await ask<{ statement: string }>(KEPT, [true]);
    return kept.map(({ statement }) => statement);
  };
  const getPid = async (): Promise<number | undefined> =>
    (await ask<{ pid: number }>('SELECT pg_backend_pid() AS pid WHERE $1', [true]))[0]?.pid;

  beforeAll(async () => {
    database = await startTestDatabase();
    writer = new Client({ connectionString: database.url });
    await writer.connect();
  });

  afterAll(async () => {
    await writer?.end();
    await database?.stop();
  });

  beforeEach(async () => {
    await writer.query('DROP TABLE IF EXISTS fruit');
    await writer.query(`CREATE TABLE fruit AS SELECT 'apple' AS name`);
    reads = new ReadDatabase({ url: database.url, isReplica: false, poolSize: 1 });
  });

  afterEach(async () => {
    await reads.close();
  });

  it('belong to statements that are repeated and have no parameters', async () => {
    await ask(LIST);
    expect(await getKept()).toEqual([]);
    for (let time = 0; time < 3; time += 1) expect(await ask(LIST)).toEqual([{ name: 'apple' }]);
    for (let time = 0; time < 3; time += 1) await ask('SELECT $1::int AS number', [time]);
    expect(await getKept()).toEqual([LIST]);
  });

  it('see new rows, and tables that replace others', async () => {
    for (let time = 0; time < 3; time += 1) await ask(LIST);
    await writer.query(`INSERT INTO fruit VALUES ('banana')`);
    expect(await ask(LIST)).toEqual([{ name: 'apple' }, { name: 'banana' }]);
    await writer.query('CREATE TABLE other (LIKE fruit)');
    await writer.query('DROP TABLE fruit');
    await writer.query('ALTER TABLE other RENAME TO fruit');
    expect(await ask(LIST)).toEqual([]);
  });

  it('belong to statements with parameters whose plan fits all values', async () => {
    const sum = `${ONE_PLAN} SELECT $1::int + 1 AS next`;
    for (let time = 0; time < 3; time += 1) expect(await ask(sum, [time])).toEqual([{ next: time + 1 }]);
    expect(await getKept()).toEqual([sum]);
  });

  it('serve snapshots, which begin again after the columns change', async () => {
    const read = () =>
      inSnapshot(reads, async (query) => [await query('SELECT 1 AS one'), await query(LIST)]);
    for (let time = 0; time < 3; time += 1) expect(await read()).toEqual([[{ one: 1 }], [{ name: 'apple' }]]);
    expect(await getKept()).toEqual(expect.arrayContaining([LIST, 'SELECT 1 AS one']));
    await writer.query('ALTER TABLE fruit ADD colour text');
    expect(await read()).toEqual([[{ one: 1 }], [{ name: 'apple', colour: null }]]);
  });

  it('are not missed by a snapshot if something between us and the server changes sessions', async () => {
    const read = () => inSnapshot(reads, (query) => query(LIST));
    for (let time = 0; time < 3; time += 1) await read();
    await ask('DEALLOCATE ALL');
    expect(await read()).toEqual([{ name: 'apple' }]);
  });

  it('serve snapshots, which begin again after a lost race, and only once', async () => {
    let times = 0;
    const read = (losses: number) =>
      inSnapshot(reads, async (query) => {
        times += 1;
        if (times <= losses) await query(`DO $$ BEGIN RAISE SQLSTATE '40001'; END $$`);
        return query(LIST);
      });
    expect(await read(1)).toEqual([{ name: 'apple' }]);
    expect(times).toBe(2);
    times = 0;
    await expect(read(2)).rejects.toMatchObject({ code: '40001' });
    expect(times).toBe(2);
    times = 0;
    const lost = inOneSnapshot(reads, async () => {
      times += 1;
      throw Object.assign(new Error('lost'), { code: '40001' });
    });
    await expect(lost).rejects.toThrow('lost');
    expect(times).toBe(1);
  });

  it('are made again if the columns change', async () => {
    for (let time = 0; time < 3; time += 1) await ask(LIST);
    const pid = await getPid();
    await writer.query('ALTER TABLE fruit ADD colour text');
    expect(await ask(LIST)).toEqual([{ name: 'apple', colour: null }]);
    expect(await getPid()).not.toBe(pid);
    for (let time = 0; time < 3; time += 1) await ask(LIST);
    expect(await getKept()).toEqual([LIST]);
  });

  it('are not used if something between us and the server changes sessions', async () => {
    for (let time = 0; time < 3; time += 1) await ask(LIST);
    await ask('DEALLOCATE ALL');
    expect(await ask(LIST)).toEqual([{ name: 'apple' }]);
    for (let time = 0; time < 3; time += 1) await ask(LIST);
    expect(await getKept()).toEqual([]);
  });

  it('are not blamed for errors of the statement', async () => {
    for (let time = 0; time < 3; time += 1) await ask(LIST);
    await writer.query('DROP TABLE fruit');
    await expect(ask(LIST)).rejects.toMatchObject({ code: '42P01' });
  });

  it('are few on each connection', async () => {
    const pids = new Set<number | undefined>();
    for (let number = 0; number < MOST_KEPT + 5; number += 1) {
      for (let time = 0; time < 2; time += 1) await ask(`SELECT ${number} AS number`);
      expect((await getKept()).length).toBeLessThan(MOST_KEPT);
      pids.add(await getPid());
    }
    expect(pids.size).toBe(2);
  });
});
