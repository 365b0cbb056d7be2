import { unpackBlocks } from '../../src/domain/blocks/block-facts.js';
import type { Devnode } from '../../src/devnode/devnode.js';
import { startBlockNode, type BlockNode } from '../support/block-node.js';
import { buildChain } from '../support/chain-builder.js';
import {
  HostileWatch,
  startGoodNode,
  startSharedAddress,
  until,
  untilGrown,
  type SharedAddress,
} from '../support/hostile-nodes.js';

/** Nothing here ends by it unless the service stands still altogether. */
const PATIENCE_MS = 600_000;

describe('addresses that show more than one chain, beside a node that behaves', () => {
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

    it(
      'are recorded each as its own chain when they answer in turn',
      async () => {
        await untilRecorded('left-1', 20);
        address.answers = 1;
        await untilRecorded('right-1', 30);
        left.blocks = buildChain({ chainId: 'left-1', after: left.blocks, count: 10 });
        address.answers = 0;
        await untilRecorded('left-1', 30);
        await expectEachChainWhole();
      },
      PATIENCE_MS,
    );

    it(
      'are recorded each as its own chain when a balancer turns at every request',
      async () => {
        address.answers = 'TURNS';
        await watch.seesProgressOf('good', devnode);
        address.answers = 1;
        await untilRecorded('right-1', 30);
        address.answers = 0;
        await untilRecorded('left-1', 20);
        await expectEachChainWhole();
      },
      PATIENCE_MS,
    );

    function untilRecorded(chain: string, count: number): Promise<void> {
      return untilGrown(
        async () => (await hashes(chain)).length,
        count,
        () => address.asked(),
      );
    }

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
    expect(row).toEqual({ chain_id: 'second-1', head: 15n, block_count: 27n });
  });
});
