import type { DecodedBlock } from '../../src/domain/blocks/block.js';
import { unpackBlocks } from '../../src/domain/blocks/block-facts.js';
import type { EventBodies, Polls } from '../../src/domain/events.js';
import { replacedText } from '../../src/domain/health/chain-history.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { HttpClient } from '../../src/platform/http.js';
import { startBlockNode, type BlockNode } from '../support/block-node.js';
import { BlockWatch, type BlockWatchOptions } from '../support/block-watch.js';
import { buildChain, writeBlock } from '../support/chain-builder.js';
import { DeafStore } from '../support/deaf-store.js';
import { foldHistory } from '../support/health-history.js';
import { loadRecordedBlocks } from '../support/recorded-blocks.js';
import { startReplayNode, type ReplayNode } from '../support/replay-node.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();
const http = new HttpClient();
const closing: (() => Promise<void>)[] = [];

afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()));
});
afterAll(() => http.close());

/** An observer of one node, and what it wrote. */
class Watch extends BlockWatch {
  constructor(url: string, options: BlockWatchOptions = {}) {
    super({ dataSource, http }, url, options);
  }
}

async function startNode(blocks: readonly DecodedBlock[]): Promise<BlockNode> {
  const node = await startBlockNode();
  node.blocks = blocks;
  closing.push(() => node.close());
  return node;
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index);
}

function include(blocks: readonly DecodedBlock[], from: number, to: number, daHeight = 7n): DecodedBlock[] {
  return blocks.map((block) =>
    block.header.height >= from && block.header.height <= to
      ? { ...block, headerDaHeight: daHeight, dataDaHeight: daHeight + 1n }
      : block,
  );
}

let chains = 0;
const newChain = (): string => `chain-${++chains}`;

