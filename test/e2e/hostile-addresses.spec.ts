import { setTimeout as sleep } from 'node:timers/promises';
import { unpackBlocks } from '../../src/domain/blocks/block-facts.js';
import type { Devnode } from '../../src/devnode/devnode.js';
import { findConflicts } from '../../src/settings/conflicts.js';
import { itAtOnce } from '../support/at-once.js';
import { startBlockNode, type BlockNode } from '../support/block-node.js';
import { buildChain } from '../support/chain-builder.js';
import {
  HostileWatch,
  rowTexts,
  startGoodNode,
  startListNode,
  startSharedAddress,
  until,
  untilGrown,
  type ListNode,
  type SharedAddress,
} from '../support/hostile-nodes.js';

/** This limit is reached only if the service stops altogether. */
const PATIENCE_MS = 600_000;

/** Monitors a well-behaved node. Everything else that a case starts ends with the case. */
class Beside {
  private readonly closing: { close(): Promise<void> }[] = [];

  private constructor(
    readonly watch: HostileWatch,
    readonly devnode: Devnode,
  ) {}

  static async use(use: (beside: Beside) => Promise<void>): Promise<void> {
    const beside = new Beside(await HostileWatch.open(), await startGoodNode());
    try {
      await use(beside);
    } finally {
      await beside.watch.close();
      await Promise.all(beside.closing.map((each) => each.close()));
      await beside.devnode.stop();
    }
  }

  keep<T extends { close(): Promise<void> }>(one: T): T {
    this.closing.push(one);
    return one;
  }

  /** Checks the good node and the log, which must be complete whatever the others did. */
  async expectTheRestWhole(): Promise<void> {
    expect(await this.watch.recordOf('good', this.devnode)).toEqual({ faults: [] });
    await this.watch.stopWatching();
    await this.watch.project();
  }
}

/** Two nodes behind one address, with a list each. */
class TwoLists {
  static readonly start = Date.now() - 60_000;
  readonly lefts = rowTexts(1, 200, TwoLists.start);
  readonly rights = rowTexts(1_001, 1_200, TwoLists.start);

  private constructor(
    readonly beside: Beside,
    readonly left: ListNode,
    readonly right: ListNode,
    readonly address: SharedAddress,
  ) {}

  static async behind(beside: Beside): Promise<TwoLists> {
    const left = beside.keep(await startListNode(rowTexts(1, 80, TwoLists.start)));
    const right = beside.keep(await startListNode(rowTexts(1_001, 1_100, TwoLists.start)));
    return new TwoLists(beside, left, right, beside.keep(await startSharedAddress([left, right])));
  }

  /** Both nodes answer alternately. @param isRestarted whether Hindsight restarts at each switch */
  async areToldApartInTurn(isRestarted: boolean): Promise<void> {
    const { left, right, address, lefts, rights } = this;
    const { watch, devnode } = this.beside;
    const turn = async (index: number): Promise<void> => {
      if (isRestarted) await watch.stopWatching();
      address.answers = index;
      if (isRestarted) await watch.watch({ shared: address.url, good: devnode.url });
      const asked = [left, right][index];
      await asked?.looked();
      if (!isRestarted) return;
      // The first answer after a restart may come from a cache until the next second begins.
      await sleep(1_000 - (Date.now() % 1_000));
      await asked?.looked();
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
    // The log reports once that the first list was not replaced. Later polls name the list that they saw.
    const switches = await watch.events('shared', 'submissions', 'SubmissionRingSwitched');
    expect(switches.map(({ body }) => [body.from, body.to])).toEqual([[1, 0]]);
    const rows = await watch.events('shared', 'submissions', 'SubmissionsObserved');
    expect(rows.map(({ body }) => body.source)).toEqual([0, 1, 0, 1]);
    await this.beside.expectTheRestWhole();
    const looks = await watch.events('shared', 'node', 'NodeWatched');
    const quiet = looks.flatMap(({ body }) => body.looks.submissions?.lists ?? []);
    expect(quiet.at(-1)?.list).toBe(0);
  }

  async areToldApartByRequests(): Promise<void> {
    const { left, right, address, lefts, rights } = this;
    const { watch, devnode } = this.beside;
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
    await this.beside.expectTheRestWhole();
  }
}

/** Two nodes behind one address, with a chain each. */
class TwoChains {
  private constructor(
    readonly beside: Beside,
    readonly left: BlockNode,
    readonly right: BlockNode,
    readonly address: SharedAddress,
  ) {}

  static async behind(beside: Beside): Promise<TwoChains> {
    const left = beside.keep(await startBlockNode());
    const right = beside.keep(await startBlockNode());
    left.blocks = buildChain({ chainId: 'left-1', count: 20 });
    right.blocks = buildChain({ chainId: 'right-1', count: 30 });
    const address = beside.keep(await startSharedAddress([left, right]));
    await beside.watch.watch({ shared: address.url, good: beside.devnode.url });
    return new TwoChains(beside, left, right, address);
  }

