import { startDaDevnode, type DaDevnode } from '../../src/devnode/da/da-devnode.js';
import { ConsensusApi } from '../../src/node-api/consensus-api.js';
import { DaNodeApi } from '../../src/node-api/da-node-api.js';
import { BalanceWatch, newestBalances, type KnownBalances } from '../../src/observe/systems/balance-watch.js';
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

  const CHAIN = 'devnode-da-1';
  /** The height of the balance that is read after some time. @param consensus whether a consensus node is named, too */
  const heightAfter = async (ms: number, daChain = CHAIN, consensus = false) => {
    await clock.advance(ms);
    const watch = new BalanceWatch({
      daNode: new DaNodeApi(http, clock, { url: node.url, token: async () => node.tokens.read }),
      ...(consensus && { consensus: new ConsensusApi(http, { url: node.consensusUrl }) }),
      accounts: [],
      clock,
    });
    watch.start({ everyMs: 1, daChain }, new AbortController().signal);
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

  it('have the height of the consensus node, unless that is of another chain or its head is old', async () => {
    node.produce();
    const { height } = node.chain.head;
    expect(await heightAfter(0, CHAIN, true)).toBe(String(height));
    expect(await heightAfter(0, 'mocha-4', true)).toBe(String(height - 1n));
    expect(await heightAfter(61_000, CHAIN, true)).toBeNull();
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
