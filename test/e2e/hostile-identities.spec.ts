import { setTimeout as sleep } from 'node:timers/promises';
import type { Devnode } from '../../src/devnode/devnode.js';
import { findConflicts } from '../../src/settings/conflicts.js';
import type { Settings } from '../../src/settings/settings.js';
import {
  HostileWatch,
  rowTexts,
  startGoodNode,
  startListNode,
  startSharedAddress,
  type ListNode,
  type SharedAddress,
} from '../support/hostile-nodes.js';

describe('addresses and settings that are not what they seem, beside a node that behaves', () => {
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
        const asked = [left, right][index];
        await asked?.looked();
        if (!isRestarted) return;
        // What comes first after a restart may be out of a cache, for all that is known, until another second begins.
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
      // Once it is told that the first list was not replaced. From then on looks tell which list they saw.
      const switches = await watch.events('shared', 'submissions', 'SubmissionRingSwitched');
      expect(switches.map(({ body }) => [body.from, body.to])).toEqual([[1, 0]]);
      const rows = await watch.events('shared', 'submissions', 'SubmissionsObserved');
      expect(rows.map(({ body }) => body.source)).toEqual([0, 1, 0, 1]);
      await expectTheRestWhole();
      const looks = await watch.events('shared', 'node', 'NodeWatched');
      const quiet = looks.flatMap(({ body }) => body.looks.submissions?.lists ?? []);
      expect(quiet.at(-1)?.list).toBe(0);
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

  it('refuses two settings that name the same node', () => {
    const settings = {
      nodes: [
        { id: 'one', url: 'http://127.0.0.1:7331' },
        { id: 'two', url: 'http://localhost:7331' },
      ],
      chains: [],
      poll: { floorMs: 500, ceilingMs: 2_000 },
      logBudget: 1e9,
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
