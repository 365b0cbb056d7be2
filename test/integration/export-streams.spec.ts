import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { Client } from 'pg';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { TableLock } from '../support/table-lock.js';
import { hashKey, KEY_BYTES, toKeyText } from '../../src/api/keys/key-text.js';
import { addKey, revokeKey } from '../../src/api/keys/stored-keys.js';
import { createDataSource } from '../../src/platform/database.js';
import { ReadDatabase } from '../../src/platform/reads/read-database.js';
import { waitFor } from '../support/service-process.js';

/** With their messages, far more than the buffers between a server and a client that does not read. */
const ROWS = 40_000;
const MESSAGE_BYTES = 1_024;

/** SQL: the columns that differ from row to row. Parquet would shrink messages that repeat to almost nothing. */
const NEW_VALUES: Readonly<Record<string, string>> = {
  sequence: 'n',
  from_position: 'n',
  message: `(SELECT string_agg(encode(sha512((n || '.' || part)::bytea), 'hex'), '')
               FROM generate_series(1, ${MESSAGE_BYTES / 128}) part)`,
};

/** Far shorter than in a service. */
const STALL_MS = 400;

/** A client that finds both places taken waits for ten seconds in vain, and then learns when to ask again. */
async function waitInVain(): Promise<void> {
  const database = await startTestDatabase();
  const api = await startApi(database.url);
  const lock = await TableLock.take(database.url, 'submission');
  const ask = () =>
    request(`${api.url}/export/submissions.csv`, { agent: false })
      .on('error', () => undefined)
      .end();
  const others = [ask(), ask()];
  try {
    await waitFor(
      'both places to be taken',
      async () => (await lock.findWaiting()).length === 2 || undefined,
    );
    const refused = await fetch(`${api.url}/export/submissions.csv`);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '10']);
    for (const other of others) other.destroy();
    await waitFor('both to leave', async () => (await lock.findWaiting()).length === 0 || undefined);
    await lock.release();
    const askOne = () => fetch(`${api.url}/export/submissions.csv?limit=1`);
    let answer = await askOne();
    // On a busy machine a new connection to the database may take too long.
    if (answer.status === 503) {
      expect(await answer.text()).toContain('The database cannot be reached');
      answer = await askOne();
    }
    expect([answer.status, (await answer.text()).split('\n').length]).toEqual([200, 2]);
  } finally {
    await lock.release();
    await api.stop();
    await database.stop();
  }
}

