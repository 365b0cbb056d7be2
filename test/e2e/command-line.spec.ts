import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { Client } from 'pg';
import { nodeWarning } from '../../src/platform/node-release.js';
import { itAtOnce } from '../support/at-once.js';
import { runHere } from '../support/command-here.js';
import { startEmptyDatabase } from '../support/database.js';
import { ServiceHome, waitFor } from '../support/service-process.js';

/** No server listens on this port: the node is down. */
const NODE_DOWN = 'gone=http://127.0.0.1:1';

/** Long enough for a busy machine. */
const PATIENCE_MS = 300_000;

const SILENT = { HINDSIGHT_LOG_LEVEL: 'silent' };

/** Runs a case in a home of its own. It fails if something there survives the case. */
const inHome = (use: (home: ServiceHome) => Promise<void>) => async (): Promise<void> => {
  const home = new ServiceHome();
  try {
    await use(home);
  } finally {
    await home.clear();
  }
};

const inDatabase = (use: (home: ServiceHome, databaseUrl: string) => Promise<void>) =>
  inHome(async (home) => {
    const database = await startEmptyDatabase();
    try {
      await use(home, database.url);
    } finally {
      await database.stop();
    }
  });

/** Closes its connection: an open one would be taken for a running service. */
async function query(databaseUrl: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query<Record<string, unknown>>(sql);
  await client.end();
  return rows;
}

const TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r'";

