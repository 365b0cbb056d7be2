import type { RequestListener } from 'node:http';
import type { Devnode } from '../../src/devnode/devnode.js';
import { unpackBlocks } from '../../src/domain/blocks/block-facts.js';
import { startBlockNode, type BlockNode } from '../support/block-node.js';
import { buildChain, writeBlock } from '../support/chain-builder.js';
import {
  HostileWatch,
  startGoodNode,
  startListNode,
  until,
  type ListNode,
} from '../support/hostile-nodes.js';
import { answerOf } from '../support/hostile-server.js';

const SERVICE = '/evnode.v1.StoreService';
const BEYOND = '18446744073709551615';

/** Nodes whose blocks and book-keeping hold what no database column does. */
describe('nodes whose blocks cannot be, beside one that behaves', () => {
  let watch: HostileWatch;
  let devnode: Devnode;
  const blockNodes = new Map<string, BlockNode>();
  const otherNodes = new Map<string, ListNode>();

  beforeAll(async () => {
    watch = await HostileWatch.open();
    devnode = await startGoodNode();
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
    await watch.watch({
      ...Object.fromEntries([...blockNodes, ...otherNodes].map(([id, { url }]) => [id, url])),
      good: devnode.url,
    });
    for (const id of ['numbers', 'times', 'inclusions', 'negative', 'proposers']) {
      await until(async () => (await heights(id)).at(-1) === 6);
    }
    await until(async () => (await watch.events('counters', 'blocks', 'NodeProgressObserved')).length > 0);
    await watch.seesProgressOf('good', devnode);
  });

  afterAll(async () => {
    await watch?.close();
    await Promise.all([...blockNodes.values(), ...otherNodes.values()].map((node) => node.close()));
    await devnode?.stop();
  });

  /** A chain of six blocks, one of them (0: none) turned into something else. */
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

  /** A node that has every block one asks for, but cannot say which is its newest. */
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

  it('takes counters that cannot be heights for not told', async () => {
    const [progress] = await watch.events('counters', 'blocks', 'NodeProgressObserved');
    expect(progress?.body).toMatchObject({ head: '6', daIncluded: null, lastSubmittedHeader: null });
  });

  it('believes neither a chain id nor a namespace that cannot be one', async () => {
    for (const id of ['named', 'unnamed', 'far']) {
      const described = await watch.events(id, 'node', 'NodeDescribed');
      expect({ id, described }).not.toEqual({ id, described: [] });
      for (const { body } of described) {
        expect(body.headerNamespace?.length).toBeUndefined();
        expect(body.chain === null || body.chain === 'far-1').toBe(true);
      }
    }
  });

  it('does not look for the end of a chain for ever', async () => {
    await until(async () => (await watch.events('echoing', 'blocks')).length > 0);
    const types = (await watch.events('echoing', 'blocks')).map(({ type }) => type);
    expect(types).toContain('BlocksObserved');
  });

  it('never stopped recording the node that behaves, nor any read model', async () => {
    expect(await watch.recordOf('good', devnode)).toEqual({ faults: [] });
    await watch.stopWatching();
    await watch.project();
    const [good] = await watch.dataSource.query(
      "SELECT block_count = head AS is_whole, chain_id FROM node WHERE id = 'good'",
    );
    expect(good).toEqual({ is_whole: true, chain_id: 'good-1' });
    // A DA height that cannot be is no inclusion.
    expect(
      await watch.dataSource.query(
        `SELECT header_da_height, data_da_height FROM block JOIN node USING (node_key)
          WHERE node.id = 'inclusions' AND height = 3`,
      ),
    ).toEqual([{ header_da_height: null, data_da_height: null }]);
  });
});
