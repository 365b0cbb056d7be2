import { startDaDevnode, type DaDevnode } from '../../src/devnode/da/da-devnode.js';
import { ConsensusApi } from '../../src/node-api/consensus-api.js';
import { DaNodeApi } from '../../src/node-api/da-node-api.js';
import {
  BalanceWatch,
  isNews,
  newestBalances,
  type KnownBalances,
} from '../../src/observe/systems/balance-watch.js';
import { HttpClient } from '../../src/platform/http.js';
import { ManualClock } from '../support/manual-clock.js';

describe('the balances of a DA node', () => {
  const clock = new ManualClock();
  const http = new HttpClient();
  let node: DaDevnode;

  beforeAll(async () => {
    node = await startDaDevnode({ blockTimeMs: 0, clock });
  });
  afterAll(async () => {
    await http.close();
    await node.stop();
  });

  /** The height of the balance that is read after some time. @param hasConsensus whether a consensus node is named, too */
  const heightAfter = async (ms: number, hasConsensus = false) => {
    await clock.advance(ms);
    const api = new ConsensusApi(http, { url: node.consensusUrl });
    const head = hasConsensus ? await api.head() : undefined;
    const watch = new BalanceWatch({
      daNode: new DaNodeApi(http, clock, { url: node.url, token: async () => node.tokens.read }),
      consensus: api,
      accounts: [],
      clock,
    });
    watch.start(1, head?.ok ? head.value : undefined, new AbortController().signal);
    for (;;) {
      const [balance] = watch.take({}, clock.now());
      if (balance) return balance.height;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  };

  it('have the height below the head, unless the head is so old that the DA node may be behind', async () => {
    node.produce(4);
    expect(await heightAfter(0)).toBe(String(node.chain.head.height - 1n));
    expect(await heightAfter(59_000)).toBe(String(node.chain.head.height - 1n));
    expect(await heightAfter(2_000)).toBeNull();
    node.produce();
    expect(await heightAfter(0)).toBe(String(node.chain.head.height - 1n));
  });

  it('have the height of the consensus node, unless its head is old', async () => {
    node.produce();
    expect(await heightAfter(0, true)).toBe(String(node.chain.head.height));
    expect(await heightAfter(61_000, true)).toBeNull();
  });

  it('are left out where they may be of an earlier height than one that is known', () => {
    const balance = (amount: string, height: string | null) => ({ account: 'a', amount, height, detail: '' });
    const taken = (height: string | null, before: string | null, ms = 1_000): boolean =>
      isNews(balance('100', height), { ...balance('90', before), at: 0 }, ms);
    expect([taken('11', '10'), taken('10', '10'), taken('7', null), taken(null, null)]).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect([taken('9', '10'), taken(null, '10')]).toEqual([false, false]);
    // Once an hour every balance counts: a DA chain may begin again.
    expect(taken('9', '10', 3_600_000)).toBe(true);
  });

  it('are remembered of the twenty accounts that were read last', () => {
    const read = (index: number) => [{ account: `celestia1${index}`, amount: '7', height: null, detail: '' }];
    let known: KnownBalances = {};
    for (let index = 0; index < 25; index += 1) known = newestBalances(known, read(index), index);
    known = newestBalances(known, read(5), 30);
    expect(Object.keys(known)).toHaveLength(20);
    expect(known['celestia15']).toMatchObject({ at: 30 });
    expect(known['celestia14']).toBeUndefined();
  });
});