async function refusesAnotherVersion(home: ServiceHome, databaseUrl: string): Promise<void> {
  await query(
    databaseUrl,
    `CREATE TABLE schema_migration (id serial PRIMARY KEY, timestamp bigint NOT NULL, name varchar NOT NULL);
     INSERT INTO schema_migration (timestamp, name) VALUES (2026112101000, 'EventLog2026112101000')`,
  );
  const log = join(home.dataDir, 'log.ndjson');
  writeFileSync(log, '');
  const refusals = [
    await home.run(['start', '--node', NODE_DOWN, '--port', '0'], { databaseUrl, env: SILENT }),
    await home.runHere(['migrate'], databaseUrl),
    await home.runHere(['verify'], databaseUrl),
    await home.runHere(['import', 'events', log], databaseUrl),
  ];
  for (const { code, out, error } of refusals) {
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
  expect(await query(databaseUrl, TABLES)).toEqual([{ relname: 'schema_migration' }]);
}

async function makesNothing(home: ServiceHome): Promise<void> {
  const dataDir = join(home.dataDir, 'not', 'there');
  const open = ['start', '--node', NODE_DOWN, '--host', '0.0.0.0', '--port', '0', '--data-dir', dataDir];
  const refused = await home.run(open, { env: SILENT });
  expect({ code: refused.code, out: refused.out }).toEqual({ code: 2, out: '' });
  expect(refused.error).toMatch(
    /so an API key is required, and there is none\.\nMake one \(hindsight migrate, and then/,
  );
  const looked = await home.run(['verify', '--data-dir', dataDir]);
  expect(looked).toMatchObject({
    code: 1,
    error: expect.stringContaining('There is no record in') as unknown,
  });
  expect(existsSync(join(home.dataDir, 'not'))).toBe(false);
}

async function saysThatThePortIsTaken(home: ServiceHome): Promise<void> {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = address !== null && typeof address === 'object' ? String(address.port) : '';
  const { code, error } = await home.run(['start', '--node', NODE_DOWN, '--port', port], { env: SILENT });
  other.close();
  expect({ code, error: error.trimEnd().split('\n') }).toEqual({
    code: 1,
    error: [
      `hindsight: Cannot listen on 127.0.0.1 port ${port}: listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
      'Choose another --port (0 takes a free one) or --host.',
    ],
  });
  expect(readdirSync(home.dataDir)).toEqual([]);
}

/** `last-words.spec.ts` has the same for SIGTERM. */
async function migratesAndServes(home: ServiceHome): Promise<void> {
  expect((await home.run(['migrate'], { env: SILENT })).out).toMatch(/Applied \d+ migrations\.\n$/);
  expect(await home.run(['migrate'], { env: SILENT })).toMatchObject({
    code: 0,
    out: 'The database is up to date.\n',
  });
  expect(home.findServer()).toBeUndefined();
  const service = await home.start(NODE_DOWN, { env: SILENT });
  expect(service.output).toMatch(/^Hindsight is ready at http:\/\/127\.0\.0\.1:\d+\n$/);
  const second = await home.run(['start', '--node', NODE_DOWN, '--port', '0']);
  expect(second).toMatchObject({ code: 1, out: '' });
  expect(second.error).toContain(`Another Hindsight is running on ${home.dataDir}: process ${service.pid},`);
  expect((await fetch(`${service.address}/health/ready`)).status).toBe(200);
  expect(await service.kill('SIGINT')).toBe(0);
  expect(service.log).toBe('');
  expect(home.getProcesses()).toEqual([]);
  expect(home.findServer()).toBeUndefined();
}

describe('the command line', () => {
  const home = new ServiceHome();
  afterAll(() => home.clear());

  it('explains itself', async () => {
    const [version, help, ofStart] = await Promise.all([
      home.run(['--version'], { env: SILENT }),
      runHere(['--help'], undefined),
      runHere(['start', '--help'], undefined),
    ]);
    expect(version).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) as unknown });
    expect(help.code).toBe(0);
    expect(help.out).toMatch(/^ {2}start +\S/m);
    expect(ofStart.out).toContain('HINDSIGHT_POLL_FLOOR');
  });

  it('explains itself by the short flags and by help, too', async () => {
    const read = async (...args: string[]): Promise<string> => (await runHere(args, undefined)).out;
    expect(await read('--help')).toBe((await home.run(['--help'], { env: SILENT })).out);
    expect(await read('-v')).toBe(await read('--version'));
    expect(await read('-h')).toBe(await read('--help'));
    expect(await read('help')).toBe(await read('--help'));
    expect(await read('help', 'keys')).toBe(await read('keys', '--help'));
  });

  it('completes commands and flags in bash', async () => {
    const { out } = await runHere(['completion', 'bash'], undefined);
    const complete = (...words: string[]): string[] => {
      const line = words.map((word) => `'${word}'`).join(' ');
      const script = `${out}\nCOMP_WORDS=(hindsight ${line}); COMP_CWORD=${words.length}; _hindsight; echo "\${COMPREPLY[@]}"`;
      return spawnSync('bash', ['-c', script], { encoding: 'utf8' }).stdout.trim().split(' ');
    };
    expect(complete('al')).toEqual(['alerts']);
    expect(complete('alerts', 'uns')).toEqual(['unsilence']);
    expect(complete('alerts', 'silence', '--n')).toEqual(['--nodes', '--note']);
    expect(complete('report', '--from', '2026', '--by')).toEqual(['--by']);
    expect(complete('nothing', '--by')).toEqual(['']);
  });

  it.each(['zsh', 'fish'])('prints a completion for %s that names every command', async (shell) => {
    const { out, code } = await runHere(['completion', shell], undefined);
    expect(code).toBe(0);
    for (const name of ['start', 'alerts', 'silence', 'prices', 'completion']) expect(out).toContain(name);
    expect(out).toContain('known-at');
  });

  it.each([
    [['start', '--prot', '1'], "unknown option '--prot' (Did you mean --port?)"],
    [['strat'], "unknown command 'strat'"],
    [['start', '--port', 'x', '--role', 'y'], '--port must be a port from 0 to 65535; --role must be one of'],
    [['start', '--config', '/nowhere.yaml'], 'Cannot read the settings file /nowhere.yaml'],
  ])('ends %j with code 2, a reason and a remedy', async (args, reason) => {
    const { code, error, out } = await home.runHere(args, 'postgres://127.0.0.1:1/x');
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toContain(reason);
    expect(error.trimEnd().split('\n')).toHaveLength(2);
  });

  it('makes a devnode produce a block every half second', async () => {
    const node = home.launch(['devnode', '--block-time', '0.5s', '--port', '0', '--status-port', '0']);
    const line = await waitFor('its address', () => / at (\S+) /.exec(node.output)?.[1]);
    expect((await fetch(`${line}/health/live`)).status).toBe(200);
    expect(await node.kill('SIGTERM')).toBe(0);
  });

  it('reports how often a devnode makes a block', async () => {
    const { out } = await runHere(['devnode', '--help'], undefined);
    expect(out).toMatch(/--block-time <duration> .*\(default: 1s\)/);
  });

  itAtOnce(
    {
      'ends with code 1 if the database is unreachable, without revealing its password': inHome(
        async (of) => {
          const databaseUrl = 'postgres://me:s3cret@127.0.0.1:1/x';
          const { code, error } = await of.run(['migrate'], { databaseUrl, env: SILENT });
          expect(code).toBe(1);
          expect(error).toContain('Cannot use the database postgres://me:***@127.0.0.1:1/x');
          expect(error).not.toContain('s3cret');
        },
      ),
      'warns once of a password on the command line, without revealing it': inHome(async (of) => {
        const url = 'postgres://me:s3cret@127.0.0.1:1/x';
        const { code, error } = await of.run(['start', '--database-url', url, '--node', NODE_DOWN]);
        const lines = error.split('\n').filter((line) => line.includes('command line'));
        expect([code, lines]).toEqual([
          1,
          [expect.stringContaining('--database-url (use DATABASE_URL, or databaseUrl in')],
        ]);
        expect(error).not.toContain('s3cret');
      }),
      'accepts a settings file that says whether a node runs Raft, and warns once that this is not needed':
        inHome(async (of) => {
          const file = join(of.dataDir, 'settings.yaml');
          writeFileSync(file, 'nodes: [{ rpc: "http://127.0.0.1:1", raft: true }]');
          const databaseUrl = 'postgres://127.0.0.1:1/x';
          const { error } = await of.run(['start', '--config', file], { databaseUrl });
          const lines = error.split('\n').filter((line) => line.includes('raft'));
          expect(lines).toEqual([
            expect.stringMatching(/"level":"warn".*\["nodes\[1\]\.raft"\].*can be left out/),
          ]);
          expect(error).toContain('Cannot use the database');
        }),
      'warns once at start if Node itself has known vulnerabilities': inHome(async (of) => {
        const { error } = await of.run(['start', '--node', NODE_DOWN], {
          databaseUrl: 'postgres://127.0.0.1:1/x',
        });
        const told = error
          .split('\n')
          .filter((line) => line.includes('"level":"warn"') && line.includes('Node '));
        const warning = nodeWarning();
        expect(told).toEqual(warning === undefined ? [] : [expect.stringContaining(warning)]);
      }),
      ...Object.fromEntries(
        ['verify', 'faults', 'rebuild'].map((command) => [
          `ends ${command} with code 1 where there is no record, or one of another version`,
          inDatabase(async (of, databaseUrl) => {
            const nothing = await of.run([command], { env: SILENT });
            expect(nothing.code).toBe(1);
            expect(nothing.error).toContain(`There is no record in ${of.dataDir}.`);
            const { code, error } = await of.runHere([command], databaseUrl);
            expect(code).toBe(1);
            expect(error).toMatch(/it lacks \d+ of \d+ migrations\.\nRun `hindsight migrate`/);
          }),
        ]),
      ),
      'refuses a database of another version, and says how to carry its log over':
        inDatabase(refusesAnotherVersion),
      'creates no database and no folder for a service open to anybody, nor for a command that only reads':
        inHome(makesNothing),
      'does not change a database of the user for a service open to anybody': inDatabase(
        async (of, databaseUrl) => {
          const args = ['start', '--node', NODE_DOWN, '--host', '0.0.0.0', '--port', '0'];
          const { code, error } = await of.run(args, { databaseUrl, env: SILENT });
          expect({ code, error }).toEqual({
            code: 2,
            error: expect.stringContaining('an API key is required') as unknown,
          });
          expect(await query(databaseUrl, TABLES)).toEqual([]);
        },
      ),
      'says that the port is taken': inHome(saysThatThePortIsTaken),
      'migrates an embedded database, says so when there is nothing to do, serves on it until SIGINT, and refuses a second service':
        inHome(migratesAndServes),
    },
    PATIENCE_MS,
  );
});