  async areRecordedInTurn(): Promise<void> {
    await this.untilRecorded('left-1', 20);
    this.address.answers = 1;
    await this.untilRecorded('right-1', 30);
    this.left.blocks = buildChain({ chainId: 'left-1', after: this.left.blocks, count: 10 });
    this.address.answers = 0;
    await this.untilRecorded('left-1', 30);
    await this.expectEachWhole();
  }

  async areRecordedByRequests(): Promise<void> {
    this.address.answers = 'TURNS';
    await this.beside.watch.seesProgressOf('good', this.beside.devnode);
    this.address.answers = 1;
    await this.untilRecorded('right-1', 30);
    this.address.answers = 0;
    await this.untilRecorded('left-1', 20);
    await this.expectEachWhole();
  }

  private untilRecorded(chain: string, count: number): Promise<void> {
    return untilGrown(
      async () => (await this.hashes(chain)).length,
      count,
      () => this.address.asked(),
    );
  }

  /** Header hashes recorded for a chain, in the order of recording. */
  private async hashes(chain: string): Promise<(string | null)[]> {
    const events = await this.beside.watch.events('shared', 'blocks', 'BlocksObserved');
    const bodies = events.map(({ body }) => body).filter((body) => body.chain === chain);
    return bodies.flatMap((body) => unpackBlocks(body).map(({ hash }) => hash));
  }

  private async expectEachWhole(): Promise<void> {
    const { watch } = this.beside;
    for (const { blocks } of [this.left, this.right]) {
      const chain = blocks[0]?.header.chainId ?? '';
      // A block's hash is the link of the next block.
      expect((await this.hashes(chain)).slice(0, -1)).toEqual(
        blocks.slice(1).map(({ header }) => header.lastHeaderHash),
      );
      expect(await watch.store.loadStream(`${chain}/chain`)).toMatchObject({
        state: { lineages: [{ n: 1 }] },
      });
    }
    expect(
      await watch.events('shared', 'blocks', 'BlockChainBroken', 'BlockUnreadable', 'BlocksPruned'),
    ).toEqual([]);
    await this.beside.expectTheRestWhole();
  }
}

/** A node that switches to another chain. */
async function turnsToAnotherChain(beside: Beside): Promise<void> {
  const { watch, devnode } = beside;
  const node = beside.keep(await startBlockNode());
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
  await beside.expectTheRestWhole();
  const [row] = await watch.dataSource.query(
    "SELECT chain_id, head, block_count FROM node WHERE id = 'turned'",
  );
  expect(row).toEqual({ chain_id: 'second-1', head: 15n, block_count: 27n });
}

/** A node that two processes monitor. */
async function isWatchedTwice(beside: Beside): Promise<void> {
  const { watch, devnode } = beside;
  await watch.watch({ good: devnode.url });
  await watch.watch({ good: devnode.url });
  devnode.burst(20);
  await watch.seesProgressOf('good', devnode);
  devnode.burst(20);
  await watch.seesProgressOf('good', devnode);
  await beside.expectTheRestWhole();
  const [counts] = await watch.dataSource.query(
    `SELECT submission_count = (SELECT count(*) FROM submission WHERE sequence IS NOT NULL) AS rows,
            block_count = (SELECT count(DISTINCT height) FROM block) AS blocks FROM node`,
  );
  expect(counts).toEqual({ rows: true, blocks: true });
}

describe('misleading addresses and settings, next to a well-behaved node', () => {
  const lists = (use: (lists: TwoLists) => Promise<void>) => () =>
    Beside.use(async (beside) => use(await TwoLists.behind(beside)));
  const chains = (use: (chains: TwoChains) => Promise<void>) => () =>
    Beside.use(async (beside) => use(await TwoChains.behind(beside)));

  // Cases run one after the other: a busy process may end before its last polls are written.
  it.each(
    Object.entries({
      'two lists behind one address are distinguished when they answer alternately': lists((two) =>
        two.areToldApartInTurn(false),
      ),
      'two lists are distinguished also when Hindsight restarts at each switch': lists((two) =>
        two.areToldApartInTurn(true),
      ),
      'two lists are distinguished when a balancer switches at every request': lists((two) =>
        two.areToldApartByRequests(),
      ),
    }),
  )('%s', (_, run) => run(), PATIENCE_MS);

  itAtOnce(
    {
      'two chains behind one address are recorded separately when they answer alternately': chains((two) =>
        two.areRecordedInTurn(),
      ),
      'two chains are recorded separately when a balancer switches at every request': chains((two) =>
        two.areRecordedByRequests(),
      ),
      'a node that switches to another chain has the blocks of each chain under that chain': () =>
        Beside.use(turnsToAnotherChain),
      'the record of a node remains complete while two processes monitor it at once': () =>
        Beside.use(isWatchedTwice),
    },
    PATIENCE_MS,
  );

  it('two settings that name the same node are refused', () => {
    const faults = findConflicts({
      nodes: [
        { id: 'one', url: 'http://127.0.0.1:7331', headers: {} },
        { id: 'two', url: 'http://localhost:7331', headers: {} },
      ],
      chains: [],
      poll: { floorMs: 500, ceilingMs: 2_000 },
      role: 'all',
      reports: [],
    });
    expect(faults).toMatchObject([{ problem: expect.stringContaining('repeats the address of "one"') }]);
  });
});
