import { gzipSync } from 'node:zlib';
import { NodeApi, type NodeAccess } from '../../src/node-api/node-api.js';
import { HttpClient } from '../../src/platform/http.js';
import {
  answerByDrops,
  answerEndlessly,
  answerOf,
  startHostileServer,
  type HostileServer,
} from '../support/hostile-server.js';
import { ManualClock } from '../support/manual-clock.js';

const http = new HttpClient();
const clock = new ManualClock();
const BLOCK = '{"block":{"header":{"header":{"height":"3","chainId":"c-1"}},"data":{}}}';
const PAGE = '<!DOCTYPE html><html><body>Welcome</body></html>';
let server: HostileServer | undefined;

afterEach(() => server?.close());
afterAll(() => http.close());

async function apiOf(
  listener: Parameters<typeof startHostileServer>[0],
  access: Partial<NodeAccess> = {},
): Promise<NodeApi> {
  server = await startHostileServer(listener);
  return new NodeApi(http, clock, { url: `${server.url}/`, ...access });
}

function list(rows: readonly string[]): string {
  return `{"submissions":[${rows.join(',')}],"total":${rows.length}}`;
}

const ROWS = ['{"id":"1"}', '{"id":"2"}'];
const OTHER = '{"id":"3"}';

describe('the list of submissions of a node that misbehaves', () => {
  const NO_ROWS = { ok: true, value: { rows: [], complete: true, unchanged: false } };

  it.each([
    ['an empty list', '{"submissions":[],"total":0}'],
    ['null for the list', '{"submissions":null,"total":0}\n'],
  ])('reads %s as no rows', async (_, body) => {
    expect(await (await apiOf(answerOf(body))).submissions()).toMatchObject(NO_ROWS);
  });

  it.each([
    ['an empty answer', '', 200],
    ['no content', '', 204],
    ['an empty object', '{}', 200],
  ])('reads %s as no rows only next to an answer that a node alone gives', async (_, body, status) => {
    const answer = answerOf(body, { status });
    expect(await (await apiOf(answer)).submissions()).toMatchObject({ ok: false, state: 'INVALID' });
    await server?.close();
    const api = await apiOf((request, response) =>
      (request.url === '/health/live' ? answerOf('OK\n', { type: 'text/plain' }) : answer)(request, response),
    );
    expect(await api.submissions()).toMatchObject(NO_ROWS);
  });

  it.each([
    ['a web page', answerOf(PAGE, { type: 'text/html' }), 'web page'],
    ['a page that calls itself JSON', answerOf(PAGE), 'web page'],
    ['JSON without a list', answerOf('{"error":"busy"}'), 'no list'],
    ['a redirect', answerOf('', { status: 301, headers: { location: '/login' } }), 'redirect to /login'],
    ['an internal error', answerOf('oops', { status: 500, type: 'text/plain' }), '500'],
    ['a gateway that is unavailable', answerOf(PAGE, { status: 503, type: 'text/html' }), '503'],
    ['a request to log in', answerOf('', { status: 401 }), 'authentication'],
  ])('reports %s as invalid and says so', async (_, listener, words) => {
    const answer = await (await apiOf(listener)).submissions();
    expect(answer).toMatchObject({ ok: false, state: 'INVALID' });
    expect(answer.ok ? '' : answer.detail).toContain(words);
    expect(answer.ok ? undefined : answer.detail).not.toContain('\n');
  });

  it('accepts good JSON with a wrong content type', async () => {
    const answer = await (await apiOf(answerOf(list(['{"id":"a"}']), { type: 'text/html' }))).submissions();
    expect(answer).toMatchObject({ ok: true, value: { rows: ['{"id":"a"}'] } });
  });

  it('keeps every digit of a row, and an invalid row, as sent', async () => {
    const rows = ['{"id":"a", "height":9007199254740993}', '{"id":"b","height":-5}', '{oops}', '7'];
    const answer = await (await apiOf(answerOf(list(rows)))).submissions();
    expect(answer).toMatchObject({ ok: true, value: { rows } });
  });

  it('keeps the bytes of rows that are not UTF-8, and reads the rest', async () => {
    const broken = Buffer.concat([Buffer.from('{"message":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}')]);
    const body = Buffer.concat([Buffer.from('{"submissions":[{"id":"ä"},'), broken, Buffer.from(']}')]);
    const answer = await (await apiOf(answerOf(body))).submissions();
    expect(answer).toMatchObject({
      ok: true,
      value: {
        rows: ['{"id":"ä"}', '{"message":"\ufffd\ufffd"}'],
        originals: { 1: broken.toString('base64') },
      },
    });
  });

  it('reads a compressed list', async () => {
    const api = await apiOf(answerOf(gzipSync(list(ROWS)), { headers: { 'content-encoding': 'gzip' } }));
    expect(await api.submissions()).toMatchObject({ ok: true, value: { rows: ROWS, complete: true } });
  });

  it('returns the whole rows of a list that is too long, and marks it as cut', async () => {
    const row = `{"id":"a","blob_ids":["${'00'.repeat(40)}"]},`;
    const chunk = Buffer.from(row.repeat(300).padEnd(65_536, ' '));
    const api = await apiOf(answerEndlessly('{"submissions":[', chunk, 2 * 1_073_741_824));
    const answer = await api.submissions();
    expect(answer).toMatchObject({ ok: false, state: 'INVALID' });
    const wide = Buffer.from(`{"id":"${'x'.repeat(1_000_000)}"},`);
    server?.answerWith(answerEndlessly('{"submissions":[', wide, 2 * 1_073_741_824));
    const cut = await api.submissions();
    expect(cut).toMatchObject({ ok: true, value: { complete: false, unchanged: false } });
    expect(cut.ok && cut.value.rows.length).toBe(33);
  });

  it('returns the whole rows of a list whose connection broke, never as unchanged', async () => {
    const api = await apiOf((_request, response) => {
      response.writeHead(200, { 'content-length': '500' });
      response.write('{"submissions":[{"id":"a"},{"id":"b"');
      setTimeout(() => response.destroy(), 20);
    });
    for (let poll = 0; poll < 2; poll += 1) {
      expect(await api.submissions()).toMatchObject({
        ok: true,
        value: { rows: ['{"id":"a"}'], complete: false, unchanged: false },
      });
    }
  });

  it.each(['[null,{"submissions":7}]', '[1,"two",[]]', '{"submissions":[{"colour":"red"}]}'])(
    'reads %s as no list: no row of it has a field of a submission',
    async (body) => {
      const api = await apiOf(answerOf(body));
      expect(await api.submissions()).toMatchObject({ ok: false, state: 'INVALID', evidence: body });
    },
  );

  it('marks an equal body as unchanged, and can still return its rows', async () => {
    const api = await apiOf(answerOf(list(ROWS)));
    expect(await api.submissions()).toMatchObject({ value: { unchanged: false, rows: ROWS } });
    const second = await api.submissions();
    expect(second).toMatchObject({ ok: true, value: { unchanged: true, complete: true } });
    expect(second.ok && second.value.rows).toEqual(ROWS);
    server?.answerWith(answerOf(list([...ROWS.slice(0, 1), OTHER])));
    expect(await api.submissions()).toMatchObject({
      value: { unchanged: false, rows: [...ROWS.slice(0, 1), OTHER] },
    });
  });

  it('is unreachable without a listener, and if the connection is dropped', async () => {
    const api = await apiOf((request) => request.socket.destroy());
    expect(await api.submissions()).toMatchObject({ ok: false, state: 'UNREACHABLE', reason: 'RESET' });
    await server?.close();
    expect(await api.submissions()).toMatchObject({ ok: false, state: 'UNREACHABLE', reason: 'REFUSED' });
  });

  it('proves nothing about a node if the caller gives up', async () => {
    const stop = new AbortController();
    const api = await apiOf(() => stop.abort());
    expect(await api.submissions(stop.signal)).toMatchObject({ ok: false, state: 'ABORTED' });
  });

  it('distinguishes a version that is too old from a list that is switched off', async () => {
    const old = await apiOf((request, response) => {
      const isBlock = request.url === '/rollkit.v1.StoreService/GetBlock';
      answerOf(isBlock ? BLOCK : '404 page not found', { status: isBlock ? 200 : 404 })(request, response);
    });
    expect(await old.submissions()).toMatchObject({ ok: false, state: 'NOT_SUPPORTED', status: 404 });
    await server?.close();
    const spec = await apiOf((request, response) => {
      const isBlock = request.url === '/node.v1.StoreService/GetBlock';
      answerOf(isBlock ? BLOCK : '404 page not found', { status: isBlock ? 200 : 404 })(request, response);
    });
    expect(await spec.submissions()).toMatchObject({ ok: false, state: 'DISABLED', status: 404 });
  });
});

