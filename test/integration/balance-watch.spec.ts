import { startDaDevnode, type DaDevnode } from '../../src/devnode/da/da-devnode.js';
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

  it('have the height below the head, unless the head is so old that the DA node may be behind', async () => {
    const daNode = new DaNodeApi(http, clock, { url: node.url, token: async () => node.tokens.read });
    const heightAfter = async (ms: number): Promise<string | null | undefined> => {
      await clock.advance(ms);
      const watch = new BalanceWatch({ daNode, accounts: [], clock });
      watch.start(1, new AbortController().signal);
      for (;;) {
        const [balance] = watch.take({}, clock.now());
        if (balance) return balance.height;
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    };
    node.produce(4);
    expect(await heightAfter(0)).toBe(String(node.chain.head.height - 1n));
    expect(await heightAfter(59_000)).toBe(String(node.chain.head.height - 1n));
    expect(await heightAfter(2_000)).toBeNull();
    node.produce();
    expect(await heightAfter(0)).toBe(String(node.chain.head.height - 1n));
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