describe('the observer of blocks', () => {
  it('counts polls once when the append happened but its acknowledgement was lost', async () => {
    const deaf = new DeafStore(dataSource);
    const node = await startNode(buildChain({ chainId: newChain(), count: 3 }));
    const watch = new Watch(node.url, { store: deaf });
    deaf.isDeaf = true;
    await expect(watch.poll()).rejects.toThrow('the connection broke');
    deaf.isDeaf = false;
    await watch.poll();
    const events = await watch.events();
    const counts = events.map(({ body }) => ('looks' in body ? (body.looks as Polls).count : 0));
    expect(counts.reduce((sum, count) => sum + count, 0) + (watch.book.peek()?.count ?? 0)).toBe(2);
  });

  describe('with the recorded node', () => {
    let replay: ReplayNode;
    let now = 0;

    async function play(file: 'aggregator' | 'follower', stepMs: number) {
      now = 2_000;
      replay = await startReplayNode({ file, now: () => now });
      closing.push(() => replay.close());
      const watch = new Watch(replay.url);
      for (; now < replay.lengthMs; now += stepMs) {
        const before = watch.clock.now();
        await watch.poll();
        await watch.clock.advance(Math.max(0, stepMs - (watch.clock.now() - before)));
      }
      return watch;
    }

    it.each(['aggregator', 'follower'] as const)(
      'records every block of the %s once, in order, all checks passed, and every inclusion',
      async (file) => {
        const watch = await play(file, 5_000);
        const recorded = loadRecordedBlocks(file);
        const blocks = await watch.blocks();
        expect(blocks.length).toBeGreaterThan(recorded.length - 20);
        const expected = recorded.slice(0, blocks.length);
        expect(blocks.map(({ header }) => header)).toEqual(expected.map(({ header }) => header));
        expect(await watch.failures()).toEqual({});
        const inclusion = await watch.inclusion();
        for (const [at, { header, headerDaHeight, dataDaHeight }] of expected.entries()) {
          const shown = inclusion.get(String(header.height));
          // The end of the recording may hold heights that came after the last poll.
          if (shown?.[0] === null && at > blocks.length - 20) continue;
          const heights = [headerDaHeight, dataDaHeight].map((height) =>
            height === null ? null : String(height),
          );
          expect([header.height, ...(shown ?? [])]).toEqual([header.height, ...heights]);
        }
        const seen = (await watch.events('BlockInclusionObserved')).flatMap(({ body }) =>
          body.heights.map(([height]) => height),
        );
        expect(new Set(seen).size).toBe(seen.length);
      },
    );

    it('asks for little: each block once, and again until it is included', async () => {
      const watch = await play('aggregator', 5_000);
      const count = (await watch.blocks()).length;
      const path = '/evnode.v1.StoreService/GetBlock';
      expect(replay.requests.get(path)).toBeLessThan(count * 1.75);
    });
  });

  describe('with a node of its own', () => {
    it('backfills in events of at most 500 blocks and then follows the head', async () => {
      const chain = buildChain({ chainId: newChain(), count: 1_203 });
      const node = await startNode(include(chain, 1, 1_203).slice(0, 1_201));
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = include(chain, 1, 1_203);
      await watch.poll();
      const events = await watch.events('BlocksObserved');
      expect(events.map(({ body }) => [body.from, body.to, body.head])).toEqual([
        ['1', '500', '1201'],
        ['501', '1000', '1201'],
        ['1001', '1201', undefined],
        ['1202', '1203', undefined],
      ]);
      expect(await watch.failures()).toEqual({});
      expect(node.requests.filter((request) => request.startsWith('GetBlock')).length).toBeLessThan(1_206);
    });

    it('continues where it stopped, without asking for anything twice', async () => {
      const chain = buildChain({ chainId: newChain(), count: 30 });
      const node = await startNode(include(chain, 1, 30).slice(0, 20));
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = include(chain, 1, 30);
      node.requests.length = 0;
      watch.observer = watch.create();
      await watch.poll();
      expect(await watch.heights()).toEqual(range(1, 30));
      expect(node.requests.filter((request) => /^GetBlock [1-9]/.test(request)).sort()).toEqual(
        range(21, 30).map((height) => `GetBlock ${height}`),
      );
      expect((await watch.blocks())[20]?.checks.link).toBe('PASSED');
    });

    it('discards its answer when another process was first, and records nothing twice', async () => {
      const chain = include(buildChain({ chainId: newChain(), count: 40 }), 1, 40);
      const node = await startNode(chain.slice(0, 10));
      const watch = new Watch(node.url);
      const other = watch.create();
      const { signal } = new AbortController();
      await watch.observer.poll(signal);
      await other.poll(signal);
      node.blocks = chain;
      await Promise.all([watch.observer.poll(signal), other.poll(signal)]);
      await watch.poll();
      expect(await watch.heights()).toEqual(range(1, 40));
    });

    it('reports DA heights that appear later, also out of order and one by one', async () => {
      const chain = buildChain({ chainId: newChain(), count: 30 });
      const node = await startNode(include(chain, 1, 5));
      const watch = new Watch(node.url);
      await watch.poll();
      await watch.poll();
      node.blocks = include(include(chain, 1, 12), 14, 16);
      for (let look = 0; look < 10; look++) await watch.poll();
      node.blocks = include(chain, 1, 20).map((block) =>
        block.header.height === 22n ? { ...block, headerDaHeight: 9n } : block,
      );
      for (let look = 0; look < 3; look++) await watch.poll();
      node.blocks = include(chain, 1, 30);
      for (let look = 0; look < 3; look++) await watch.poll();
      const heights = (await watch.events('BlockInclusionObserved')).flatMap(({ body }) => body.heights);
      const once = [...new Set(heights.map((one) => JSON.stringify(one)))];
      expect(once.length).toBe(heights.length);
      const inclusion = await watch.inclusion();
      for (const height of range(1, 30)) expect(inclusion.get(String(height))).toEqual(['7', '8']);
      node.requests.length = 0;
      await watch.poll();
      expect(node.requests.filter((request) => request.startsWith('GetBlock'))).toEqual([]);
    });

    it('polls more often, and asks for next to nothing, while inclusion has stopped', async () => {
      const node = await startNode(buildChain({ chainId: newChain(), count: 300 }));
      const watch = new Watch(node.url);
      for (let look = 0; look < 3; look++) await watch.poll();
      node.requests.length = 0;
      expect(await watch.poll()).toBe(2_000);
      expect(node.requests.filter((request) => request.startsWith('GetBlock')).length).toBeLessThan(3);
    });

    it.each([
      ['signature', ['signature']],
      ['appHash', ['hash', 'signature']],
      ['height', ['data', 'hash', 'signature']],
      ['chainId', ['data', 'hash', 'signature']],
    ] as const)(
      'records a block with a flipped bit in %s with its failed checks, and continues',
      async (field, fails) => {
        const chain = include(buildChain({ chainId: newChain(), count: 40 }), 1, 40);
        const block = chain[24] as DecodedBlock;
        const { header } = block;
        const damaged: DecodedBlock = {
          signature: { ...block, signature: `ff${block.signature.slice(2)}` },
          appHash: { ...block, header: { ...header, appHash: `0${'1'.repeat(63)}` } },
          height: { ...block, header: { ...header, height: 1_000n } },
          chainId: { ...block, header: { ...header, chainId: 'chain-X' } },
        }[field];
        const node = await startNode(chain.slice(0, 22));
        node.oddAnswers.set(25n, { status: 200, body: writeBlock(damaged) });
        const watch = new Watch(node.url);
        await watch.poll();
        for (const count of [25, 26, 40]) {
          node.blocks = chain.slice(0, count);
          await watch.poll();
        }
        expect(await watch.heights()).toEqual(range(1, 40));
        expect(await watch.failures()).toEqual({ 25: fails });
        expect(await watch.events('BlockChainBroken')).toEqual([]);
      },
    );

    it('skips a block that cannot be read after some retries, with the answer as evidence', async () => {
      const chain = include(buildChain({ chainId: newChain(), count: 20 }), 1, 20);
      const node = await startNode(chain);
      node.oddAnswers.set(8n, { status: 200, body: '{"block":"no"}' });
      const watch = new Watch(node.url);
      for (let look = 0; look < 4; look++) await watch.poll();
      expect(await watch.heights()).toEqual([...range(1, 7), ...range(9, 20)]);
      const [unreadable] = await watch.events('BlockUnreadable');
      expect(unreadable?.body).toMatchObject({ height: '8', lineage: 1, evidence: '{"block":"no"}' });
      expect(await watch.failures()).toEqual({});
    });

    it('begins with the oldest block of a pruned node and reports which are gone', async () => {
      const chain = include(buildChain({ chainId: newChain(), count: 700 }), 1, 700);
      const node = await startNode(chain.slice(612));
      const watch = new Watch(node.url);
      await watch.poll();
      expect(await watch.heights()).toEqual(range(613, 700));
      const [pruned] = await watch.events('BlocksPruned');
      expect(pruned?.body).toMatchObject({ from: '1', to: '612' });
      expect(node.requests.length).toBeLessThan(88 + 60);
    });

    it('reports which blocks disappeared while it was away', async () => {
      const chain = include(buildChain({ chainId: newChain(), count: 300 }), 1, 300);
      const node = await startNode(chain.slice(0, 50));
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = chain.slice(200);
      for (let look = 0; look < 4; look++) await watch.poll();
      expect(await watch.heights()).toEqual([...range(1, 50), ...range(201, 300)]);
      expect((await watch.events('BlocksPruned')).map(({ body }) => [body.from, body.to])).toEqual([
        ['51', '200'],
      ]);
    });

    it('finds the head of a node that returns nothing but blocks', async () => {
      const chain = include(buildChain({ chainId: newChain(), count: 77 }), 1, 77);
      const node = await startNode(chain);
      node.missingMethods.add('GetState').add('GetP2PStoreInfo').add('GetMetadata');
      node.oddAnswers.set(0n, { status: 400, body: '{"code":"invalid_argument","message":"no"}' });
      const watch = new Watch(node.url);
      await watch.poll();
      expect(await watch.heights()).toEqual(range(1, 77));
    });

    it('waits while a node that was set back catches up, and does not take it for another chain', async () => {
      const chain = include(buildChain({ chainId: newChain(), count: 60 }), 1, 60);
      const node = await startNode(chain.slice(0, 40));
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = chain.slice(0, 25);
      for (let look = 0; look < 3; look++) await watch.poll();
      node.blocks = chain;
      await watch.poll();
      expect(await watch.heights()).toEqual(range(1, 60));
      expect(await watch.events('BlockChainBroken')).toEqual([]);
    });

    it('keeps as much of the transactions as the settings ask for', async () => {
      const node = await startNode(buildChain({ chainId: newChain(), count: 5 }));
      const full = new Watch(node.url, { record: 'full' });
      const hashes = new Watch(node.url, { record: 'hashes' });
      await full.poll();
      await hashes.poll();
      const block = node.blocks[4] as DecodedBlock;
      const values = block.transactions.map((bytes) => Buffer.from(bytes).toString('hex'));
      expect((await full.blocks())[4]?.transactions).toEqual({ kind: 'full', values });
      expect((await hashes.blocks())[4]?.transactions?.values[0]).toHaveLength(64);
    });

    it('writes the progress of the node when it changes, once a minute, and its polls with the first event', async () => {
      const chain = include(buildChain({ chainId: newChain(), count: 100 }), 1, 100);
      const node = await startNode(chain.slice(0, 10));
      node.metadata
        .set('d', 10n)
        .set('last-submitted-header-height', 10n)
        .set('last-submitted-data-height', 10n);
      const watch = new Watch(node.url);
      await watch.poll();
      for (let height = 11; height <= 40; height++) {
        node.blocks = chain.slice(0, height);
        node.metadata.set('last-submitted-header-height', BigInt(height - 1));
        await watch.poll();
      }
      const progress = await watch.events('NodeProgressObserved');
      expect(progress[0]?.body).toMatchObject({ head: '10', daIncluded: '10', lastSubmittedHeader: '10' });
      expect(progress.length).toBeGreaterThan(2);
      expect(progress.length).toBeLessThan(7);
      const looks = (await watch.events('BlocksObserved')).map(({ body }) => body.looks?.count);
      expect(looks.every((count) => count === 1)).toBe(true);
    });

    it('reports at once that blocks no longer wait', async () => {
      const chain = include(buildChain({ chainId: newChain(), count: 20 }), 1, 20);
      const node = await startNode(chain.slice(0, 10));
      node.metadata.set('last-submitted-header-height', 10n).set('last-submitted-data-height', 10n);
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = chain;
      node.metadata.set('last-submitted-header-height', 20n).set('last-submitted-data-height', 20n);
      for (let look = 0; look < 4; look++) await watch.poll();
      const progress = await watch.events('NodeProgressObserved');
      expect(progress.map(({ body }) => body.lastSubmittedHeader)).toEqual(['10', '20']);
    });

    it('writes no progress of the node that an earlier poll reported', async () => {
      const chain = buildChain({ chainId: newChain(), count: 60 });
      const node = await startNode(chain.slice(0, 10));
      const tell = (included: bigint, submitted: bigint): void => {
        node.metadata.set('d', included);
        for (const part of ['header', 'data']) node.metadata.set(`last-submitted-${part}-height`, submitted);
      };
      tell(10n, 10n);
      const watch = new Watch(node.url);
      await watch.poll();
      for (let height = 11; height <= 60; height++) {
        node.blocks = chain.slice(0, height);
        // Each time the node begins or ceases to wait, it is worth an event.
        tell(BigInt(height), BigInt(height - (height % 8 < 4 ? 0 : 1)));
        await watch.poll();
      }
      const progress = await watch.events('NodeProgressObserved');
      expect(progress.length).toBeGreaterThan(4);
      expect(progress.map(({ body }) => body.daIncluded)).toEqual(progress.map(({ body }) => body.head));
    });
  });

  describe('and lineages', () => {
    const openings = async (chain: string) =>
      (await new EventStore(dataSource).readStreamBack(`${chain}/chain`, ['ChainLineageOpened'], 10))
        .reverse()
        .map(({ body }) => body as EventBodies['ChainLineageOpened']);

    it('opens the next lineage, from the exact block, when a node switches to another fork', async () => {
      const chainId = newChain();
      const chain = buildChain({ chainId, count: 200 });
      const fork = buildChain({ chainId, count: 90, after: chain.slice(0, 117), salt: 'fork' });
      const node = await startNode(chain);
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = fork;
      for (let look = 0; look < 3; look++) await watch.poll();
      expect(await watch.heights(1)).toEqual(range(1, 200));
      expect(await watch.heights(2)).toEqual(range(118, 207));
      expect((await openings(chainId)).map(({ n, height }) => [n, height])).toEqual([
        [1, '1'],
        [2, '118'],
      ]);
      const [broken] = await watch.events('BlockChainBroken');
      expect(broken?.body).toMatchObject({ lineage: 1, height: '201' });
    });

    it('finds a fork while the head is lower than before, and returns to the first lineage when the node does', async () => {
      const chainId = newChain();
      const chain = buildChain({ chainId, count: 200 });
      const fork = buildChain({ chainId, count: 20, after: chain.slice(0, 130), salt: 'fork' });
      const node = await startNode(chain.slice(0, 190));
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = fork;
      for (let look = 0; look < 3; look++) await watch.poll();
      node.blocks = chain;
      for (let look = 0; look < 5; look++) await watch.poll();
      expect(await watch.heights(1)).toEqual(range(1, 200));
      expect(await watch.heights(2)).toEqual(range(131, 150));
      expect(await openings(chainId)).toHaveLength(2);
    });

    it('overwrites nothing when a chain starts again from its first block', async () => {
      const chainId = newChain();
      const node = await startNode(buildChain({ chainId, count: 60 }));
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = buildChain({ chainId, count: 12, salt: 'again' });
      for (let look = 0; look < 3; look++) await watch.poll();
      node.blocks = buildChain({ chainId, count: 80, salt: 'again' });
      for (let look = 0; look < 3; look++) await watch.poll();
      expect(await watch.heights(1)).toEqual(range(1, 60));
      expect(await watch.heights(2)).toEqual(range(1, 80));
      const { blocks } = foldHistory(await watch.events('BlocksObserved')).fold;
      const [before, now] = [(await watch.blocks(1))[0]?.hash, (await watch.blocks(2))[0]?.hash];
      expect(replacedText(blocks)).toBe(
        `Chain ${chainId} began again: block 1 is now ${now} (history ${chainId}/2), and was ${before} before (${chainId}/1). ` +
          'Hindsight keeps both histories.',
      );
    });

    it('are shared by nodes of one chain, but not by a node that shows other blocks from the start', async () => {
      const chainId = newChain();
      const store = new EventStore(dataSource);
      const chain = buildChain({ chainId, count: 40 });
      const watches = [chain, chain, buildChain({ chainId, count: 50, salt: 'other' })].map(
        async (blocks) => new Watch((await startNode(blocks)).url, { store }),
      );
      const [one, two, three] = (await Promise.all(watches)) as [Watch, Watch, Watch];
      await Promise.all([one.poll(), two.poll(), three.poll()]);
      const byLineage = async (watch: Watch) => [
        (await watch.heights(1)).length,
        (await watch.heights(2)).length,
      ];
      expect((await Promise.all([one, two, three].map(byLineage))).map(String).sort()).toEqual(
        expect.arrayContaining([expect.stringMatching(/^(40,0|0,40|50,0|0,50)$/)]),
      );
      expect(await byLineage(one)).toEqual(await byLineage(two));
      expect(await byLineage(three)).not.toEqual(await byLineage(one));
      expect(await openings(chainId)).toHaveLength(2);
    });

    it('split where two nodes of a chain do, and the shared beginning stays in the first', async () => {
      const chainId = newChain();
      const store = new EventStore(dataSource);
      const chain = buildChain({ chainId, count: 100 });
      const first = new Watch((await startNode(chain)).url, { store });
      await first.poll();
      const fork = buildChain({ chainId, count: 30, after: chain.slice(0, 64), salt: 'fork' });
      const second = new Watch((await startNode(fork)).url, { store });
      for (let look = 0; look < 3; look++) await second.poll();
      expect(await second.heights(1)).toEqual(range(1, 64));
      expect(await second.heights(2)).toEqual(range(65, 94));
      const blocks = await second.blocks(2);
      expect(blocks[0]?.checks.link).toBe('PASSED');
    });

    it('split where two nodes that were followed from one block on begin to differ', async () => {
      const chainId = newChain();
      const store = new EventStore(dataSource);
      const chain = buildChain({ chainId, count: 60 });
      const fork = buildChain({ chainId, count: 50, after: chain.slice(0, 42), salt: 'fork' });
      const nodes = [await startNode(chain.slice(0, 42)), await startNode(fork.slice(0, 42))] as const;
      const watches = nodes.map((node) => new Watch(node.url, { store })) as [Watch, Watch];
      for (const watch of watches) await watch.poll();
      nodes[0].blocks = chain;
      nodes[1].blocks = fork;
      for (let look = 0; look < 40; look++) {
        for (const watch of watches) await watch.poll();
      }
      expect(await watches[0].heights(2)).toEqual([]);
      expect(await watches[1].heights(2)).toEqual(range(43, 92));
    });

    it('of another chain take the blocks that a node begins to return, and no block goes to the old chain', async () => {
      const [one, other] = [newChain(), newChain()];
      const first = buildChain({ chainId: one, count: 40 });
      const second = buildChain({ chainId: other, count: 60 });
      const node = await startNode(first.slice(0, 30));
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = second;
      for (let look = 0; look < 3; look++) await watch.poll();
      node.blocks = first;
      for (let look = 0; look < 3; look++) await watch.poll();
      const events = await watch.events('BlocksObserved');
      for (const { body } of events) {
        expect(new Set(unpackBlocks(body).map(({ header }) => header.chainId))).toEqual(
          new Set([body.chain]),
        );
      }
      const of = (chain: string) =>
        events.filter(({ body }) => body.chain === chain).flatMap(({ body }) => unpackBlocks(body)).length;
      expect([of(one), of(other)]).toEqual([40, 60]);
    });

    it('are not split by a lower head if the address returns blocks of another chain', async () => {
      const [one, other] = [newChain(), newChain()];
      const first = buildChain({ chainId: one, count: 30 });
      const second = buildChain({ chainId: other, count: 30 });
      const node = await startNode(first);
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = first.slice(0, 20);
      for (const block of second)
        node.oddAnswers.set(block.header.height, { status: 200, body: writeBlock(block) });
      for (let look = 0; look < 3; look++) await watch.poll();
      node.oddAnswers.clear();
      node.blocks = buildChain({ chainId: one, after: first, count: 5 });
      await watch.poll();
      expect(await openings(one)).toHaveLength(1);
      expect(await watch.heights()).toEqual(range(1, 35));
    });

    it('of another chain take the blocks even if the node does not name its chain with its head', async () => {
      const [one, other] = [newChain(), newChain()];
      const node = await startNode(buildChain({ chainId: one, count: 30 }));
      node.missingMethods.add('GetState').add('GetP2PStoreInfo');
      node.oddAnswers.set(0n, { status: 400, body: '{"code":"invalid_argument","message":"no"}' });
      const watch = new Watch(node.url);
      await watch.poll();
      node.blocks = buildChain({ chainId: other, count: 60 });
      for (let look = 0; look < 4; look++) await watch.poll();
      const events = await watch.events('BlocksObserved');
      expect(events.map(({ body }) => [body.chain, body.from, body.to])).toEqual([
        [one, '1', '30'],
        [other, '1', '60'],
      ]);
    });
  });
});
