import type { IncomingHttpHeaders, RequestListener } from 'node:http';
import { NodeApi } from '../../src/node-api/node-api.js';
import { HttpClient } from '../../src/platform/http.js';
import { nodeValue } from '../../src/settings/node.js';
import { startHostileServer, type HostileServer } from '../support/hostile-server.js';
import { ManualClock } from '../support/manual-clock.js';

const basic = (user: string): string => `Basic ${Buffer.from(user).toString('base64')}`;

/** The requests that one address in a node's settings received. */
class Listener {
  readonly seen: IncomingHttpHeaders[] = [];
  server: HostileServer | undefined;

  async start(answer: RequestListener = (_request, response) => void response.end('{}')): Promise<this> {
    this.server = await startHostileServer((request, response) => {
      this.seen.push(request.headers);
      answer(request, response);
    });
    return this;
  }

  at(user = ''): string {
    return (this.server?.url ?? '').replace('http://', `http://${user}`);
  }

  /** Each value of a header once; undefined for requests without it. */
  sent(name: string): unknown[] {
    return [...new Set(this.seen.map((headers) => headers[name]))];
  }
}

describe('credentials of a node in the settings', () => {
  let http: HttpClient;
  let rpc: Listener;
  let status: Listener;

  beforeEach(async () => {
    http = new HttpClient();
    [rpc, status] = await Promise.all([new Listener().start(), new Listener().start()]);
  });

  afterEach(async () => {
    await http.close();
    await Promise.all([rpc.server?.close(), status.server?.close()]);
  });

  async function askAll(settings: object): Promise<void> {
    const api = new NodeApi(http, new ManualClock(), nodeValue.parse(settings));
    await Promise.all([api.live(), api.ready(), api.status(), api.health(), api.stats(), api.submissions()]);
    await Promise.all([api.block('latest'), api.state(), api.metadata('d')]);
  }

  it('go to the address that they belong to, and to no other', async () => {
    await askAll({ rpc: rpc.at('me:one@'), status: status.at('you:two@') });
    expect(rpc.sent('authorization')).toEqual([basic('me:one')]);
    expect(status.sent('authorization')).toEqual([basic('you:two')]);
  });

  it('of the RPC server are not sent to another status server that has no credentials', async () => {
    const headers = { 'X-Access-Token': 'secret', Authorization: 'Bearer secret' };
    await askAll({ rpc: rpc.at('me:one@'), status: status.at(), headers });
    expect([rpc.sent('x-access-token'), rpc.sent('authorization')]).toEqual([['secret'], ['Bearer secret']]);
    expect(status.seen).toHaveLength(1);
    expect([status.sent('x-access-token'), status.sent('authorization')]).toEqual([[undefined], [undefined]]);
  });

  it('of the status server are in statusHeaders, and are not sent to the RPC server', async () => {
    await askAll({ rpc: rpc.at(), status: status.at('you:two@'), statusHeaders: { 'X-Status': 'secret' } });
    expect([status.sent('x-status'), status.sent('authorization')]).toEqual([['secret'], [basic('you:two')]]);
    expect([rpc.sent('x-status'), rpc.sent('authorization')]).toEqual([[undefined], [undefined]]);
  });

  it('serve both addresses of one server if the status query names no credentials of its own', async () => {
    const headers = { 'X-Access-Token': 'secret' };
    await askAll({ rpc: `${rpc.at('me:one@')}/rpc`, status: `${rpc.at()}/status`, headers });
    expect([rpc.sent('x-access-token'), rpc.sent('authorization')]).toEqual([['secret'], [basic('me:one')]]);
    rpc.seen.length = 0;
    await askAll({
      rpc: `${rpc.at()}/rpc`,
      status: `${rpc.at('you:two@')}/status`,
      headers: { Authorization: 'Bearer x' },
    });
    expect(rpc.sent('authorization')).toEqual(expect.arrayContaining(['Bearer x', basic('you:two')]));
  });

  it('follow no redirect to another server', async () => {
    rpc.server?.answerWith((request, response) => {
      rpc.seen.push(request.headers);
      response.writeHead(307, { location: `${status.at()}${request.url}` }).end();
    });
    await askAll({ rpc: rpc.at('me:one@'), headers: { 'X-Access-Token': 'secret' } });
    expect(rpc.seen.length).toBeGreaterThan(5);
    expect(status.seen).toEqual([]);
  });
});
