import { connect, type Socket } from 'node:net';
import { READERS, startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { waitFor } from '../support/service-process.js';
import { TableLock } from '../support/table-lock.js';

/** Statements that one request may have under way. */
const AT_ONCE = 3;
/** The longest that a statement of a reader may take. */
const STATEMENT_MS = 10_000;

const SEARCHES = `{ ${Array.from({ length: 15 }, (_, i) => `a${i}: submissions(first: 1, filter: { message: "zz${i}" }) { nodes { id } }`).join(' ')} }`;

/** It may have so many rows that it needs one of the few slots for expensive queries. */
const EXPENSIVE =
  '{ statistics(bucket: HOUR, from: "2026-01-01T00:00:00Z", to: "2026-07-01T00:00:00Z") { attempts } }';

/** A client that sends its queries one after another on a connection, without waiting for answers. */
function shout(url: string, queries: readonly string[]): Socket {
  const { hostname, port, host } = new URL(url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const bodies = queries.map((query) => JSON.stringify({ query }));
  const questions = bodies.map(
    (body) =>
      `POST /graphql HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  socket.write(questions.join(''));
  return socket;
}

describe('readers', () => {
  let database: TestDatabase;
  let api: ApiServer;
  let lock: TableLock;
  const clients: Socket[] = [];
  const complaints: unknown[] = [];
  const note = (complaint: unknown): void => void complaints.push(complaint);

  // Equal queries would be joined.
  let asked = 0;
  const ask = (...queries: readonly string[]): Socket => {
    const client = shout(
      api.url,
      queries.map((query) => `${query} # ${(asked += 1)}`),
    );
    clients.push(client);
    return client;
  };
  const waiting = (count: number): Promise<number[]> =>
    waitFor(`${count} statements to wait`, async () => {
      const pids = await lock.findWaiting();
      return pids.length === count ? pids : undefined;
    });

  /** Still connected, with nothing to do and no transaction open. */
  const idle = (pids: readonly number[]): Promise<true> =>
    waitFor('the connections to be given back', async () => {
      const { length } = await lock.findIdle(pids);
      return length === pids.length ? true : undefined;
    });

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url);
    api.app.useLogger({ log: () => undefined, warn: note, error: note, fatal: note });
    await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha')]);
    await insertRows(api.dataSource, 'submission', [submissionRow(1, { message: 'zz1' })]);
  });

  beforeEach(async () => {
    complaints.length = 0;
    lock = await TableLock.take(database.url, 'submission');
  });

  afterEach(async () => {
    for (const client of clients.splice(0)) client.destroy();
    await lock.release();
  });

  afterAll(async () => {
    await api?.stop();
    await database?.stop();
  });

  it('run a few statements of a request at a time, so that other requests get answers meanwhile', async () => {
    ask(SEARCHES);
    await waiting(AT_ONCE);
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.ask('{ nodes { id } }')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await lock.findWaiting()).toHaveLength(AT_ONCE);
  });

  it('report that they are busy, and when to ask again, once all their connections are taken', async () => {
    for (let taken = AT_ONCE; taken <= READERS; taken += AT_ONCE) {
      ask(SEARCHES);
      await waiting(taken);
    }
    const response = await fetch(`${api.url}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ query: '{ nodes { id } }' }),
    });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await response.json()).toMatchObject({
      errors: [
        {
          message: 'Too many queries at once; try again in a moment.',
          extensions: { code: 'RATE_LIMITED' },
        },
      ],
    });
    const ready = await fetch(`${api.url}/health/ready`);
    expect([ready.status, await ready.json()]).toEqual([
      200,
      expect.objectContaining({ ready: true, database: 'reachable' }),
    ]);
    expect(complaints).toEqual([]);
  });

  it('end running and waiting statements of a client that has left, and keep the connections', async () => {
    const leaving = [ask(SEARCHES), ask(SEARCHES), ask(SEARCHES)];
    const pids = await waiting(READERS);
    const left = performance.now();
    for (const client of leaving) client.destroy();
    await waiting(0);
    expect(performance.now() - left).toBeLessThan(STATEMENT_MS / 2);
    await idle(pids);
    // No statement that waited for a connection has begun since.
    const answers = await Promise.all(Array.from({ length: 20 }, () => api.ask('{ nodes { id } }')));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect(await lock.findWaiting()).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it('leave no transaction open after a report', async () => {
    const query = '{ statistics(bucket: DAY) { attempts } }';
    await lock.release();
    lock = await TableLock.take(database.url, 'statistic, node');
    const client = ask(query);
    const [pid] = await waiting(1);
    client.destroy();
    await waiting(0);
    await idle([pid ?? 0]);
    await lock.release();
    lock = await TableLock.take(database.url, 'submission');
    expect((await api.ask(query)).status).toBe(200);
  });

  it('also end later queries of a client on its connection, and free their slots', async () => {
    await lock.release();
    lock = await TableLock.take(database.url, 'submission, statistic, node');
    // There are two slots.
    for (let left = 0; left < 2; left += 1) {
      const client = ask(SEARCHES, EXPENSIVE);
      await waiting(AT_ONCE + 1);
      client.destroy();
      await waiting(0);
    }
    await lock.release();
    lock = await TableLock.take(database.url, 'submission');
    expect((await api.ask(EXPENSIVE)).status).toBe(200);
  });

  it('work next to any number of readiness probes, which share one check', async () => {
    await lock.release();
    lock = await TableLock.take(database.url, 'roll_up_fault');
    const watch = async (): Promise<number[]> => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => fetch(`${api.url}/health/ready`)));
      return answers.map(({ status }) => status);
    };
    const none = Array(20).fill(503);
    expect(await watch()).toEqual(none);
    const pids = await lock.findWaiting();
    expect(pids).toHaveLength(2);
    // If each later probe started its own check, all connections would wait in the end, including this one.
    expect(await watch()).toEqual(none);
    expect(await api.dataSource.query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(await lock.findWaiting()).toEqual(pids);
    await lock.release();
    lock = await TableLock.take(database.url, 'submission');
    await waitFor('readiness', async () => (await watch()).includes(200) || undefined);
  });

  it('answer queries after all that as before', async () => {
    await lock.release();
    lock = await TableLock.take(database.url, 'price');
    const answer = await api.ask<Record<string, { nodes: unknown[] }>>(SEARCHES);
    expect(Object.values(answer.data ?? {}).map(({ nodes }) => nodes.length)).toEqual(
      Array.from({ length: 15 }, (_, i) => (i === 1 ? 1 : 0)),
    );
  });

  it('end with the server, whatever still waits', async () => {
    const stopping = await startApi(database.url);
    const client = shout(stopping.url, [SEARCHES]);
    clients.push(client);
    await waiting(AT_ONCE);
    const began = performance.now();
    await stopping.stop();
    expect(await lock.findWaiting()).toEqual([]);
    expect(performance.now() - began).toBeLessThan(STATEMENT_MS / 2);
  });
});
