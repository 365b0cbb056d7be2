import { connect, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';

interface Told {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** The answer to an HTTP/2 request; rejects when the request is cancelled or ends without an answer. */
function ask(session: ClientHttp2Session, headers: OutgoingHttpHeaders, body?: string): Promise<Told> {
  return new Promise((resolve, reject) => {
    const stream = session.request(headers, { endStream: body === undefined });
    let told: Record<string, unknown> = {};
    let text = '';
    stream.on('response', (given) => (told = given));
    stream.on('data', (piece: Buffer) => (text += piece.toString()));
    stream.on('error', reject);
    stream.on('close', () =>
      told[':status'] === undefined
        ? reject(new Error(`closed by ${stream.rstCode}`))
        : resolve({ status: Number(told[':status']), headers: told, body: text }),
    );
    if (body !== undefined) stream.end(body);
  });
}

/** Sends bytes over a connection, and returns what came back once the server has closed it. */
function send(port: number, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connectTcp(port, '127.0.0.1', () => socket.write(text));
    socket.on('data', (piece) => (received += piece.toString('latin1')));
    socket.on('error', reject);
    socket.on('close', () => resolve(received));
  });
}

describe('HTTP/2 next to HTTP/1 on one port', () => {
  let database: TestDatabase;
  let api: ApiServer;
  const sessions: ClientHttp2Session[] = [];

  const open = (): ClientHttp2Session => {
    const session = connect(api.url);
    session.on('error', () => undefined);
    sessions.push(session);
    return session;
  };

  beforeAll(async () => {
    database = await startTestDatabase();
    api = await startApi(database.url, { limits: { requestMs: 1_000, checkMs: 100, connections: 3 } });
  });
  afterEach(() => {
    for (const session of sessions.splice(0)) session.destroy();
  });
  afterAll(async () => {
    await api.stop();
    await database.stop();
  });

  it('answers both, with the same headers', async () => {
    const [first, second] = await Promise.all([
      fetch(`${api.url}/health/live`),
      ask(open(), { ':path': '/health/live' }),
    ]);
    expect(second.status).toBe(first.status);
    expect(second.body).toBe(await first.text());
    expect(second.headers['content-security-policy']).toBe(first.headers.get('content-security-policy'));
  });

  it('answers GraphQL queries', async () => {
    const headers = { ':path': '/graphql', ':method': 'POST', 'content-type': 'application/json' };
    const { status, body } = await ask(open(), headers, '{"query":"{nodes{id}}"}');
    expect([status, JSON.parse(body)]).toMatchObject([200, { data: { nodes: [] } }]);
  });

  it('answers only as localhost if no key is required', async () => {
    const headers = {
      ':path': '/graphql',
      ':method': 'POST',
      ':authority': 'evil.example',
      'content-type': 'application/json',
    };
    expect((await ask(open(), headers, '{"query":"{nodes{id}}"}')).status).toBe(403);
  });

  it('ends a request whose body does not come', async () => {
    const stream = open().request({
      ':path': '/graphql',
      ':method': 'POST',
      'content-type': 'application/json',
    });
    const ended = new Promise((resolve) => stream.once('close', () => resolve(stream.rstCode)));
    stream.on('error', () => undefined);
    stream.write('{');
    expect(await ended).toBe(constants.NGHTTP2_CANCEL);
  });

  it('refuses a body that is too large', async () => {
    const headers = { ':path': '/graphql', ':method': 'POST', 'content-type': 'application/json' };
    expect((await ask(open(), headers, `{"query":"${'x'.repeat(2_000_000)}"}`)).status).toBe(413);
  });

  it('accepts no more concurrent requests on a connection than it announces', async () => {
    const session = open();
    await new Promise((resolve) => session.once('remoteSettings', resolve));
    expect(session.remoteSettings.maxConcurrentStreams).toBe(10);
    const all = await Promise.all(
      Array.from({ length: 40 }, () => ask(session, { ':path': '/health/live' })),
    );
    expect(all.every(({ status }) => status === 200)).toBe(true);
  });

  it.each(['h2c', 'websocket'])(
    'answers a request that offers an upgrade to %s as one without',
    async (offer) => {
      const port = Number(new URL(api.url).port);
      const body = '{"query":"{nodes{id}}"}';
      const head = [
        'POST /graphql HTTP/1.1',
        `host: localhost:${port}`,
        'content-type: application/json',
        `content-length: ${body.length}`,
        `connection: Upgrade, HTTP2-Settings`,
        `upgrade: ${offer}`,
        'http2-settings: AAMAAABkAARAAAAAAAIAAAAA',
      ];
      const request = `${head.join('\r\n')}\r\n\r\n${body}`;
      const last = `GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
      // The connection is kept, and serves the next request, too.
      const answer = await send(port, request + last);
      expect(answer.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(2);
      expect(answer).toContain('"nodes":[]');
    },
  );

  it('counts connections of both protocols together', async () => {
    const busy = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const session = open();
        const stream = session.request({
          ':path': '/graphql',
          ':method': 'POST',
          'content-type': 'application/json',
        });
        stream.on('error', () => undefined);
        stream.write('{');
        await new Promise((resolve) => session.once('connect', resolve));
        // The requests are answered in the order in which they were accepted, so this request has begun.
        await new Promise((resolve) => session.ping(resolve));
        return stream;
      }),
    );
    expect((await ask(open(), { ':path': '/openapi.json' })).status).toBe(429);
    expect((await fetch(`${api.url}/openapi.json`)).status).toBe(429);
    expect((await fetch(`${api.url}/health/live`)).status).toBe(200);
    for (const stream of busy) stream.close();
  });

  it.each([
    ['nothing', ''],
    ['half of what HTTP/2 begins with', 'PR'],
  ])('closes a connection that sends %s', async (_, text) => {
    expect(await send(Number(new URL(api.url).port), text)).toMatch(/^HTTP\/1.1 408/);
  });

  it('closes a connection that continues as something other than HTTP/2', async () => {
    await expect(
      send(Number(new URL(api.url).port), 'PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'),
    ).resolves.toBeDefined();
  });

  it('accepts a request whose first bytes come one by one', async () => {
    const text = 'GET /health/live HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n';
    const answer = await new Promise<string>((resolve, reject) => {
      let received = '';
      const socket = connectTcp(Number(new URL(api.url).port), '127.0.0.1');
      socket.setNoDelay(true);
      socket.on('data', (piece) => (received += piece.toString()));
      socket.on('error', reject).on('close', () => resolve(received));
      const next = (at: number): void => {
        if (at < 8) socket.write(text[at] ?? '', () => setTimeout(() => next(at + 1), 5));
        else socket.write(text.slice(8));
      };
      next(0);
    });
    expect(answer).toMatch(/^HTTP\/1.1 200/);
  });
});