describe('the block service', () => {
  it.each(['evnode.v1', 'rollkit.v1', 'node.v1'])('is found under %s and remembered', async (prefix) => {
    const api = await apiOf((request, response) => {
      const isThere = request.url?.startsWith(`/${prefix}.`);
      answerOf(isThere ? BLOCK : '404 page not found\n', { status: isThere ? 200 : 404 })(request, response);
    });
    await api.block({ height: 3n });
    const before = server?.requests.length;
    expect(await api.block({ height: 3n })).toMatchObject({ ok: true, value: { header: { height: 3n } } });
    expect(server?.requests.length).toBe((before ?? 0) + 1);
    expect(api.servicePrefix).toBe(prefix);
  });

  it('accepts the prefix of the settings, however it is written, and no other', async () => {
    const api = await apiOf(answerOf('404 page not found', { status: 404 }), {
      service: 'acme.v1.StoreService',
    });
    expect(await api.block('latest')).toMatchObject({ ok: false, state: 'NOT_SUPPORTED' });
    expect(server?.requests).toEqual(['POST /acme.v1.StoreService/GetBlock']);
  });

  it('is searched for again after the node was replaced by a newer version', async () => {
    let prefix = 'rollkit.v1';
    const api = await apiOf((request, response) => {
      const isThere = request.url?.startsWith(`/${prefix}.`);
      answerOf(isThere ? BLOCK : '404 page not found', { status: isThere ? 200 : 404 })(request, response);
    });
    await api.block('latest');
    prefix = 'evnode.v1';
    expect(await api.block('latest')).toMatchObject({ ok: true });
    expect(api.servicePrefix).toBe('evnode.v1');
  });

  it('is not searched for more than once a minute if there is none', async () => {
    const api = await apiOf(answerOf('404 page not found', { status: 404 }));
    await api.block('latest');
    await api.state();
    await api.block({ height: 5n });
    expect(server?.requests).toHaveLength(3);
    await clock.advance(60_000);
    await api.block('latest');
    expect(server?.requests).toHaveLength(6);
  });

  it('is not asked again within the hour for a method that its version lacks', async () => {
    const api = await apiOf((request, response) => {
      const isThere = request.url?.endsWith('evnode.v1.StoreService/GetBlock');
      answerOf(isThere ? BLOCK : '404 page not found', { status: isThere ? 200 : 404 })(request, response);
    });
    expect(await api.p2pStoreInfo()).toMatchObject({ ok: false, state: 'NOT_SUPPORTED' });
    const before = server?.requests.length;
    expect(await api.p2pStoreInfo()).toMatchObject({ ok: false, state: 'NOT_SUPPORTED' });
    expect(server?.requests.length).toBe(before);
  });

  it.each([
    ['for one answer', 1, 0],
    ['for all answers of a time', Infinity, 60_000],
  ])('is asked for blocks again after a page appeared in its place %s', async (_, spoiled, pauseMs) => {
    let left = 0;
    const api = await apiOf((request, response) => {
      left -= 1;
      answerOf(left < 0 ? BLOCK : PAGE, { type: left < 0 ? 'application/json' : 'text/html' })(
        request,
        response,
      );
    });
    expect(await api.block('latest')).toMatchObject({ ok: true });
    left = spoiled;
    const meanwhile = await api.block('latest');
    expect(meanwhile.ok).toBe(pauseMs === 0);
    left = 0;
    await clock.advance(pauseMs);
    expect(await api.block('latest')).toMatchObject({ ok: true });
  });

  it.each([
    ['a web page', answerOf(PAGE, { status: 500 }), false],
    ['another error', answerOf('{"code":"internal","message":"context canceled"}', { status: 500 }), false],
    [
      'no such block',
      answerOf('{"code":"internal","message":"datastore: key not found"}', { status: 500 }),
      true,
    ],
    ['404 of an empty store', answerOf('{"code":"not_found","message":"no blocks"}', { status: 404 }), true],
    ['half a block', answerOf(BLOCK.slice(0, 40)), false],
    ['another block than asked for', answerOf(BLOCK), false],
    ['a deep nest', answerOf('['.repeat(500_000)), false],
  ])('returns a value for %s', async (_, listener, missing) => {
    const api = await apiOf(listener, { service: 'evnode.v1' });
    expect(await api.block({ height: 9n })).toMatchObject({ ok: false, missing });
  });

  it('does not read a block without its transactions as an empty block', async () => {
    const headers = { 'x-hindsight-missing': 'block.data.txs, block.data.metadata.lastDataHash' };
    const api = await apiOf(answerOf(BLOCK, { headers }), { service: 'evnode.v1' });
    expect(await api.block({ height: 3n })).toMatchObject({
      ok: false,
      state: 'INVALID',
      detail: expect.stringContaining('block.data.txs'),
    });
  });

  it('refuses a block that never ends', async () => {
    const api = await apiOf(answerEndlessly('{"block":"', Buffer.alloc(1_048_576, 0x61), 2 * 1_073_741_824), {
      service: 'evnode.v1',
    });
    expect(await api.block('latest')).toMatchObject({ ok: false, state: 'INVALID', missing: false });
  });
});

