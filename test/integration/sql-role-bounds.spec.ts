import { readFileSync } from 'node:fs';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { CLUSTER_ROLE } from '../../src/platform/embedded-postgres/cluster.js';
import { runMigrations } from '../../src/platform/migrations.js';
import { closeOldSideDoors } from '../../src/platform/sql-role-doors.js';
import { addSqlRole, readRoleBounds, renewSqlRole } from '../../src/platform/sql-roles.js';
import { EmbeddedFolder } from '../support/embedded-folder.js';

const ROLE = 'bi';

/** Missing rights; a lock that would hold nothing; an extension that this server does not have. */
const REFUSALS = ['42501', '25P01', '0A000'];

interface Try {
  readonly becomes: string;
  readonly sql: string;
}

/** The lines of the fixture, each with the heading above it. */
function readTries(): Try[] {
  let becomes = '';
  return readFileSync('test/fixtures/sql-role/statements.sql', 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (/^-- (refused|tells nothing|bounded: |can: )/.test(line)) becomes = line.slice('-- '.length);
      return line === '' || line.startsWith('--') ? [] : [{ becomes, sql: line.replaceAll('$me', ROLE) }];
    });
}

/** The list in SECURITY.md after a sentence, by the bold words that begin each item. */
function readList(sentence: string): string[] {
  const [, after = ''] = readFileSync('SECURITY.md', 'utf8').split(sentence);
  const [list = ''] = after.trimStart().split('\n\n');
  return [...list.matchAll(/^- \*\*(.+?)\*\*/gm)].map(([, name = '']) => name);
}

describe('a role of sql-user on the embedded server', () => {
  const folder = new EmbeddedFolder();
  const tries = readTries();
  let source: DataSource;
  let url: string;
  let client: Client;

  const connect = async (password: string, database = 'hindsight'): Promise<Client> => {
    const address = new URL(url);
    Object.assign(address, { username: ROLE, password, pathname: `/${database}` });
    const connected = new Client({ connectionString: address.href });
    await connected.connect();
    return connected;
  };
  const outcomeOf = async (sql: string): Promise<string> => {
    try {
      const result = await client.query<Record<string, unknown>>(sql);
      return result.rows?.length === 0 && result.command === 'SELECT' ? 'tells nothing' : 'done';
    } catch (error) {
      return String((error as { code?: unknown }).code);
    } finally {
      await client.query('ROLLBACK');
    }
  };
  let password: string;

  beforeAll(async () => {
    ({ url } = await folder.open());
    source = await createDataSource({ url, poolSize: 3 }).initialize();
    await runMigrations(source);
    password = await addSqlRole(source, ROLE);
    client = await connect(password);
  });

  afterAll(async () => {
    await client?.end();
    await source?.destroy();
    await folder.clear();
  });

  it.each(tries)('is $becomes: $sql', async ({ becomes, sql }) => {
    const outcome = await outcomeOf(sql);
    if (becomes === 'refused') expect(REFUSALS).toContain(outcome);
    else expect(outcome).toBe(becomes === 'tells nothing' ? becomes : 'done');
  });

  it('can do what SECURITY.md lists, and has the limits that it lists, each of them tested', () => {
    const headings = (kind: string): string[] => [
      ...new Set(
        tries.flatMap(({ becomes }) => (becomes.startsWith(kind) ? [becomes.slice(kind.length)] : [])),
      ),
    ];
    const can = readList('No server keeps such a role from the following:');
    expect(can.length).toBeGreaterThan(5);
    expect(headings('can: ').toSorted()).toEqual(can.toSorted());
    // Connections are tried below: no statement opens one.
    const bounded = readList('The server then also sets bounds:').filter(
      (name) => name !== 'Its connections',
    );
    expect(headings('bounded: ').toSorted()).toEqual(bounded.toSorted());
  });

  it('has not written a word into the log of the server, and its limits still apply', async () => {
    expect(readFileSync(folder.file('server.log'), 'utf8')).not.toMatch(/forged|api_key|mine/i);
    expect(await readRoleBounds(source, ROLE)).toEqual({
      connections: 10,
      temporary: '2GB',
      isKeptOff: true,
    });
    const fresh = await connect(password);
    const { rows } = await fresh.query(
      `SELECT current_setting('temp_file_limit') AS files, current_setting('log_min_messages') AS log`,
    );
    expect(rows).toEqual([{ files: '2GB', log: 'panic' }]);
    await fresh.end();
  });

  it('has ten connections, and none to the databases that hold our locks', async () => {
    const others = await Promise.all(Array.from({ length: 9 }, () => connect(password)));
    await expect(connect(password)).rejects.toMatchObject({ code: '53300' });
    await Promise.all(others.map((other) => other.end()));
    for (const database of ['postgres', 'template1'])
      await expect(connect(password, database)).rejects.toMatchObject({ code: '42501' });
  });

  it('that an older release has created gets the same limits from the next start on', async () => {
    await source.query(`ALTER ROLE ${ROLE} RESET log_min_messages`);
    await source.query('GRANT EXECUTE ON FUNCTION pg_advisory_xact_lock(bigint) TO PUBLIC');
    expect(await outcomeOf('SELECT pg_advisory_xact_lock(1)')).toBe('done');
    // Several processes may start at once.
    await Promise.all([1, 2, 3].map(() => closeOldSideDoors(source)));
    expect(await outcomeOf('SELECT pg_advisory_xact_lock(1)')).toBe('42501');
    const [role] = await source.query(`SELECT rolconfig AS settings FROM pg_roles WHERE rolname = $1`, [
      ROLE,
    ]);
    expect(role).toMatchObject({ settings: expect.arrayContaining(['log_min_messages=panic']) as unknown });
  });

  it('leaves their rights to owners of objects, where a superuser closes what the service may not', async () => {
    await source.query('GRANT EXECUTE ON FUNCTION pg_advisory_lock(bigint) TO PUBLIC');
    await source.query(`CREATE ROLE owner LOGIN PASSWORD 'owner'; CREATE SCHEMA own AUTHORIZATION owner`);
    await source.query('CREATE TABLE own.t (id int); ALTER TABLE own.t OWNER TO owner');
    expect((await readRoleBounds(source, ROLE)).isKeptOff).toBe(false);
    password = await renewSqlRole(source, ROLE);
    expect((await readRoleBounds(source, ROLE)).isKeptOff).toBe(true);
    const [rights] = await source.query(
      `SELECT has_function_privilege('owner', 'pg_advisory_lock(bigint)', 'EXECUTE') AS owner,
              has_function_privilege('${CLUSTER_ROLE}', 'pg_advisory_lock(bigint)', 'EXECUTE') AS ours`,
    );
    expect(rights).toEqual({ owner: true, ours: true });
  });
});