describe('a file being sent', () => {
  /** Runs in parallel to the tests that compute. */
  let waitedInVain: Promise<PromiseSettledResult<void>[]>;
  let database: TestDatabase;
  let api: ApiServer;
  let admin: Client;

  /** An answer of which nothing is read yet. */
  const begin = async (
    path: string,
    headers: Record<string, string> = {},
    { url } = api,
  ): Promise<IncomingMessage> => {
    const asked = request(`${url}/export/${path}`, { headers, agent: false }).end();
    const [answer] = (await once(asked, 'response')) as [IncomingMessage];
    return answer.on('error', () => undefined);
  };
  const readAll = async (answer: IncomingMessage): Promise<number> => {
    let bytes = 0;
    for await (const chunk of answer) bytes += (chunk as Buffer).length;
    return bytes;
  };
  /** The COPY statements that the server is running, and what each waits for. */
  const getCopies = async (): Promise<{ pid: number; waitsFor: string | null }[]> => {
    const { rows } = await admin.query<{ pid: number; waitsFor: string | null }>(
      `SELECT pid, wait_event AS "waitsFor" FROM pg_stat_activity
        WHERE datname = current_database() AND state = 'active' AND query LIKE 'COPY (%'`,
    );
    return rows;
  };
  const noCopies = (): Promise<true> =>
    waitFor('all copies to end', async () => ((await getCopies()).length === 0 ? true : undefined));
  const waitsForClient = (): Promise<number> =>
    waitFor('the server to wait for the client', async () => {
      const [copy] = await getCopies();
      return copy?.waitsFor === 'ClientWrite' ? copy.pid : undefined;
    });

  const keys = new Map<string, Record<string, string>>();
  const addKeys = async (names: readonly string[]): Promise<void> => {
    const dataSource = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    for (const name of names) {
      const text = toKeyText(randomBytes(KEY_BYTES));
      await addKey(dataSource, { name, scope: 'read', hash: hashKey(text) });
      keys.set(name, { 'x-api-key': text });
    }
    await dataSource.destroy();
  };

  beforeAll(async () => {
    waitedInVain = Promise.allSettled([waitInVain()]);
    database = await startTestDatabase();
    // A server that starts knows the keys at once.
    await addKeys(['revoked', 'other']);
    api = await startApi(database.url, { keys: ['secret'] });
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha')]);
    await insertRows(api.dataSource, 'submission', [submissionRow(1)]);
    const columns = await api.dataSource.query<{ name: string }[]>(
      `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'submission'::regclass AND attnum > 0`,
    );
    // No test searches messages, and filling their index takes most of the time.
    await api.dataSource.query('DROP INDEX IF EXISTS submission_message_idx');
    const names = columns.map(({ name }) => name);
    const values = names.map((name) => NEW_VALUES[name] ?? `s.${name}`);
    await api.dataSource.query(
      `INSERT INTO submission (${names.join(', ')})
       SELECT ${values.join(', ')} FROM submission s, generate_series(2, ${ROWS}) n`,
    );
    admin = new Client({ connectionString: database.url });
    await admin.connect();
  });

  afterAll(async () => {
    await waitedInVain;
    await admin?.end();
    await api?.stop();
    await database?.stop();
  });

  const KEY = { 'x-api-key': 'secret' };

  it('needs a key like every query, before anything is read', async () => {
    const answer = await begin('submissions.csv');
    expect(answer.statusCode).toBe(401);
    expect(await readAll(answer)).toBeGreaterThan(0);
    const head = await fetch(`${api.url}/export/submissions.csv`, { method: 'HEAD' });
    expect(head.status).toBe(401);
    expect(await getCopies()).toEqual([]);
  });

  it.each(['csv', 'ndjson', 'parquet'])('comes whole as %s, however slowly it is begun', async (format) => {
    const answer = await begin(`submissions.${format}`, KEY);
    expect(answer.statusCode).toBe(200);
    await waitsForClient();
    expect(await readAll(answer)).toBeGreaterThan((ROWS * MESSAGE_BYTES) / 2);
    expect(answer.complete).toBe(true);
    await noCopies();
  });

  it('leaves no timeout of its own to the next queries on its connection', async () => {
    const reads = api.app.get(ReadDatabase, { strict: false });
    const read = () => reads.query('SHOW statement_timeout');
    const before = await read();
    expect(await readAll(await begin('submissions.csv?limit=1', KEY))).toBeGreaterThan(0);
    await waitFor('its connection', async () => (reads.connections.used === 0 ? true : undefined));
    expect(await read()).toEqual(before);
  });

  it('is no longer written once its client has left, and frees its place', async () => {
    for (let round = 0; round < 4; round += 1) {
      const answer = await begin('submissions.ndjson', KEY);
      await waitsForClient();
      answer.destroy();
      await noCopies();
    }
    expect(await api.ask('{ submissions(first: 1) { nodes { id } } }', {}, KEY)).toMatchObject({
      status: 200,
    });
  });

  it('is given up when its client stops reading', async () => {
    const hasty = await startApi(database.url, { keys: ['secret'], limits: { stallMs: STALL_MS } });
    try {
      const answer = await begin('submissions.csv', KEY, hasty);
      await noCopies();
      await expect(readAll(answer)).rejects.toThrow('aborted');
    } finally {
      await hasty.stop();
    }
  });

  it('breaks off when its key is revoked, and no other file does', async () => {
    const ended = await begin('submissions.csv', keys.get('revoked'));
    const going = await begin('submissions.csv', keys.get('other'));
    await waitFor('both to be written', async () => (await getCopies()).length === 2 || undefined);
    await revokeKey(api.dataSource, 'revoked');
    // This comes long before the file would be given up because nothing is read.
    await waitFor('one to end', async () => (await getCopies()).length === 1 || undefined, 10_000);
    await expect(readAll(ended)).rejects.toThrow('aborted');
    expect(await readAll(going)).toBeGreaterThan(ROWS);
    expect(going.complete).toBe(true);
    await noCopies();
  });

  it('gives way to waiting requests when its client reads very little, and only then', async () => {
    const hasty = await startApi(database.url, { keys: ['secret'], limits: { slowMs: STALL_MS } });
    /** Reads 2 kB now and then. */
    const drip = async (): Promise<{ answer: IncomingMessage; stop: () => void }> => {
      const answer = await begin('submissions.csv', KEY, hasty);
      const drops = setInterval(() => answer.read(2_000), 50);
      answer.once('close', () => clearInterval(drops));
      return { answer, stop: () => answer.destroy() };
    };
    const slow = [await drip(), await drip()];
    try {
      await new Promise((resolve) => setTimeout(resolve, 3 * STALL_MS));
      expect(slow.map(({ answer }) => answer.destroyed)).toEqual([false, false]);
      const waiting = await begin('submissions.csv?limit=10', KEY, hasty);
      expect([waiting.statusCode, await readAll(waiting)]).toEqual([200, expect.any(Number)]);
      const ends = await Promise.allSettled(slow.map(({ answer }) => readAll(answer)));
      expect(ends.map(({ status }) => status)).toContain('rejected');
    } finally {
      for (const { stop } of slow) stop();
      await hasty.stop();
    }
  });

  it('breaks off for its client when the database breaks off', async () => {
    for (const format of ['csv', 'parquet']) {
      const answer = await begin(`submissions.${format}`, KEY);
      const pid = await waitsForClient();
      await admin.query('SELECT pg_terminate_backend($1)', [pid]);
      // Before the client reads on, so that the copy cannot end first.
      await noCopies();
      await expect(readAll(answer)).rejects.toThrow('aborted');
      expect(answer.complete).toBe(false);
    }
  });

  it('waits for a free place, and says when to ask again', async () => {
    const [outcome] = await waitedInVain;
    if (outcome?.status === 'rejected') throw outcome.reason;
  });
});
