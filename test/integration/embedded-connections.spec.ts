import { appendFileSync, readFileSync, statSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { once } from 'node:events';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { LOG_LIMIT_BYTES } from '../../src/platform/embedded-postgres/server-log.js';
import { joinServer, toUrl } from '../../src/platform/embedded-postgres/session.js';
import { openDatabase } from '../../src/platform/open-database.js';
import { openQueue } from '../../src/platform/queues/bullmq.js';
import { EmbeddedFolder } from '../support/embedded-folder.js';
import { HastyClock } from '../support/hasty-clock.js';
import { waitFor } from '../support/service-process.js';

const PASSWORD = 'the-password-of-the-cluster';

/** The requests that a server can send in place of SCRAM, as bytes of the protocol. */
const REQUESTS: Record<string, readonly number[]> = {
  'the password in clear': [0x52, 0, 0, 0, 8, 0, 0, 0, 3],
  'the password as an MD5 sum': [0x52, 0, 0, 0, 12, 0, 0, 0, 5, 1, 2, 3, 4],
  // Let in, and ready for statements.
  'no password at all': [0x52, 0, 0, 0, 8, 0, 0, 0, 0, 0x5a, 0, 0, 0, 5, 0x49],
};

describe.each(Object.entries(REQUESTS))('a server that asks for %s', (name, request) => {
  let server: Server;
  let port: number;
  /** Everything that came after its request. */
  let heard: Buffer;
  let asked: number;

  beforeEach(async () => {
    heard = Buffer.alloc(0);
    asked = 0;
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => {
        asked += 1;
        socket.write(Buffer.from(request));
        socket.on('data', (bytes) => (heard = Buffer.concat([heard, bytes])));
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    ({ port } = server.address() as AddressInfo);
  });

  afterEach(() => void server.close());

  it('learns nothing from any client that connects', async () => {
    await expect(joinServer({ port, password: PASSWORD })).rejects.toThrow(
      'does not prove that it is our database',
    );
    expect([asked, heard.toString()]).toEqual([1, '']);
  });

  it('learns nothing from a pool', async () => {
    const source = createDataSource({ url: toUrl({ port, password: PASSWORD }, 'hindsight'), poolSize: 1 });
    await expect(source.initialize()).rejects.toThrow('does not prove that it is our database');
    expect([asked, heard.toString()]).toEqual([1, '']);
  });

  // The client of a queue is not ours. It shows its password to no server, but does not ask for proof if the server wants no password.
  if (name !== 'no password at all') {
    it('learns nothing from a queue', async () => {
      const queue = openQueue({ backend: 'postgres', url: toUrl({ port, password: PASSWORD }, 'hindsight') });
      expect(await once(queue, 'error')).toMatchObject([
        { message: expect.stringContaining('does not prove that it is our database') as string },
      ]);
      queue.on('error', () => undefined);
      await queue.close().catch(() => undefined);
      expect(asked).toBeGreaterThan(0);
      expect(heard.toString()).toBe('');
    });
  }
});

describe('the connections to the embedded Postgres', () => {
  const folder = new EmbeddedFolder();
  const before = { ...process.env };
  let source: DataSource;
  let url: string;

  beforeAll(async () => {
    Object.assign(process.env, {
      PGSSLMODE: 'require',
      PGSSLNEGOTIATION: 'direct',
      PGOPTIONS: '-c no_such_setting=1',
      PGPASSWORD: 'another',
      PGHOST: '192.0.2.1',
      PGUSER: 'another',
      PGDATABASE: 'another',
    });
    // A hasty clock, so that the log is checked often.
    ({ url } = await folder.open({ clock: new HastyClock() }));
    source = await createDataSource({ url, poolSize: 2 }).initialize();
  });

  afterAll(async () => {
    await source?.destroy();
    await folder.clear();
    Object.assign(process.env, before);
  });

  const log = (): string => readFileSync(folder.file('server.log'), 'utf8');

  it('are not completed from PG variables, which still complete the address of another server', async () => {
    expect(await source.query('SELECT current_user AS name, current_database() AS database')).toEqual([
      { name: 'hindsight', database: 'hindsight' },
    ]);
    const own = new URL(url);
    process.env['PGPASSWORD'] = own.password;
    own.password = '';
    own.search = '';
    const { url: completed } = await openDatabase({
      databaseUrl: own.toString(),
      dataDir: folder.dataDir,
      exclusive: true,
      clock: new SystemClock(),
      logger: undefined as never,
    });
    const client = new Client({ connectionString: completed });
    await client.connect();
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    await client.end();
  });

  it('write no text of a caller into the log, whether the caller is refused or cut off', async () => {
    await expect(source.query('SELECT $1::int', ['caller-text'])).rejects.toThrow('caller-text');
    await expect(source.query("SELECT 'caller-text' FROM nowhere")).rejects.toThrow('nowhere');
    const cut = new Client({ connectionString: url });
    cut.on('error', () => undefined);
    await cut.connect();
    const [{ pid }] = (await cut.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows as [
      { pid: number },
    ];
    const hanging = cut.query("SELECT pg_sleep(600), 'caller-text'").catch((error: unknown) => String(error));
    await waitFor('the statement to run', async () => {
      const rows = await source.query<unknown[]>(
        'SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = $2',
        [pid, 'PgSleep'],
      );
      return rows.length > 0 || undefined;
    });
    await source.query('SELECT pg_terminate_backend($1)', [pid]);
    expect(await hanging).toContain('terminating connection');
    // Lines about the server are still reported.
    await waitFor(
      'the log',
      () => log().includes('terminating connection due to administrator command') || undefined,
    );
    expect(log()).not.toContain('caller-text');
    expect(log()).not.toContain('nowhere');
  });

  it('keep the log short while the server runs, and later lines whole', async () => {
    appendFileSync(folder.file('server.log'), `${'x'.repeat(99)}\n`.repeat((LOG_LIMIT_BYTES / 100) * 1.5));
    await waitFor(
      'the log to be put aside',
      () => statSync(folder.file('server.log')).size === 0 || undefined,
    );
    expect(statSync(folder.file('server.log.1')).size).toBe(LOG_LIMIT_BYTES);
    const wrong = new URL(url);
    wrong.password = 'wrong';
    const client = new Client({ connectionString: wrong.toString() });
    await expect(client.connect()).rejects.toThrow('password authentication failed');
    await waitFor('a new line', () => log().includes('password authentication failed') || undefined);
    expect(log()).toMatch(/^\d{4}-/);
  });
});
