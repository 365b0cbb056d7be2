import { createLogger } from '../../src/platform/logger.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { connectTo, sendRaw } from '../support/raw-http.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { waitFor } from '../support/service-process.js';

const portOf = (api: ApiServer): number => Number(new URL(api.url).port);

/** How many connections the server has. */
const countConnections = (api: ApiServer): Promise<number> =>
  new Promise((resolve) => api.app.getHttpServer().getConnections((_, count) => resolve(count)));

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

  /** Writes the head of a request, then a byte of its body now and then; gives back what came until the end. */
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

  it('end a connection with more requests than can be looked at between two turns, and no other', async () => {
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

  it('end a request that does not come to its end, without a word in the log', async () => {
    await withApi({ requestMs: 300, checkMs: 50 }, async (api) => {
      const received = await drip(api, '/graphql');
      expect(received).toMatch(/^HTTP\/1\.1 408 /);
      expect(received).toContain('The request was not sent in time.');
      expect(lines).toEqual([]);
    });
  });

  it('end headers that do not come to their end', async () => {
    await withApi({ requestMs: 300, checkMs: 50 }, async (api) => {
      const answer = await sendRaw(portOf(api), 'POST /graphql HTTP/1.1\r\nhost: localhost\r\nx-a: ');
      expect([answer.status, answer.isEnded]).toEqual([408, true]);
    });
  });

  it.each(['/health/live', '/', '/unknown'])(
    'do not let a body begin where none is taken: %s',
    async (path) => {
      await withApi({}, async (api) => {
        const received = await drip(api, path);
        expect(received).toMatch(/^HTTP\/1\.1 404 .*\r\nconnection: close\r\n/s);
        expect(lines).toEqual([]);
      });
    },
  );

  it('do not let a body go on that is refused by its headers', async () => {
    const api = await startApi(database.url, { keys: ['a-key-of-16-chars'], logger });
    try {
      expect(await drip(api, '/graphql')).toMatch(/^HTTP\/1\.1 401 .*\r\nconnection: close\r\n/s);
    } finally {
      await api.stop();
    }
  });

  it('give up a client that does not take its answer', async () => {
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

  it('give up a connection on which nothing comes', async () => {
    await withApi({ idleMs: 300 }, async (api) => {
      const socket = connectTo(portOf(api));
      await new Promise<void>((resolve) => socket.on('close', () => resolve()).resume());
    });
  });

  it('take so many connections and no more, and say so once', async () => {
    await withApi({ connections: 2 }, async (api) => {
      const held = [connectTo(portOf(api)), connectTo(portOf(api))];
      await waitFor('two connections', async () => (await countConnections(api)) === 2 || undefined);
      for (let n = 0; n < 3; n += 1) {
        await new Promise<void>((resolve) =>
          connectTo(portOf(api))
            .on('close', () => resolve())
            .resume(),
        );
      }
      expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual([
        'a connection was refused',
      ]);
      for (const socket of held) socket.destroy();
      await waitFor('room again', async () => (await countConnections(api)) === 0 || undefined);
      expect((await fetch(`${api.url}/health/live`)).status).toBe(200);
    });
  });
});
