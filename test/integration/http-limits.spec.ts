import { text } from 'node:stream/consumers';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { keepPace, markHolder } from '../../src/api/http/answer-pace.js';
import { createLogger } from '../../src/platform/logger.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { connectTo, sendRaw } from '../support/raw-http.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { waitFor } from '../support/service-process.js';
import { TableLock } from '../support/table-lock.js';

const portOf = (api: ApiServer): number => Number(new URL(api.url).port);

/** The number of connections of the server. */
const countConnections = (api: ApiServer): Promise<number> =>
  new Promise((resolve) => api.app.getHttpServer().getConnections((_, count) => resolve(count)));

const LIVE = 'GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n';

function question(query: string): string {
  const body = JSON.stringify({ query });
  const head = 'POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json';
  return `${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}

describe('the limits of a connection', () => {
  let database: TestDatabase;
  const lines: string[] = [];
  const logger = createLogger('info', { write: (line) => lines.push(line) });

  const withApi = async (
    limits: NonNullable<Parameters<typeof startApi>[1]>['limits'],
    use: (api: ApiServer) => Promise<void>,
  ): Promise<void> => {
    const api = await startApi(database.url, { logger, limits });
    try {
      await use(api);
    } finally {
      await api.stop();
    }
  };

  /** Writes the head of a request, then a byte of its body now and then; returns what came until the end. */
  const drip = (api: ApiServer, path: string): Promise<string> =>
    new Promise((resolve) => {
      let received = '';
      const socket = connectTo(portOf(api));
      socket.write(
        `POST ${path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 5000\r\n\r\n{"query":"`,
      );
      const drops = setInterval(() => socket.write('a'), 20);
      socket.on('data', (data) => (received += data.toString()));
      socket.on('close', () => {
        clearInterval(drops);
        resolve(received);
      });
    });

  beforeAll(async () => {
    database = await startTestDatabase();
  });

  beforeEach(() => {
    lines.length = 0;
  });

  afterAll(() => database?.stop());

  it('end a connection with more requests than fit into one time slice, and no other', async () => {
    await withApi({}, async (api) => {
      const talk = (requests: number): Promise<number> =>
        new Promise((resolve) => {
          let received = '';
          const socket = connectTo(portOf(api));
          const count = (): number => received.split('{"live":true}').length - 1;
          socket.on('data', (data) => {
            received += data.toString();
            if (count() === requests) socket.destroy();
          });
          socket.on('close', () => resolve(count()));
          socket.write('GET /health/live HTTP/1.1\r\nhost: localhost\r\n\r\n'.repeat(requests));
        });
      expect(await talk(200)).toBeLessThan(200);
      expect(await talk(10)).toBe(10);
    });
    expect(lines).toEqual([]);
  });

  it('end a request that is never completed, without a line in the log', async () => {
    await withApi({ requestMs: 300, checkMs: 50 }, async (api) => {
      const received = await drip(api, '/graphql');
      expect(received).toMatch(/^HTTP\/1\.1 408 /);
      expect(received).toContain('The request was not sent in time.');
      expect(lines).toEqual([]);
    });
  });

  it('end headers that are never completed', async () => {
    await withApi({ requestMs: 300, checkMs: 50 }, async (api) => {
      const answer = await sendRaw(portOf(api), 'POST /graphql HTTP/1.1\r\nhost: localhost\r\nx-a: ');
      expect([answer.status, answer.isEnded]).toEqual([408, true]);
    });
  });

  it.each(['/health/live', '/', '/unknown'])(
    'do not let a body begin on a path without bodies: %s',
    async (path) => {
      await withApi({}, async (api) => {
        const received = await drip(api, path);
        expect(received).toMatch(/^HTTP\/1\.1 404 .*\r\nconnection: close\r\n/s);
        expect(lines).toEqual([]);
      });
    },
  );

  it('do not let a body continue that is refused by its headers', async () => {
    const api = await startApi(database.url, { keys: ['a-key-of-16-chars'], logger });
    try {
      expect(await drip(api, '/graphql')).toMatch(/^HTTP\/1\.1 401 .*\r\nconnection: close\r\n/s);
    } finally {
      await api.stop();
    }
  });

  it('give up a client that does not read its answer', async () => {
    await withApi({ answerMs: 500 }, async (api) => {
      await insertRows(api.dataSource, 'node', [nodeRow(1, 'alpha')]);
      await insertRows(api.dataSource, 'submission', [
        submissionRow(1, { lineage_key: null, message: 'x'.repeat(2_000_000) }),
      ]);
      const aliases = Array.from(
        { length: 20 },
        (_, n) => `a${String(n)}: submissions { nodes { message } }`,
      );
      const body = JSON.stringify({ query: `{ ${aliases.join(' ')} }` });
      const socket = connectTo(portOf(api));
      const answering = new Promise<void>((resolve) =>
        api.app.getHttpServer().once('request', (_request: unknown, response: NodeJS.EventEmitter) => {
          response.once('close', () => resolve());
        }),
      );
      socket.pause();
      socket.write(
        `POST /graphql HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${String(body.length)}\r\n\r\n${body}`,
      );
      await answering;
      await waitFor('the connection to end', async () => (await countConnections(api)) === 0 || undefined);
      socket.destroy();
      expect(lines).toEqual([]);
    });
  });

  it('are no longer checked for an answer whose client left before it began', async () => {
    const countTimers = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const kept = new Promise<number>((resolve) => {
      server.once('request', (_request, answer) =>
        answer.once('close', () => {
          markHolder(answer, () => true);
          const before = countTimers();
          keepPace(answer, { answerMs: 60_000, stallMs: 60_000, slowMs: 60_000 });
          resolve(countTimers() - before);
        }),
      );
    });
    const socket = connectTo((server.address() as AddressInfo).port);
    socket.write(LIVE);
    await once(server, 'request');
    socket.destroy();
    expect(await kept).toBe(0);
    server.close();
  });

  it('give up a connection without any data', async () => {
    await withApi({ requestMs: 300 }, async (api) => {
      const socket = connectTo(portOf(api));
      expect(await text(socket)).toMatch(/^HTTP\/1\.1 408 /);
      expect(await countConnections(api)).toBe(0);
    });
  });

  /** One after the other, so that they arrive in this order. */
  const inTurns = async (count: number, make: () => Promise<Socket>): Promise<Socket[]> => {
    const made = [];
    for (let n = 0; n < count; n += 1) made.push(await make());
    return made;
  };
  const complaints = (): string[] => lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
  const open = (api: ApiServer): Promise<Socket> =>
    new Promise((resolve) => {
      const socket = connectTo(portOf(api)).resume();
      socket.once('connect', () => resolve(socket));
    });
  const ended = (socket: Socket): Promise<void> =>
    new Promise((resolve) => (socket.closed ? resolve() : socket.once('close', () => resolve())));

  it('close the connection that has been idle for longest, to let another one in', async () => {
    await withApi({ connections: 3 }, async (api) => {
      const asking = async (): Promise<Socket> => {
        const socket = await open(api);
        socket.write(LIVE);
        expect(String((await once(socket, 'data'))[0])).toContain('{"live":true}');
        return socket;
      };
      const silent = await open(api);
      const sockets = [await asking(), await asking(), await asking()];
      expect(sockets.map((socket) => socket.closed)).toEqual([false, false, false]);
      // Now another connection is the idlest.
      sockets[0]?.write(LIVE);
      await once(sockets[0] as Socket, 'data');
      sockets.push(await asking());
      await ended(sockets[1] as Socket);
      sockets.push(await asking());
      await ended(sockets[2] as Socket);
      expect([silent, ...sockets].map((socket) => socket.closed)).toEqual([
        false,
        false,
        true,
        true,
        false,
        false,
      ]);
      for (const socket of [silent, ...sockets]) socket.destroy();
    });
    expect(complaints()).toEqual(['a connection was refused, or closed for a new one']);
  });

  it('keep few connections that have not sent a request, however many there may be', async () => {
    await withApi({ connections: 2 }, async (api) => {
      const sockets = await inTurns(400, () => open(api));
      const countClosed = (): number => sockets.filter((socket) => socket.closed).length;
      await waitFor('few to be left', () => countClosed() >= 150 || undefined);
      expect([countClosed(), await countConnections(api)]).toEqual([150, 250]);
      expect(sockets.slice(0, 150).every((socket) => socket.closed)).toBe(true);
      expect((await fetch(api.url)).status).toBe(200);
      for (const socket of sockets) socket.destroy();
    });
  });

  it('answer probes while all connections are busy, and ask other clients to come again', async () => {
    await withApi({ connections: 2 }, async (api) => {
      const busy = [await open(api), await open(api)];
      const lock = await TableLock.take(database.url, 'node');
      try {
        busy.forEach((socket, n) => socket.write(question(`{ nodes { id } } # ${n}`)));
        await waitFor('both to wait', async () => (await lock.findWaiting()).length >= 2 || undefined);
        const live = await fetch(`${api.url}/health/live`);
        expect(await live.json()).toEqual({ live: true });
        const other = await sendRaw(portOf(api), question('{ nodes { id } }'));
        expect([other.status, other.headers.get('connection'), other.headers.has('retry-after')]).toEqual([
          429,
          'close',
          true,
        ]);
        expect(busy.map((socket) => socket.closed)).toEqual([false, false]);
      } finally {
        await lock.release();
      }
      for (const socket of busy) socket.destroy();
      await waitFor('room again', async () => (await countConnections(api)) <= 1 || undefined);
      expect((await sendRaw(portOf(api), question('{ nodes { id } }'))).status).toBe(200);
    });
  });
});
