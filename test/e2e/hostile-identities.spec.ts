import { unpackBlocks } from '../../src/domain/block-facts.js';
import type { Devnode } from '../../src/devnode/devnode.js';
import { findConflicts } from '../../src/platform/settings-conflicts.js';
import type { Settings } from '../../src/platform/settings.js';
import { startBlockNode, type BlockNode } from '../support/block-node.js';
import { buildChain } from '../support/chain-builder.js';
import {
  HostileWatch,
  rowTexts,
  startGoodNode,
  startListNode,
  startSharedAddress,
  until,
  type ListNode,
  type SharedAddress,
} from '../support/hostile-nodes.js';

describe('addresses that are not what they seem, beside a node that behaves', () => {
  let watch: HostileWatch;
  let devnode: Devnode;
  const closing: { close(): Promise<void> }[] = [];

  beforeEach(async () => {
    watch = await HostileWatch.open();
    devnode = await startGoodNode();
  });

  afterEach(async () => {
    await watch?.close();
    await Promise.all(closing.splice(0).map((each) => each.close()));
    await devnode?.stop();
  });

  function keep<T extends { close(): Promise<void> }>(one: T): T {
    closing.push(one);
    return one;
  }

  /** What holds of the good node and of the log, whatever the others did. */
  async function expectTheRestWhole(): Promise<void> {
    expect(await watch.recordOf('good', devnode)).toEqual({ faults: [] });
    await watch.stopWatching();
    await watch.project();
  }

  describe('two nodes behind one address, with a list each', () => {
    let left: ListNode;
    let right: ListNode;
    let address: SharedAddress;
    const start = Date.now() - 60_000;
    const lefts = rowTexts(1, 200, start);
    const rights = rowTexts(1_001, 1_200, start);

    beforeEach(async () => {
      left = keep(await startListNode(lefts.slice(0, 80)));
      right = keep(await startListNode(rights.slice(0, 100)));
      address = keep(await startSharedAddress([left, right]));
    });

    it.each([
      ['', false],
      [', also when Hindsight is started again at each turn', true],
    ])('are told apart when they answer in turn%s', async (_, isRestarted) => {
      const turn = async (index: number): Promise<void> => {
        if (isRestarted) await watch.stopWatching();
        address.answers = index;
        if (isRestarted) await watch.watch({ shared: address.url, good: devnode.url });
        await [left, right][index]?.looked();
      };
      await watch.watch({ shared: address.url, good: devnode.url });
      await left.looked();
      await turn(1);
      left.rows = lefts.slice(0, 95);
      await turn(0);
      right.rows = rights.slice(20, 120);
      await turn(1);
      await turn(0);
      expect((await watch.rows('shared')).toSorted()).toEqual(
        [...lefts.slice(0, 95), ...rights.slice(0, 120)].toSorted(),
      );
      expect(await watch.losses('shared')).toEqual(['SubmissionHistoryMissing', 'SubmissionWindowLost']);
      const switches = await watch.events('shared', 'submissions', 'SubmissionRingSwitched');
      expect(switches.map(({ body }) => [body.from, body.to])).toEqual([
        [1, 0],
        [0, 1],
        [1, 0],
      ]);
      await expectTheRestWhole();
    });

    it('are told apart when a balancer turns at every request', async () => {
      address.answers = 'TURNS';
      await watch.watch({ shared: address.url, good: devnode.url });
      for (let count = 90; count <= 160; count += 10) {
        left.rows = lefts.slice(Math.max(0, count - 100), count);
        right.rows = rights.slice(Math.max(0, count - 80), count + 20);
        await Promise.all([left.looked(), right.looked()]);
      }
      expect((await watch.rows('shared')).toSorted()).toEqual(
        [...lefts.slice(0, 160), ...rights.slice(10, 180)].toSorted(),
      );
      const [history, first, ...more] = await watch.losses('shared');
      expect([history, more]).toEqual(['SubmissionHistoryMissing', []]);
      expect(['SubmissionWindowLost', 'SubmissionRingReset']).toContain(first);
      await expectTheRestWhole();
    });
  });

  describe('two nodes behind one address, with a chain each', () => {
    let left: BlockNode;
    let right: BlockNode;
    let address: SharedAddress;

    beforeEach(async () => {
      left = keep(await startBlockNode());
      right = keep(await startBlockNode());
      left.blocks = buildChain({ chainId: 'left-1', count: 20 });
      right.blocks = buildChain({ chainId: 'right-1', count: 30 });
      address = keep(await startSharedAddress([left, right]));
      await watch.watch({ shared: address.url, good: devnode.url });
    });

    it('are recorded each as its own chain when they answer in turn', async () => {
      await until(async () => (await hashes('left-1')).length === 20);
      address.answers = 1;
      await until(async () => (await hashes('right-1')).length === 30);
      left.blocks = buildChain({ chainId: 'left-1', after: left.blocks, count: 10 });
      address.answers = 0;
      await until(async () => (await hashes('left-1')).length === 30);
      await expectEachChainWhole();
    });

    it('are recorded each as its own chain when a balancer turns at every request', async () => {
      address.answers = 'TURNS';
      await watch.seesProgressOf('good', devnode);
      address.answers = 1;
      await until(async () => (await hashes('right-1')).length === 30);
      address.answers = 0;
      await until(async () => (await hashes('left-1')).length === 20);
      await expectEachChainWhole();
    });

    /** Header hashes recorded under a chain, in the order of recording. */
    async function hashes(chain: string): Promise<(string | null)[]> {
      const events = await watch.events('shared', 'blocks', 'BlocksObserved');
      const bodies = events.map(({ body }) => body).filter((body) => body.chain === chain);
      return bodies.flatMap((body) => unpackBlocks(body).map(({ hash }) => hash));
    }

    async function expectEachChainWhole(): Promise<void> {
      for (const { blocks } of [left, right]) {
        const chain = blocks[0]?.header.chainId ?? '';
        // The hash of a block is the next one's link.
        expect((await hashes(chain)).slice(0, -1)).toEqual(
          blocks.slice(1).map(({ header }) => header.lastHeaderHash),
        );
        expect(await watch.store.loadStream(`${chain}/chain`)).toMatchObject({
          state: { lineages: [{ n: 1 }] },
        });
      }
      expect(
        await watch.events('shared', 'blocks', 'BlockChainBroken', 'BlockUnreadable', 'BlocksPruned'),
      ).toEqual([]);
      await expectTheRestWhole();
    }
  });

  it('records the blocks of a node that begins to answer another chain, each under its chain', async () => {
    const node = keep(await startBlockNode());
    node.blocks = buildChain({ chainId: 'first-1', count: 12 });
    await watch.watch({ turned: node.url, good: devnode.url });
    const ranges = async (): Promise<string[]> =>
      (await watch.events('turned', 'blocks', 'BlocksObserved')).map(
        ({ body }) => `${body.chain}/${body.lineage} ${body.from}-${body.to}`,
      );
    await until(async () => (await ranges()).length === 1);
    node.blocks = buildChain({ chainId: 'second-1', count: 15 });
    await until(async () => (await ranges()).length === 2);
    expect(await ranges()).toEqual(['first-1/1 1-12', 'second-1/1 1-15']);
    expect(await watch.events('turned', 'blocks', 'BlockChainBroken')).toEqual([]);
    await expectTheRestWhole();
    const [row] = await watch.dataSource.query(
      "SELECT chain_id, head, block_count FROM node WHERE id = 'turned'",
    );
    expect(row).toEqual({ chain_id: 'second-1', head: '15', block_count: '27' });
  });

  it('refuses two settings that name the same node', () => {
    const settings = {
      nodes: [
        { id: 'one', url: 'http://127.0.0.1:7331' },
        { id: 'two', url: 'http://localhost:7331' },
      ],
      chains: [],
      poll: { floorMs: 500, ceilingMs: 2_000 },
      apiKeys: [],
      role: 'all',
    } as unknown as Settings;
    expect(findConflicts(settings)).toMatchObject([
      { name: 'nodes', problem: expect.stringContaining('"one" and "two"') },
    ]);
  });

  it('keeps the record of a node whole that two processes watch at once', async () => {
    await watch.watch({ good: devnode.url });
    await watch.watch({ good: devnode.url });
    devnode.burst(20);
    await watch.seesProgressOf('good', devnode);
    devnode.burst(20);
    await watch.seesProgressOf('good', devnode);
    await expectTheRestWhole();
    const [counts] = await watch.dataSource.query(
      `SELECT submission_count = (SELECT count(*) FROM submission WHERE sequence IS NOT NULL) AS rows,
              block_count = (SELECT count(DISTINCT height) FROM block) AS blocks FROM node`,
    );
    expect(counts).toEqual({ rows: true, blocks: true });
  });
});