describe('probes', () => {
  it.each([
    ['OK', answerOf('OK\n', { type: 'text/plain' }), 'OK'],
    ['a refusal', answerOf('FAIL\n', { status: 503, type: 'text/plain' }), 'FAILED'],
    ['no such path, nowhere', answerOf('404 page not found', { status: 404 }), 'INVALID'],
    ['a redirect', answerOf('', { status: 302, headers: { location: '/' } }), 'INVALID'],
    ['a web page', answerOf(PAGE, { type: 'text/html' }), 'INVALID'],
  ])('%s', async (_, listener, outcome) => {
    expect(await (await apiOf(listener)).live()).toMatchObject({ outcome });
  });

  it('reads the status query, bare or in a JSON-RPC answer', async () => {
    const status =
      '{"node_info":{"network":"c-1"},"sync_info":{"catching_up":true,"latest_block_height":"12"}}';
    const api = await apiOf(answerOf(status));
    expect(await api.status()).toBeUndefined();
    for (const body of [status, `{"jsonrpc":"2.0","id":-1,"result":${status}}`]) {
      server?.answerWith(answerOf(body));
      const withStatus = new NodeApi(http, clock, {
        url: server?.url ?? '',
        statusUrl: `${server?.url}/status`,
      });
      expect(await withStatus.status()).toMatchObject({
        outcome: 'OK',
        catchingUp: true,
        chainId: 'c-1',
        latestHeight: 12n,
      });
    }
    expect(server?.requests).toEqual(['GET /status', 'GET /status']);
  });

  it('gives up on a probe that drips', async () => {
    const api = await apiOf(answerByDrops('O', 50));
    expect(await api.live()).toMatchObject({ outcome: 'TIMEOUT', aborted: false });
  });
});
