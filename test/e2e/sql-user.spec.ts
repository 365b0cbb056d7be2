import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { ServiceHome, type ServiceProcess } from '../support/service-process.js';

const run = promisify(execFile);

const PATIENCE_MS = 180_000;
const NODE_DOWN = 'dev=http://127.0.0.1:1';
const VIEWS =
  "SELECT table_name AS view FROM information_schema.views WHERE table_schema = 'reporting' ORDER BY 1";

describe('psql', () => itHasProgram('psql'));

/** Runs on the embedded database, with and without a service. */
describe('hindsight sql-user', () => {
  const home = new ServiceHome();
  let service: ServiceProcess;
  let password: string;
  let printed: string;

  const sqlUser = (...args: string[]) =>
    home.run(['sql-user', ...args], { env: { HINDSIGHT_LOG_LEVEL: 'silent' } });
  const lineOf = (name: string): string => new RegExp(`^${name} +(.+)$`, 'm').exec(printed)?.[1] ?? '';
  const ask = async (sql: string): Promise<Record<string, unknown>[]> => {
    const client = new Client({ connectionString: lineOf('URL') });
    await client.connect();
    try {
      return (await client.query<Record<string, unknown>>(sql)).rows;
    } finally {
      await client.end();
    }
  };

  beforeAll(async () => {
    service = await home.start(NODE_DOWN);
    const { code, out, error } = await sqlUser('bi');
    expect({ code, error }).toEqual({
      code: 0,
      error: expect.stringMatching(
        /^The role bi reads the views .+ shown only once\.\nThe server limits the role to 10 connections, each with 2GB of temporary files\.\nIts statements end after 60 s, unless the role sets another limit.+\n$/,
      ) as unknown,
    });
    printed = out;
    password = lineOf('password');
    expect(service.log).not.toContain(password);
  }, PATIENCE_MS);

  afterAll(() => home.clear(), PATIENCE_MS);

  it('prints how programs connect, and the password once', () => {
    expect(printed.split(password)).toHaveLength(3);
    expect(lineOf('psql')).toMatch(/^psql 'postgresql:\/\/bi@127\.0\.0\.1:\d+\/hindsight'$/);
    expect(lineOf('JDBC')).toMatch(
      /^jdbc:postgresql:\/\/127\.0\.0\.1:\d+\/hindsight\?user=bi&currentSchema=reporting$/,
    );
    expect(lineOf('ODBC')).toMatch(
      /^Driver=\{PostgreSQL Unicode\};Server=127\.0\.0\.1;Port=\d+;Database=hindsight;Uid=bi/,
    );
  });

  if (hasProgram('psql')) {
    it(
      'creates a role with which a real psql reads every view and writes nothing',
      async () => {
        const url = /'(.+)'/.exec(lineOf('psql'))?.[1] ?? '';
        const psql = (...args: string[]) =>
          run('psql', [url, '-At', ...args], { env: { ...process.env, PGPASSWORD: password } });
        const views = (await psql('-c', VIEWS)).stdout.trim().split('\n');
        expect(views).toContain('submissions');
        for (const view of views)
          await psql('-v', 'ON_ERROR_STOP=1', '-c', `SELECT * FROM reporting.${view} LIMIT 3`);
        expect((await psql('-c', 'SELECT id FROM nodes')).stdout).toBe('dev\n');
        const write = ['-v', 'ON_ERROR_STOP=1', '-c', 'SET default_transaction_read_only = off', '-c'];
        for (const sql of [
          'DELETE FROM events',
          'CREATE TABLE mine (n int)',
          'CREATE TEMP TABLE mine (n int)',
          'SELECT lo_create(0)',
        ]) {
          await expect(psql(...write, sql)).rejects.toMatchObject({
            stderr: expect.stringContaining('permission denied') as unknown,
          });
        }
      },
      PATIENCE_MS,
    );
  }

  it(
    'finds the embedded server at the same place after a restart of the service',
    async () => {
      await service.kill('SIGTERM');
      expect(home.findServer()).toBeUndefined();
      service = await home.start(NODE_DOWN);
      expect(await ask('SELECT id FROM nodes')).toEqual([{ id: 'dev' }]);
    },
    PATIENCE_MS,
  );

  it(
    'changes a password, removes a role, and reports errors',
    async () => {
      expect(await sqlUser('bi')).toMatchObject({
        code: 1,
        out: '',
        error: expect.stringContaining('There is already a role bi.') as unknown,
      });
      expect(await sqlUser('No')).toMatchObject({ code: 2, out: '' });
      expect(await sqlUser('hindsight', '--drop')).toMatchObject({ code: 1 });
      const renewed = await sqlUser('bi', '--new-password');
      expect(renewed.code).toBe(0);
      await expect(ask('SELECT 1')).rejects.toMatchObject({ code: '28P01' });
      printed = renewed.out;
      expect(await ask('SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(await sqlUser('bi', '--drop')).toMatchObject({ code: 0, out: 'Dropped bi.\n' });
      await expect(ask('SELECT 1')).rejects.toMatchObject({ code: '28P01' });
    },
    PATIENCE_MS,
  );
});
