import type { RequestListener } from 'node:http';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { answerOf, startHostileServer, type HostileServer } from '../support/hostile-server.js';
import { sendWhole, startRewritingProxy } from '../support/rewriting-proxy.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const text = { type: 'text/plain; charset=utf-8' };
const page = { type: 'text/html' };
const NGINX_404 = '<html>\r\n<head><title>404 Not Found</title></head>\r\n<body></body></html>\r\n';

/** Servers that answer in place of a node, and the rules reported for them: that of NODE, then those that DA may have. */
const STRANGERS: Readonly<Record<string, readonly [RequestListener, string]>> = {
  nginx: [answerOf(NGINX_404, { status: 404, ...page }), 'UNKNOWN invalid'],
  traefik: [answerOf('404 page not found\n', { status: 404, ...text }), 'UNKNOWN invalid'],
  login: [answerOf('<!DOCTYPE html><title>Sign in</title>', page), 'UNKNOWN invalid'],
  sso: [answerOf('', { status: 302, headers: { location: 'https://sso.example/' } }), 'UNKNOWN invalid'],
  parking: [answerOf('This domain is for sale.', text), 'UNKNOWN invalid'],
  empty: [answerOf('', text), 'UNKNOWN invalid'],
  json: [answerOf('{"message":"ok"}'), 'UNKNOWN invalid'],
  'no-server': [answerOf('no available server\n', { status: 503, ...text }), 'CRITICAL unreachable'],
  'bad-gateway': [answerOf('<html>502 Bad Gateway</html>', { status: 502, ...page }), 'CRITICAL unreachable'],
};

const HEALTH = `{ nodes { id node { state reason } da { state reason } } }`;
const HISTORY = `query ($id: ID!) {
  node: healthHistory(node: $id, component: NODE) { state rule }
  da: healthHistory(node: $id, component: DA) { state rule }
}`;

type Lines = Record<'node' | 'da', { state: string; rule: string }[]>;

const PATIENCE_MS = 260_000;

describe('an address where another server answers in place of a node', () => {
  const home = new ServiceHome();
  const servers: HostileServer[] = [];
  const nodes: Devnode[] = [];
  let database: TestDatabase;
  let service: ServiceProcess;
  let proxy: HostileServer;

  const linesOf = async (id: string): Promise<Record<'node' | 'da', string[]>> => {
    const { node, da } = await service.graphql<Lines>(HISTORY, { id });
    const told = (line: Lines['da']): string[] => line.map(({ state, rule }) => `${state} ${rule}`);
    return { node: told(node), da: told(da) };
  };
  const last = async (id: string): Promise<string[]> => {
    const { node, da } = await linesOf(id);
    return [node.at(-1) ?? '', da.at(-1) ?? ''];
  };

  beforeAll(async () => {
    database = await startTestDatabase();
    const fast = { blockTimeMs: 200, daBlockTimeMs: 400 };
    const off = await startDevnode({ chainId: 'off-1', daMonitoring: 'absent', ...fast });
    const hidden = await startDevnode({ chainId: 'hidden-1', ...fast });
    nodes.push(off, hidden);
    proxy = await startRewritingProxy(hidden.url, sendWhole);
    servers.push(proxy);
    const watched = [`off=${off.url}`, `hidden=${proxy.url}`];
    for (const [id, [listener]] of Object.entries(STRANGERS)) {
      const server = await startHostileServer(listener);
      servers.push(server);
      watched.push(`${id}=${server.url}`);
    }
    const flags = watched.flatMap((node) => ['--node', node]);
    service = home.launch(['start', ...flags, '--port', '0'], { databaseUrl: database.url });
    await service.ready;
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await Promise.all(servers.map((server) => server.close()));
    await Promise.all(nodes.map((node) => node.stop()));
    await database.stop();
  }, PATIENCE_MS);

  it.each(Object.entries(STRANGERS))('is never a healthy node: %s', async (id, [, rule]) => {
    await waitFor(`the rule of ${id}`, async () => (await last(id))[0] === rule || undefined, 60_000);
    await waitFor(
      `the list of ${id}`,
      async () => (await last(id))[1] === 'UNKNOWN invalid' || undefined,
      60_000,
    );
    const { node, da } = await linesOf(id);
    expect(node.filter((each) => each.startsWith('HEALTHY'))).toEqual([]);
    expect(da.filter((each) => !/^UNKNOWN (invalid|not-watched)$/.test(each))).toEqual([]);
    await waitFor(`the metrics of ${id}`, async () => {
      const metrics = await (await fetch(`${service.address}/metrics`)).text();
      return (
        new RegExp(`^hindsight_node_reachable\\{node="${id}"[^}]*\\} 0$`, 'm').test(metrics) || undefined
      );
    });
  });

  it('accepts a node that answers 404 where its DA monitoring is off', async () => {
    await waitFor('the node', async () => (await last('off'))[1] === 'UNKNOWN disabled' || undefined, 60_000);
    const { node, da } = await linesOf('off');
    expect(node.at(-1)).toBe('HEALTHY healthy');
    expect([...node, ...da].filter((each) => each.endsWith('invalid'))).toEqual([]);
  });

  it('is not taken for a node without DA monitoring when the ingress replaces it', async () => {
    await waitFor(
      'the node',
      async () => (await last('hidden')).join() === 'HEALTHY healthy,HEALTHY healthy' || undefined,
    );
    proxy.answerWith(answerOf('404 page not found\n', { status: 404, ...text }));
    await waitFor('the page', async () => (await last('hidden'))[0] === 'CRITICAL unreachable' || undefined);
    // The list is polled separately: the DA line follows within a few polls.
    await waitFor('the reason', async () => {
      const { nodes: shown } = await service.graphql<{ nodes: { id: string; da: { reason: string } }[] }>(
        HEALTH,
      );
      const reason = shown.find(({ id }) => id === 'hidden')?.da.reason;
      return reason?.includes('nothing at this address answers as a node') || undefined;
    });
    const { da } = await linesOf('hidden');
    expect(da.filter((each) => each.endsWith('disabled'))).toEqual([]);
  });
});
