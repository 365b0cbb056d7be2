import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Devnode } from '../../src/devnode/devnode.js';
import { unpackBlocks } from '../../src/domain/blocks/block-facts.js';
import { startBlockNode, type BlockNode } from '../support/block-node.js';
import { buildChain, writeBlock } from '../support/chain-builder.js';
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
const SERVICE = '/evnode.v1.StoreService';
const BEYOND = '18446744073709551615';

/** Nodes whose bytes are not answers, and nodes whose blocks and counters hold values that no database column can. */
describe('nodes with impossible answers, next to a well-behaved node', () => {
  let watch: HostileWatch;
  let devnode: Devnode;
  const servers = new Map<string, HostileServer>();
  const blockNodes = new Map<string, BlockNode>();
  const otherNodes = new Map<string, ListNode>();
  let mixed: ListNode;
  let sent = 0;
  let longest = 0;
  let memoryBefore = 0;

  beforeAll(async () => {
    watch = await HostileWatch.open();
    devnode = await startGoodNode();
    await beginBytes();
    await beginBlocks();
    memoryBefore = process.memoryUsage().rss;
    const others = [...servers, ...blockNodes, ...otherNodes].map(([id, { url }]) => [id, url] as const);
    // Alone at first: next to all others on a busy machine, this process cannot pour 32 MB within the limit of ten seconds.
    await watch.watch({ endless: servers.get('endless')?.url ?? '' });
    await until(async () => (await watch.sources('endless')).length > 0);
    await watch.stopWatching();
    await watch.watch({ ...Object.fromEntries(others), mixed: mixed.url, good: devnode.url });
    for (const id of ['numbers', 'times', 'inclusions', 'negative', 'proposers']) {
      await until(async () => (await heights(id)).at(-1) === 6);
    }
    await until(async () => (await watch.events('counters', 'blocks', 'NodeProgressObserved')).length > 0);
    // The observer gives up on the dripping node after ten seconds, and on the others at once.
    for (const id of servers.keys()) await until(async () => (await watch.sources(id)).length > 0);
    await watch.seesProgressOf('good', devnode);
  });

  afterAll(async () => {
    await watch?.close();
    const nodes = [...servers.values(), ...blockNodes.values(), ...otherNodes.values(), mixed];
    await Promise.all(nodes.map((node) => node?.close()));
    await devnode?.stop();
  });

  async function beginBytes(): Promise<void> {
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
  }

  async function beginBlocks(): Promise<void> {
    await beginOdd('numbers', 3n, (text) =>
      text.replace('"version":{}', `"version":{"block":"${BEYOND}","app":"${BEYOND}"}`),
    );
    await beginOdd('times', 3n, (text) => text.replace(/"time":"\d+"/g, `"time":"${BEYOND}"`));
    await beginOdd('inclusions', 3n, (text) =>
      text.replace(/}$/, `,"headerDaHeight":"${BEYOND}","dataDaHeight":"${BEYOND}"}`),
    );
    await beginOdd('negative', 3n, (text) => text.replace(/"time":"\d+"/, '"time":-5'));
    await beginOdd('proposers', 3n, (text) =>
      text.replace(/"proposerAddress":"[^"]+"/, `"proposerAddress":"${randomBase64(9_000)}"`),
    );
    await beginOdd('counters', 0n, (text) => text);
    blockNodes
      .get('counters')
      ?.metadata.set('d', 2n ** 64n - 1n)
      .set('last-submitted-header-height', 2n ** 63n);
    await beginState('far', { chainId: 'far-1', initialHeight: '1', lastBlockHeight: BEYOND });
    await beginState('named', { chainId: randomBase64(9_000), initialHeight: '1', lastBlockHeight: '3' });
    await beginState('unnamed', { chainId: 'a\u0000b', initialHeight: '1', lastBlockHeight: '3' });
    otherNodes.set('echoing', await startListNode());
    echo('echoing');
  }

  /** Sends two gigabytes that begin like the requested answer, at the reader's speed. */
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

  /** A chain of six blocks, one of which is spoiled (height 0: none). */
  async function beginOdd(id: string, height: bigint, spoil: (text: string) => string): Promise<void> {
    const node = await startBlockNode();
    node.blocks = buildChain({ chainId: `${id}-1`, count: 6 });
    const block = node.blocks.find(({ header }) => header.height === height);
    if (block) node.oddAnswers.set(height, { status: 200, body: spoil(writeBlock(block)) });
    blockNodes.set(id, node);
  }

  async function beginState(id: string, state: object): Promise<void> {
    const node = await startListNode();
    node.answers.set(`${SERVICE}/GetState`, answerOf(JSON.stringify({ state })));
    node.answers.set(`${SERVICE}/GetBlock`, echoOf((state as { chainId: string }).chainId));
    node.answers.set(
      '/evnode.v1.ConfigService/GetNamespace',
      answerOf(JSON.stringify({ headerNamespace: randomBase64(9_000), dataNamespace: '00' })),
    );
    otherNodes.set(id, node);
  }

  /** A node that returns every requested block, but cannot say which is the newest. */
  function echo(id: string): void {
    const answer = echoOf('echo-1');
    otherNodes.get(id)?.answers.set(`${SERVICE}/GetBlock`, answer);
  }

  function echoOf(chainId: string): RequestListener {
    return (request, response) => {
      let text = '';
      request.on('data', (chunk) => (text += String(chunk)));
      request.on('end', () => {
        const height = /\d+/.exec(text)?.[0] ?? '0';
        const block = { block: { header: { header: { height, chainId, time: '1795239783000000000' } } } };
        response.writeHead(height === '0' ? 404 : 200, { 'content-type': 'application/json' });
        response.end(height === '0' ? '{"code":"not_found","message":"none"}' : JSON.stringify(block));
      });
    };
  }

  function randomBase64(bytes: number): string {
    let seed = 1;
    const values = Array.from({ length: bytes }, () => (seed = (seed * 48_271) % 2_147_483_647) & 255);
    return Buffer.from(values).toString('base64');
  }

  function toText(_: string, value: unknown): unknown {
    return typeof value === 'bigint' ? String(value) : value;
  }

  async function heights(id: string): Promise<number[]> {
    const events = await watch.events(id, 'blocks', 'BlocksObserved');
    return events.flatMap(({ body }) =>
      Array.from({ length: Number(body.to) - Number(body.from) + 1 }, (_, at) => Number(body.from) + at),
    );
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

  it('gives up on a body that arrives one byte per second', async () => {
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

  it('recognises a web page, and keeps it', async () => {
    expect(await watch.sources('page')).toMatchObject([
      { state: 'INVALID', detail: expect.stringContaining('web page'), evidence: PAGE },
    ]);
    expect(await watch.events('page', 'blocks')).toEqual([]);
    expect(await watch.events('page', 'claims')).toEqual([]);
    const probes = await watch.events('page', 'probes', 'ProbeChanged');
    expect(probes.map(({ body }) => [body.probe, body.outcome])).toEqual([
      ['reachable', 'INVALID'],
      ['live', 'INVALID'],
      ['ready', 'INVALID'],
    ]);
  });

  it('records the good rows of a list with broken UTF-8, and the bad bytes too', async () => {
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

  it.each(['numbers', 'times', 'inclusions'])('keeps impossible %s of a block as sent', async (id) => {
    expect(await heights(id)).toEqual([1, 2, 3, 4, 5, 6]);
    const bodies = await watch.events(id, 'blocks', 'BlocksObserved');
    expect(
      JSON.stringify(
        bodies.map(({ body }) => unpackBlocks(body)),
        toText,
      ),
    ).toContain(BEYOND);
    expect(await watch.events(id, 'blocks', 'BlockUnreadable')).toEqual([]);
  });

  it.each(['negative', 'proposers'])(
    'keeps a block with impossible %s as evidence, and records the others',
    async (id) => {
      expect(await heights(id)).toEqual([1, 2, 4, 5, 6]);
      const [unreadable, ...more] = await watch.events(id, 'blocks', 'BlockUnreadable');
      expect(more).toEqual([]);
      expect(unreadable?.body).toMatchObject({ height: '3', chain: `${id}-1` });
      expect(unreadable?.body.evidence).toContain('"height":"3"');
    },
  );

  it('treats counters that cannot be heights as missing', async () => {
    const [progress] = await watch.events('counters', 'blocks', 'NodeProgressObserved');
    expect(progress?.body).toMatchObject({ head: '6', daIncluded: null, lastSubmittedHeader: null });
  });

  it('rejects an impossible chain id and an impossible namespace', async () => {
    for (const id of ['named', 'unnamed', 'far']) {
      const described = await watch.events(id, 'node', 'NodeDescribed');
      expect({ id, described }).not.toEqual({ id, described: [] });
      for (const { body } of described) {
        expect(body.headerNamespace?.length).toBeUndefined();
        expect(body.chain === null || body.chain === 'far-1').toBe(true);
      }
    }
  });

  it('does not search forever for the end of a chain', async () => {
    await until(async () => (await watch.events('echoing', 'blocks')).length > 0);
    const types = (await watch.events('echoing', 'blocks')).map(({ type }) => type);
    expect(types).toContain('BlocksObserved');
  });

  it('never stopped recording the well-behaved node, nor any read model, and reports nothing false about the others', async () => {
    expect(await watch.recordOf('good', devnode)).toEqual({ faults: [] });
    await watch.stopWatching();
    await watch.project();
    const nodes = await watch.dataSource.query(
      `SELECT id, chain_id, head::int, submission_count::int AS rows, block_count::int AS blocks
         FROM node WHERE id = ANY($1) ORDER BY id`,
      [[...servers.keys(), 'mixed']],
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
        WHERE state = 'HEALTHY' AND component = 'DA' AND node = ANY($1)`,
      [[...servers.keys()]],
    );
    expect(healthy).toEqual([]);
    const [good] = await watch.dataSource.query(
      "SELECT block_count = head AS is_whole, chain_id FROM node WHERE id = 'good'",
    );
    expect(good).toEqual({ is_whole: true, chain_id: 'good-1' });
    // An impossible DA height is not an inclusion.
    expect(
      await watch.dataSource.query(
        `SELECT header_da_height, data_da_height FROM block JOIN node USING (node_key)
          WHERE node.id = 'inclusions' AND height = 3`,
      ),
    ).toEqual([{ header_da_height: null, data_da_height: null }]);
  });
});
