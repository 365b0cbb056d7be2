import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { createDataSource } from '../../src/platform/database.js';
import { startEmptyDatabase } from '../support/database.js';
import { ServiceHome, waitFor } from '../support/service-process.js';

/** A port on which nobody listens: a node that is down. */
const NODE_DOWN = 'gone=http://127.0.0.1:1';

const SILENT = { HINDSIGHT_LOG_LEVEL: 'silent' };

describe('the command line', () => {
  let home: ServiceHome;

  const runToEnd = (args: string[], databaseUrl?: string) => home.run(args, { databaseUrl, env: SILENT });

  beforeEach(() => {
    home = new ServiceHome();
  });

  afterEach(() => home.clear());

  it('explains itself', async () => {
    expect(await runToEnd(['--version'])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as unknown,
    });
    const help = await runToEnd(['--help']);
    expect(help.code).toBe(0);
    expect(help.out).toMatch(/^ {2}start +\S/m);
    expect((await runToEnd(['start', '--help'])).out).toContain('HINDSIGHT_POLL_FLOOR');
  });

  it.each([
    [['start', '--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
    [['strat'], "unknown command 'strat'"],
    [['start', '--port', 'x', '--role', 'y'], '--port must be a port from 0 to 65535; --role must be one of'],
    [['start', '--config', '/nowhere.yaml'], 'Cannot read the settings file /nowhere.yaml'],
  ])('ends %j with code 2, a reason and a remedy', async (args, reason) => {
    const { code, error, out } = await runToEnd(args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(reason);
    expect(error.trimEnd().split('\n')).toHaveLength(2);
  });

  it('ends with code 1 where the database cannot be reached, and keeps its password to itself', async () => {
    const { code, error } = await runToEnd(['migrate'], 'postgres://me:s3cret@127.0.0.1:1/x');
    expect(code).toBe(1);
    expect(error).toContain('Cannot use the database postgres://me:***@127.0.0.1:1/x');
    expect(error).not.toContain('s3cret');
  });

  it('warns of a password on the command line once, and keeps it to itself', async () => {
    const url = 'postgres://me:s3cret@127.0.0.1:1/x';
    const { error } = await home.run(['start', '--database-url', url, '--node', NODE_DOWN]);
    const lines = error.split('\n').filter((line) => line.includes('command line'));
    expect(lines).toEqual([expect.stringContaining('--database-url (use DATABASE_URL, or databaseUrl in')]);
    expect(error).not.toContain('s3cret');
  });

  it('takes a settings file that says whether a node runs Raft, and warns once that it need not', async () => {
    const file = join(home.dataDir, 'settings.yaml');
    writeFileSync(file, 'nodes: [{ rpc: "http://127.0.0.1:1", raft: true }]');
    const { error } = await home.run(['start', '--config', file], {
      databaseUrl: 'postgres://127.0.0.1:1/x',
    });
    const lines = error.split('\n').filter((line) => line.includes('raft'));
    expect(lines).toEqual([expect.stringMatching(/"level":"warn".*\["nodes\[1\]\.raft"\].*can be left out/)]);
    expect(error).toContain('Cannot use the database');
  });

  it.each(['verify', 'faults', 'rebuild'])(
    'ends %s with code 1 where there is no record, or one of another version',
    async (command) => {
      const nothing = await runToEnd([command]);
      expect(nothing.code).toBe(1);
      expect(nothing.error).toContain(`There is no record in ${home.dataDir}.`);
      const database = await startEmptyDatabase();
      const { code, error } = await runToEnd([command], database.url);
      await database.stop();
      expect(code).toBe(1);
      expect(error).toMatch(/it lacks \d+ of \d+ migrations\.\nRun `hindsight migrate`/);
    },
  );

  it('refuses a database that another version has made, and says how its log is carried over', async () => {
    const database = await startEmptyDatabase();
    const query = async (sql: string): Promise<unknown> => {
      // Else it would be taken for a service at work.
      const client = new Client({ connectionString: database.url });
      await client.connect();
      const { rows } = await client.query(sql);
      await client.end();
      return rows;
    };
    await query(`
      CREATE TABLE schema_migration (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL);
      INSERT INTO schema_migration (timestamp, name) VALUES (2026112101000, 'EventLog2026112101000')`);
    const log = join(home.dataDir, 'log.ndjson');
    writeFileSync(log, '');
    for (const args of [
      ['start', '--node', NODE_DOWN, '--port', '0'],
      ['migrate'],
      ['verify'],
      ['import', 'events', log],
    ]) {
      const { code, out, error } = await runToEnd(args, database.url);
      expect({ code, out, lines: error.trimEnd().split('\n') }).toEqual({
        code: 1,
        out: '',
        lines: [
          expect.stringContaining('does not know its migration EventLog2026112101000. Nothing was changed.'),
          expect.stringMatching(
            /`hindsight export events .+` with that version, then `hindsight import events /,
          ),
        ],
      });
    }
    const tables =
      "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";
    expect(await query(tables)).toEqual([{ relname: 'schema_migration' }]);
    await database.stop();
  });

  it('makes no database and no folder for a service that anybody could ask, nor where it only looks', async () => {
    const dataDir = join(home.dataDir, 'not', 'there');
    const open = ['start', '--node', NODE_DOWN, '--host', '0.0.0.0', '--port', '0', '--data-dir', dataDir];
    const refused = await home.run(open, { env: SILENT });
    expect({ code: refused.code, out: refused.out }).toEqual({ code: 2, out: '' });
    expect(refused.error).toMatch(
      /which needs an API key, and there is none\.\nMake one \(hindsight migrate, and then/,
    );
    const looked = await home.run(['verify', '--data-dir', dataDir]);
    expect(looked).toMatchObject({
      code: 1,
      error: expect.stringContaining('There is no record in') as unknown,
    });
    expect(existsSync(join(home.dataDir, 'not'))).toBe(false);
  });

  it('leaves a database of the user as it is for a service that anybody could ask', async () => {
    const database = await startEmptyDatabase();
    try {
      const args = ['start', '--node', NODE_DOWN, '--host', '0.0.0.0', '--port', '0'];
      const { code, error } = await home.run(args, { databaseUrl: database.url, env: SILENT });
      expect({ code, error }).toEqual({
        code: 2,
        error: expect.stringContaining('needs an API key') as unknown,
      });
      const dataSource = await createDataSource({ url: database.url }).initialize();
      const tables = await dataSource.query("SELECT FROM pg_tables WHERE schemaname = 'public'");
      await dataSource.destroy();
      expect(tables).toEqual([]);
    } finally {
      await database.stop();
    }
  });

  it('says that the port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = address !== null && typeof address === 'object' ? String(address.port) : '';
    const { code, error } = await runToEnd(['start', '--node', NODE_DOWN, '--port', port]);
    other.close();
    expect({ code, error: error.trimEnd().split('\n') }).toEqual({
      code: 1,
      error: [
        `hindsight: Cannot listen on 127.0.0.1 port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
        'Choose another --port (0 takes a free one) or --host.',
      ],
    });
    expect(readdirSync(home.dataDir)).toEqual([]);
  });

  it.each(['500', '500ms', '0.5s'])('has a devnode make a block each %s', async (blockTime) => {
    const node = home.launch(['devnode', '--block-time', blockTime, '--port', '0', '--status-port', '0']);
    const line = await waitFor('its address', () => Promise.resolve(/ at (\S+) /.exec(node.output)?.[1]));
    expect((await fetch(`${line}/health/live`)).status).toBe(200);
    expect(await node.kill('SIGTERM')).toBe(0);
    const { out } = await runToEnd(['devnode', '--help']);
    expect(out).toMatch(/--block-time <duration> .*\(default: 1s\)/);
  });
});

describe('the command line, on an embedded database', () => {
  const home = new ServiceHome();
  afterAll(() => home.clear());

  it('migrates an embedded database without a service, and says so when there is nothing to do', async () => {
    expect((await home.run(['migrate'], { env: SILENT })).out).toMatch(/Applied \d+ migrations\.\n$/);
    expect(await home.run(['migrate'], { env: SILENT })).toMatchObject({
      code: 0,
      out: 'The database is up to date.\n',
    });
    expect(home.findServer()).toBeUndefined();
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'serves until %s, then stops everything with code 0',
    async (signal) => {
      const service = await home.start(NODE_DOWN, { env: SILENT });
      expect(service.output).toMatch(/^Hindsight is ready at http:\/\/127\.0\.0\.1:\d+\n$/);
      expect((await fetch(`${service.address}/health/live`)).status).toBe(200);
      expect(await service.kill(signal)).toBe(0);
      expect(service.log).toBe('');
      expect(home.findServer()).toBeUndefined();
    },
  );
});
