import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Devnode } from '../../src/devnode/devnode.js';
import {
  HostileWatch,
  rowTexts,
  startGoodNode,
  startListNode,
  until,
  type ListNode,
} from '../support/hostile-nodes.js';
import {
  answerByDrops,
  answerOf,
  startHostileServer,
  type HostileServer,
} from '../support/hostile-server.js';

const TWO_GB = 2 * 1_073_741_824;
const PAGE = '<!DOCTYPE html><html><body>Welcome</body></html>';

describe('nodes that answer with bytes that are no answers, beside one that behaves', () => {
  let watch: HostileWatch;
  let devnode: Devnode;
  const servers = new Map<string, HostileServer>();
  let mixed: ListNode;
  let sent = 0;
  let longest = 0;
  let memoryBefore = 0;

  beforeAll(async () => {
    watch = await HostileWatch.open();
    devnode = await startGoodNode();
    servers.set('endless', await startHostileServer(pourTwoGigabytes));
    servers.set('dripping', await startHostileServer(answerByDrops('{"submissions":[', 1_000)));
    servers.set('page', await startHostileServer(answerOf(PAGE)));
    servers.set(
      'redirecting',
      await startHostileServer((request, response) => {
        response.writeHead(307, { location: `${devnode.url}${request.url}` }).end();
      }),
    );
    mixed = await startListNode();
    mixed.answers.set('/da/submissions', answerOf(listWithBrokenBytes()));
    mixed.answers.set('/da/health', answerOf(Buffer.from([...Buffer.from('{"status":"'), 0xff, 0x22, 0x7d])));
    memoryBefore = process.memoryUsage().rss;
    const hostile = [...servers].map(([id, { url }]) => [id, url] as const);
    await watch.watch({ ...Object.fromEntries(hostile), mixed: mixed.url, good: devnode.url });
    await watch.seesProgressOf('good', devnode);
    // The dripping node is given up on after ten seconds, the others at once.
    for (const id of servers.keys()) await until(async () => (await watch.sources(id)).length > 0);
    await watch.seesProgressOf('good', devnode);
  });

  afterAll(async () => {
    await watch?.close();
    await Promise.all([...servers.values(), mixed].map((server) => server?.close()));
    await devnode?.stop();
  });

  /** Two gigabytes that begin like whatever was asked for, at the reader's speed. */
  function pourTwoGigabytes(request: IncomingMessage, response: ServerResponse): void {
    const chunk = Buffer.from(`{"id":"${'x'.repeat(1_048_576)}"},`);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write(request.url === '/da/submissions' ? '[{"no":"row ends","data":["' : '{"block":"');
    let poured = 0;
    const pump = (): void => {
      while (poured < TWO_GB && !response.destroyed) {
        poured += chunk.length;
        sent += chunk.length;
        longest = Math.max(longest, poured);
        if (!response.write(chunk)) return void response.once('drain', pump);
      }
      response.end();
    };
    pump();
  }

  function listWithBrokenBytes(): Buffer {
    const [first = '', second = '', third = ''] = rowTexts(1, 3);
    const broken = Buffer.concat([
      Buffer.from(`${second.slice(0, -1)},"message":"`),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}'),
    ]);
    return Buffer.concat([
      Buffer.from(`{"submissions":[${third},`),
      broken,
      Buffer.from(`,${first}],"total":3}`),
    ]);
  }

  it('does not read a body of 2 GB to its end, nor keep it', async () => {
    expect(sent).toBeGreaterThan(32 * 1_048_576);
    expect(longest).toBeLessThan(128 * 1_048_576);
    expect(process.memoryUsage().rss - memoryBefore).toBeLessThan(700 * 1_048_576);
    expect(await watch.rows('endless')).toEqual([]);
    const [source] = await watch.sources('endless');
    expect(source).toMatchObject({ state: 'INVALID', detail: expect.stringContaining('cut off') });
    expect(source?.evidence).toContain('row ends');
    expect(source?.evidence?.length).toBeLessThan(5_000);
  });

  it('gives up on a body that comes a byte a second', async () => {
    const [source] = await watch.sources('dripping');
    expect(source).toMatchObject({ state: 'UNREACHABLE', detail: expect.stringContaining('10000 ms') });
    expect(await watch.rows('dripping')).toEqual([]);
  });

  it('does not follow a redirect, even to a node', async () => {
    const [source] = await watch.sources('redirecting');
    expect(source).toMatchObject({ state: 'INVALID', detail: expect.stringContaining(devnode.url) });
    expect(await watch.rows('redirecting')).toEqual([]);
    expect(await watch.events('redirecting', 'blocks')).toEqual([]);
    expect(await watch.events('redirecting', 'claims')).toEqual([]);
  });

  it('takes a web page for what it is, and keeps it', async () => {
    expect(await watch.sources('page')).toMatchObject([
      { state: 'INVALID', detail: expect.stringContaining('web page'), evidence: PAGE },
    ]);
    expect(await watch.events('page', 'blocks')).toEqual([]);
    expect(await watch.events('page', 'claims')).toEqual([]);
    const probes = await watch.events('page', 'probes', 'ProbeChanged');
    expect(probes.map(({ body }) => [body.probe, body.outcome])).toEqual([
      ['reachable', 'OK'],
      ['live', 'INVALID'],
      ['ready', 'INVALID'],
    ]);
  });

  it('records the good rows of a list with broken UTF-8, and the bad bytes beside them', async () => {
    const [observed, ...more] = await watch.events('mixed', 'submissions', 'SubmissionsObserved');
    expect(more).toEqual([]);
    expect(observed?.body.rows).toHaveLength(3);
    expect(observed?.body.rows[1]).toContain('\ufffd(');
    const original = Buffer.from(observed?.body.originals?.[1] ?? '', 'base64');
    expect(original.includes(Buffer.from([0xc3, 0x28]))).toBe(true);
    const [claim] = await watch.events('mixed', 'claims', 'DaHealthClaimed');
    expect(claim?.body).toMatchObject({ status: '\ufffd' });
    expect(Buffer.from(claim?.body.original ?? '', 'base64').includes(0xff)).toBe(true);
  });

  it('never stopped recording the node that behaves, and says nothing false of the others', async () => {
    expect(await watch.recordOf('good', devnode)).toEqual({ faults: [] });
    await watch.stopWatching();
    await watch.project();
    const nodes = await watch.dataSource.query(
      `SELECT id, chain_id, head::int, submission_count::int AS rows, block_count::int AS blocks
         FROM node WHERE id <> 'good' ORDER BY id`,
    );
    const nothing = { chain_id: null, head: null, rows: 0, blocks: 0 };
    expect(nodes).toEqual([
      { id: 'dripping', ...nothing },
      { id: 'endless', ...nothing },
      { id: 'mixed', ...nothing, rows: 3 },
      { id: 'page', ...nothing },
      { id: 'redirecting', ...nothing },
    ]);
    const healthy = await watch.dataSource.query(
      `SELECT DISTINCT node FROM health_interval
        WHERE state = 'HEALTHY' AND component = 'DA' AND node NOT IN ('good', 'mixed')`,
    );
    expect(healthy).toEqual([]);
  });
});
