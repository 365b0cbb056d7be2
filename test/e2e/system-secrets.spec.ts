import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 180_000;

/** Texts that appear nowhere else. */
const MARKS = {
  daToken: 'MARKtoken0000000000000001',
  daPath: 'MARKdaPath000000000000002',
  daUser: 'MARKdaUser000000000000003',
  daPassword: 'MARKdaPass000000000000004',
  consensusPath: 'MARKconsensus000000000005',
  consensusUser: 'MARKconsUser0000000000008',
  executionPath: 'MARKexecution000000000006',
  executionPassword: 'MARKlayerPass000000000007',
};
const ACCOUNT = `celestia1${'q'.repeat(38)}`;

/** The names of the marks of the system at a path begin so. */
function nameOf(path: string): string {
  if (path.includes(MARKS.daPath)) return 'da';
  return path.includes(MARKS.executionPath) ? 'execution' : 'consensus';
}

/** Systems that repeat in errors whatever they were sent. */
class EchoingSystems {
  private readonly server: Server = createServer((request, response) => {
    void this.answer(request).then(({ status, body }) =>
      response
        .writeHead(status, { 'content-type': 'application/json' })
        .end(typeof body === 'string' ? body : JSON.stringify(body)),
    );
  });
  private firstAt: number | undefined;
  /** The systems that were asked. */
  readonly asked = new Set<string>();

  async listen(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await new Promise((resolve) => this.server.once('listening', resolve));
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private async answer(request: IncomingMessage): Promise<{ status: number; body: object | string }> {
    const body = await text(request);
    // A system knows the secrets that it was sent, and may write them in another form.
    const system = nameOf(request.url ?? '');
    this.asked.add(system);
    const own = Object.entries(MARKS).filter(([name]) => name.startsWith(system));
    const echo = [
      request.url,
      request.headers.authorization,
      `http://${request.headers.host}${request.url}`,
      ...own.map(([, mark]) => mark),
    ].join(' ');
    const { method = '' } = (body === '' ? {} : JSON.parse(body)) as { method?: string };
    if (method === 'header.LocalHead') return this.answerHead(echo);
    return { status: method === '' ? 500 : 200, body: { error: { code: 1, message: echo }, message: echo } };
  }

  /** A head, then an error, then something else, then a refusal. */
  private answerHead(echo: string): { status: number; body: object | string } {
    this.firstAt ??= performance.now();
    const age = performance.now() - this.firstAt;
    const header = { chain_id: 'da', height: '7', time: new Date() };
    if (age < 2_000) return { status: 200, body: { result: { header } } };
    if (age < 8_000) return { status: 200, body: { error: { code: 1, message: `no head: ${echo}` } } };
    if (age < 14_000) return { status: 502, body: `no gateway: ${echo}` };
    return { status: 401, body: { refused: echo } };
  }
}

describe('secrets of the systems behind a node', () => {
  const home = new ServiceHome();
  const systems = new EchoingSystems();
  let database: TestDatabase;
  let node: Devnode;
  let service: ServiceProcess;
  let config: string;
  let daUrl: string;
  let consensusUrl: string;

  beforeAll(async () => {
    const host = await systems.listen();
    node = await startDevnode({ chainId: 'marks-1', blockTimeMs: 500 });
    database = await startEmptyDatabase();
    const tokenFile = join(home.dataDir, 'da-token');
    writeFileSync(tokenFile, MARKS.daToken);
    config = join(home.dataDir, 'hindsight.yaml');
    daUrl = `http://${MARKS.daUser}:${MARKS.daPassword}@${host}/${MARKS.daPath}`;
    consensusUrl = `http://${MARKS.consensusUser}@${host}/${MARKS.consensusPath}`;
    const settings = {
      id: 'alpha',
      rpc: node.url,
      daNode: { url: daUrl, tokenFile },
      daAccounts: [ACCOUNT],
      daConsensus: { rest: consensusUrl },
      execution: { url: `http://any:${MARKS.executionPassword}@${host}/${MARKS.executionPath}` },
    };
    writeFileSync(config, JSON.stringify({ nodes: [settings] }));
    service = home.launch(['start', '--config', config, '--port', '0'], { databaseUrl: database.url });
    await service.ready;
    await waitFor(
      'a refused token',
      async () => {
        const { daNodes } = await service.graphql<{ daNodes: { outcome: string }[] }>(
          '{ daNodes { outcome } }',
        );
        return daNodes[0]?.outcome === 'REFUSED' || undefined;
      },
      PATIENCE_MS,
    );
  }, 2 * PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await node?.stop();
    await database?.stop();
    systems.close();
  }, PATIENCE_MS);

  /** The marks in a text, in the form in which basic authentication sends them, too. */
  const marksIn = (shown: string): string[] => {
    const sent = Buffer.from(`${MARKS.daUser}:${MARKS.daPassword}`).toString('base64');
    return [...Object.values(MARKS), sent].filter((mark) => shown.includes(mark));
  };

  it('are in no log, and in no table', async () => {
    expect([...systems.asked].toSorted()).toEqual(['consensus', 'da', 'execution']);
    const client = new Client({ connectionString: database.url });
    await client.connect();
    try {
      const { rows: tables } = await client.query<{ name: string }>(
        "SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')",
      );
      expect(tables.length).toBeGreaterThan(30);
      const found: string[] = [];
      let outcomes = '';
      for (const { name } of tables) {
        const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
        const all = rows.map(({ row }) => row).join('\n');
        if (name === 'public.event') outcomes = all;
        found.push(...marksIn(all).map((mark) => `${name}: ${mark}`));
      }
      // The faults were recorded, with the texts of the systems.
      for (const part of ['no head', 'no gateway', 'REFUSED', 'BalanceObserved'])
        expect(outcomes).toContain(part);
      expect(found).toEqual([]);
    } finally {
      await client.end();
    }
    expect(marksIn(service.log)).toEqual([]);
  });

  it('are in no answer', async () => {
    const answers = await service.graphql<object>(`{
      daNodes { reason detail } accounts { address detail } executionLayers { reason }
      healthHistory(node: "alpha", component: DA_NODE) { reason }
      incidents(first: 20) { nodes { reason } } events(first: 500) { nodes { body } } }`);
    expect(JSON.stringify(answers)).toContain('no head');
    expect(marksIn(JSON.stringify(answers))).toEqual([]);
    const metrics = await fetch(`${service.address}/metrics`);
    expect(marksIn(await metrics.text())).toEqual([]);
  });

  it('are in no file, no bundle and no command', async () => {
    const settings = { databaseUrl: database.url };
    const out = join(home.dataDir, 'bundle');
    const from = new Date(Date.now() - 3_600_000).toISOString();
    const args = ['evidence', 'alpha', '--from', from, '--out', out, '--config', config];
    expect(await home.run(args, settings)).toMatchObject({ code: 0 });
    const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    const bundle = files.map((file) => readFileSync(join(file.parentPath, file.name), 'utf8')).join('\n');
    expect(bundle).toContain('no head');
    expect(marksIn(bundle)).toEqual([]);
    const runs = [
      ['export', 'events', '--format', 'ndjson', '--config', config],
      ['status', '--url', service.address],
      ['check', node.url, '--da-node', daUrl, '--da-token-file', join(home.dataDir, 'da-token')],
      ['check', node.url, '--da-consensus', consensusUrl],
    ];
    for (const run of runs) {
      const { out: printed, error } = await home.run(run, settings);
      expect([run[0], printed !== '', marksIn(printed + error)]).toEqual([run[0], true, []]);
    }
  });
});
