import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { HttpClient } from '../../src/platform/http.js';
import type { HttpLimits, HttpResult } from '../../src/platform/http-messages.js';
import { watchZlib } from '../support/zlib-watch.js';
import {
  answerByDrops,
  answerEndlessly,
  answerOf,
  answerPastTheEnd,
  startHostileServer,
  type HostileServer,
} from '../support/hostile-server.js';

const LIMITS: HttpLimits = { bodyBytes: 1_000_000, headersMs: 2_000, totalMs: 5_000 };
const MEGABYTE = Buffer.alloc(1_048_576, 0x20);

let http: HttpClient;
let server: HostileServer | undefined;

beforeEach(() => {
  http = new HttpClient();
});

afterEach(async () => {
  await http.close();
  await server?.close();
  server = undefined;
});

async function ask(listener: Parameters<typeof startHostileServer>[0], limits = LIMITS): Promise<HttpResult> {
  server = await startHostileServer(listener);
  return http.request({ url: `${server.url}/x`, limits });
}

describe('HttpClient', () => {
  it('returns status, type, body, the clock of the server and the latency', async () => {
    const result = await ask(answerOf('{"a":1}', { headers: { date: 'Sat, 21 Nov 2026 05:43:00 GMT' } }));

    expect(result).toMatchObject({
      kind: 'response',
      status: 200,
      contentType: 'application/json',
      truncated: false,
      nodeClock: Date.UTC(2026, 10, 21, 5, 43),
    });
    expect(result.kind === 'response' && result.body.toString()).toBe('{"a":1}');
    expect(result.latencyMs).toBeGreaterThan(0);
  });

  it('posts JSON and sends the headers of the settings', async () => {
    let seen = '';
    const result = await ask((request, response) => {
      request.on('data', (chunk: Buffer) => (seen += chunk.toString()));
      request.on('end', () => {
        seen += ` ${request.method} ${request.headers['content-type']} ${String(request.headers['x-key'])}`;
        response.end('{}');
      });
    });
    expect(result.kind).toBe('response');
    seen = '';
    await http.request({
      url: server?.url ?? '',
      json: '{"height":1}',
      headers: { 'X-Key': 'k' },
      limits: LIMITS,
    });
    expect(seen).toBe('{"height":1} POST application/json k');
  });

  it('reports a redirect and does not follow it', async () => {
    const result = await ask(
      answerOf('', { status: 302, headers: { location: 'http://elsewhere.example/' } }),
    );

    expect(result).toMatchObject({ kind: 'response', status: 302, location: 'http://elsewhere.example/' });
    expect(server?.requests).toHaveLength(1);
  });

  it.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
  ])('unpacks %s', async (encoding, pack) => {
    const text = JSON.stringify({ rows: Array.from({ length: 5_000 }, (_, index) => index) });
    const result = await ask(answerOf(pack(text), { headers: { 'content-encoding': encoding } }));

    expect(result.kind === 'response' && result.body.toString()).toBe(text);
  });

  it.each(['br', 'BR', 'gzip, br', 'zstd', 'compress'])(
    'refuses a body compressed by %s, which it never asks for, and creates no decompressor',
    async (encoding) => {
      const asked: unknown[] = [];
      const packed = brotliCompressSync('{"a":1}');
      const watch = watchZlib();
      const result = await ask((request, response) => {
        asked.push(request.headers['accept-encoding']);
        response
          .writeHead(503, { 'content-type': 'application/json', 'content-encoding': encoding })
          .end(packed);
      });

      expect(watch.stop()).toBe(0);
      expect(asked).toEqual(['gzip, deflate']);
      expect(result).toMatchObject({
        kind: 'failure',
        reason: 'OTHER',
        detail: `the answer is compressed by ${encoding.toLowerCase()}; Hindsight accepts only gzip, deflate`,
        partial: { status: 503, body: Buffer.alloc(0) },
      });
    },
  );

  it('creates a decompressor for gzip, so that the case above would notice one', async () => {
    const packed = gzipSync('{}');
    const watch = watchZlib();
    await ask(answerOf(packed, { headers: { 'content-encoding': 'gzip' } }));
    expect(watch.stop()).toBe(1);
  });

  it('asks for no Brotli, whatever headers the settings name', async () => {
    const asked: unknown[] = [];
    server = await startHostileServer((request, response) => {
      asked.push(request.headers['accept-encoding']);
      response.end('{}');
    });
    await http.request({ url: server.url, headers: { 'Accept-Encoding': 'br' }, limits: LIMITS });
    expect(asked).toEqual(['gzip, deflate']);
  });

  it('cuts off a body of 2 GB at the limit, keeps its start and the memory small', async () => {
    const before = process.memoryUsage().rss;
    const result = await ask(answerEndlessly('start', MEGABYTE, 2 * 1_073_741_824));

    expect(result).toMatchObject({ kind: 'response', truncated: true });
    expect(result.kind === 'response' && result.body.length).toBe(LIMITS.bodyBytes);
    expect(result.kind === 'response' && result.body.toString('utf8', 0, 5)).toBe('start');
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  it('cuts off a small body that decompresses to 150 MB', async () => {
    const bomb = gzipSync(Buffer.alloc(150 * 1_048_576, 0x20));
    expect(bomb.length).toBeLessThan(LIMITS.bodyBytes);
    const before = process.memoryUsage().rss;
    const result = await ask(answerOf(bomb, { headers: { 'content-encoding': 'gzip' } }));

    expect(result).toMatchObject({ kind: 'response', truncated: true });
    expect(result.kind === 'response' && result.body.length).toBe(LIMITS.bodyBytes);
    expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
  });

  // The pseudo-random text makes compressed bytes of more than one write of the decompressor, which then asks the socket to wait.
  const short = '{"a":1}';
  const long = JSON.stringify(Array.from({ length: 20_000 }, (_, index) => (index * 48_271) % 2_147_483_647));
  it.each([
    ['gzip', 'short', gzipSync(short), short],
    ['gzip', 'long', gzipSync(long), long],
    ['deflate', 'short', deflateSync(short), short],
    ['deflate', 'long', deflateSync(long), long],
  ])('does not read on after the end of a body compressed by %s (%s)', async (encoding, _, packed, text) => {
    const overlong = answerPastTheEnd(encoding, packed);
    for (let count = 0; count < 40; count += 1) {
      const result =
        count === 0
          ? await ask(overlong.listener)
          : await http.request({ url: `${server?.url}/x`, limits: LIMITS });
      expect(result.kind === 'response' && result.body.toString() === text).toBe(true);
    }
    await overlong.closed();
    expect(overlong.open()).toBe(0);
    server?.answerWith(answerOf('{"b":2}'));
    const next = await http.request({ url: server?.url ?? '', limits: LIMITS });
    expect(next.kind === 'response' && next.body.toString()).toBe('{"b":2}');
  });

  it('gives up on a body that trickles in, and keeps what came', async () => {
    const result = await ask(answerByDrops('{"a":', 100), { ...LIMITS, totalMs: 700 });

    expect(result).toMatchObject({ kind: 'failure', reason: 'TIMEOUT', partial: { status: 200 } });
    expect(result.kind === 'failure' && result.partial?.body.toString()).toMatch(/^\{"a": +$/);
  });

  it('gives up on a server that accepts and says nothing', async () => {
    const result = await ask(() => undefined, { ...LIMITS, totalMs: 300 });

    expect(result).toMatchObject({ kind: 'failure', reason: 'TIMEOUT' });
    expect(result).not.toHaveProperty('partial');
  });

  it('distinguishes a dropped connection, a refused one and an unknown name', async () => {
    const dropped = await ask((request) => request.socket.destroy());
    expect(dropped).toMatchObject({ kind: 'failure', reason: 'RESET' });

    const url = server?.url ?? '';
    await server?.close();
    expect(await http.request({ url, limits: LIMITS })).toMatchObject({ kind: 'failure', reason: 'REFUSED' });
    expect(await http.request({ url: 'http://no-such-host.invalid/', limits: LIMITS })).toMatchObject({
      kind: 'failure',
      reason: 'DNS',
    });
  });

  it('keeps the part of an answer that came before its connection broke', async () => {
    const result = await ask((_request, response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('0123456789');
      setImmediate(() => response.destroy());
    });

    expect(result).toMatchObject({ kind: 'failure', reason: 'RESET', partial: { status: 200 } });
    expect(result.kind === 'failure' && result.partial?.body.toString()).toBe('0123456789');
  });

  it('treats a compressed body that breaks off, or is invalid, as a failure', async () => {
    const cut = gzipSync('x'.repeat(10_000)).subarray(0, 30);
    const result = await ask(answerOf(cut, { headers: { 'content-encoding': 'gzip' } }));
    expect(result).toMatchObject({ kind: 'failure', reason: 'OTHER' });

    server?.answerWith(answerOf('not packed', { headers: { 'content-encoding': 'gzip' } }));
    expect(await http.request({ url: server?.url ?? '', limits: LIMITS })).toMatchObject({ kind: 'failure' });
  });

  it('treats a server that speaks no HTTP, and an invalid address, as failures', async () => {
    const shouting = createServer((socket) =>
      socket
        .on('error', () => undefined)
        .resume()
        .end('220 mail.example\r\n'),
    );
    await new Promise<void>((resolve) => {
      shouting.listen(0, '127.0.0.1', resolve);
    });
    const url = `http://127.0.0.1:${(shouting.address() as AddressInfo).port}`;
    expect(await http.request({ url, limits: LIMITS })).toMatchObject({ kind: 'failure' });
    expect(await http.request({ url: 'no address', limits: LIMITS })).toMatchObject({ kind: 'failure' });
    shouting.close();
  });

  it('stops when its caller does', async () => {
    const stop = new AbortController();
    server = await startHostileServer(() => stop.abort());
    const result = await http.request({ url: server.url, limits: LIMITS, signal: stop.signal });
    expect(result).toMatchObject({ kind: 'failure', reason: 'ABORTED' });

    const late = await http.request({ url: server.url, limits: LIMITS, signal: stop.signal });
    expect(late).toMatchObject({ kind: 'failure', reason: 'ABORTED' });
    expect(server.requests).toHaveLength(1);
  });

  it('lets many requests share one signal without a warning', async () => {
    const warnings: string[] = [];
    const onWarning = ({ name }: Error): number => warnings.push(name);
    process.on('warning', onWarning);
    server = await startHostileServer(answerOf('{}'));
    const { url } = server;
    const { signal } = new AbortController();
    await Promise.all(Array.from({ length: 40 }, () => http.request({ url, limits: LIMITS, signal })));
    process.off('warning', onWarning);
    expect(warnings).toEqual([]);
  });

  it('reuses its connections', async () => {
    const sockets = new Set<unknown>();
    server = await startHostileServer((request, response) => {
      sockets.add(request.socket);
      response.end('{}');
    });
    for (let count = 0; count < 5; count += 1) {
      await http.request({ url: server.url, limits: LIMITS });
    }
    // The client lets one iteration of the event loop pass before it uses a socket again, so two requests take two iterations.
    expect(sockets.size).toBeLessThanOrEqual(2);
  });
});
