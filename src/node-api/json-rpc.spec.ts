import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SystemClock } from '../platform/clock.js';
import { HttpClient } from '../platform/http.js';
import { JsonRpc, type RpcAnswer } from './json-rpc.js';
import { SMALL } from './limits.js';

const MARKS = {
  token: 'MARK-token-0001',
  path: 'MARKpath00000002',
  user: 'MARK-user-0003',
  password: 'MARK-pass-0004',
};

describe('a call by JSON-RPC', () => {
  const http = new HttpClient();
  let server: Server;
  let answer: { status: number; body: string };
  let call: () => Promise<RpcAnswer<string>>;

  beforeAll(async () => {
    server = createServer((request, response) => {
      // A hostile server repeats all that it was sent.
      const echo = `${request.url} ${request.headers.authorization} ${Object.values(MARKS).join(' ')}`;
      response.writeHead(answer.status, { 'content-type': 'application/json' });
      response.end(answer.body.replace('ECHO', JSON.stringify(echo).slice(1, -1)));
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as AddressInfo;
    const login = Buffer.from(`${MARKS.user}:${MARKS.password}`).toString('base64');
    const rpc = new JsonRpc(http, new SystemClock(), {
      url: `http://127.0.0.1:${port}/v1/${MARKS.path}`,
      headers: { authorization: `Basic ${login}` },
      token: () => Promise.resolve(MARKS.token),
    });
    const read = (result: unknown): string => {
      if (typeof result !== 'string') throw new Error('not a text');
      return result;
    };
    call = () => rpc.call('method', [], read, SMALL);
  });

  afterAll(async () => {
    await http.close();
    server.close();
  });

  it('returns what the reader makes of the result', async () => {
    answer = { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"fine"}' };
    expect(await call()).toEqual({ ok: true, value: 'fine' });
  });

  it.each([
    ['a token file that vanished', () => Promise.reject(new Error('the token file cannot be read (ENOENT)'))],
    ['a token that no header can carry', () => Promise.resolve('zwölf\nTöken')],
  ])('is refused before it is sent with %s', async (_, token) => {
    const { port } = server.address() as AddressInfo;
    const rpc = new JsonRpc(http, new SystemClock(), { url: `http://127.0.0.1:${port}`, token });
    answer = { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"fine"}' };
    const found = await rpc.call('method', [], String, SMALL);
    expect(found).toMatchObject({ ok: false, outcome: 'REFUSED', statusCode: null });
    expect(JSON.stringify(found)).not.toContain('zwölf');
  });

  it.each([
    ['REFUSED', 401, ''],
    ['REFUSED', 403, 'invalid host ECHO'],
    [
      'NOT_PERMITTED',
      200,
      `{"error":{"code":1,"message":"missing permission to invoke 'x' (need 'read') ECHO"}}`,
    ],
    ['FAILED', 200, '{"error":{"code":1,"message":"ECHO"}}'],
    ['FAILED', 500, '{"error":{"code":-32601,"message":"method ECHO not found"}}'],
    ['BUSY', 429, 'ECHO'],
    ['INVALID', 502, 'ECHO'],
    ['INVALID', 200, '{"result":{"echo":"ECHO"}}'],
    ['INVALID', 200, '"ECHO"'],
    ['INVALID', 200, 'ECHO'],
    ['INVALID', 302, ''],
  ] as const)('is %s for %i %s, and repeats no secret', async (outcome, status, body) => {
    answer = { status, body };
    const found = await call();
    expect(found).toMatchObject({ ok: false, outcome, statusCode: status });
    for (const mark of Object.values(MARKS)) expect(JSON.stringify(found)).not.toContain(mark);
  });
});
