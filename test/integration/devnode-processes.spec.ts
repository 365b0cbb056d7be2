import { startDaDevnode, type DaDevnode } from '../../src/devnode/da/da-devnode.js';
import { commitmentOf } from '../../src/devnode/da/da-transaction.js';
import type { DevnodeOptions } from '../../src/devnode/devnode-options.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import {
  startExecutionDevnode,
  type ExecutionDevnode,
} from '../../src/devnode/execution/execution-devnode.js';
import { nextAppHash } from '../../src/devnode/block-factory.js';
import { sendRaw } from '../support/recorded-exchanges.js';

describe('a devnode that posts through a DA node and executes on an execution layer', () => {
  let da: DaDevnode;
  let execution: ExecutionDevnode;
  let node: Devnode;

  beforeEach(async () => {
    da = await startDaDevnode({ blockTimeMs: 100 });
    execution = await startExecutionDevnode();
  });

  async function start(options: Partial<DevnodeOptions> = {}): Promise<void> {
    node = await startDevnode({
      chainId: 'test-1',
      blockTimeMs: 50,
      daUrl: da.url,
      daToken: da.tokens.write,
      execution: execution.url,
      ...options,
    });
  }
  afterEach(() => Promise.all([node.stop(), da.stop(), execution.stop()]));

  async function until(isReached: () => boolean): Promise<void> {
    while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 20));
  }
  const messages = (): (string | undefined)[] => node.ring.list().map(({ message }) => message);
  const included = (): bigint => node.chain.getMetadata('d') ?? 0n;
  const balanceOf = (account: string): bigint => da.chain.ledger.balanceOf(account, da.chain.head.height);
  const payments = (): { readonly feeUtia: number; readonly daHeight: number }[] =>
    da.truthText
      .split('\n')
      .filter((line) => line.includes('"kind":"blobs"'))
      .map((line) => JSON.parse(line) as { feeUtia: number; daHeight: number });

  it('pays for each submission, and has the states of the execution layer', async () => {
    await start();
    await until(() => included() >= 10n);
    for (let height = 1n; height <= 10n; height += 1n) {
      const block = node.chain.find(height);
      expect(block?.header.appHash).toBe(execution.chain.find(height - 1n)?.stateRoot);
    }
    const row = node.ring.list().find(({ status_code }) => status_code === 'Success');
    const path = `/da/blob?id=${row?.blob_ids?.[0]}`;
    const blob = await sendRaw(node.url, { method: 'GET', path, headers: {}, body: '' });
    expect(blob.status).toBe(200);
    const { content } = JSON.parse(blob.body) as { content: string };
    const commitment = commitmentOf(row?.namespace ?? '', Buffer.from(content, 'hex'));
    expect(row?.blob_ids?.[0]?.slice(-64)).toBe(commitment);
    await node.stop();
    await until(() => da.chain.waiting === 0);
    const posts = payments();
    const spent = posts.reduce((sum, { feeUtia }) => sum + feeUtia, 0);
    expect(balanceOf(da.address)).toBe(100_000_000n - BigInt(spent));
    const successes = node.ring.list().filter(({ status_code }) => status_code === 'Success');
    expect(posts.map(({ daHeight }) => daHeight)).toEqual(
      expect.arrayContaining(successes.map(({ height }) => height)),
    );
    const { head } = node.chain;
    if (!head) throw new Error('The node has no block.');
    expect(execution.chain.find(head.header.height)?.stateRoot).toBe(nextAppHash(head));
  });

  it('has its fees paid by the account that the settings name', async () => {
    const sponsor = da.addressOf('sponsor');
    await da.send({ fund: { account: sponsor, amount: 50_000_000n } });
    await start({ daFeeGranter: sponsor });
    await until(() => included() >= 3n);
    expect(balanceOf(da.address)).toBe(100_000_000n);
    expect(balanceOf(sponsor)).toBeLessThan(50_000_000n);
  });

  it("lists the DA node's refusals in its words", async () => {
    await start();
    await until(() => included() >= 1n);
    await da.send({ drain: { leave: 100n } });
    await until(() => messages().some((text) => /insufficient funds/.test(text ?? '')));
    expect(messages().find((text) => /insufficient funds/.test(text ?? ''))).toMatch(
      /^failed to submit blobs: broadcast tx error: hash [0-9A-F]{64} error: spendable balance 100utia is smaller than \d+utia: insufficient funds: insufficient funds code: 5$/,
    );
    await da.begin({ fault: 'token-weak' });
    await until(
      () => messages()[0] === "failed to submit blobs: missing permission to invoke 'Submit' (need 'write')",
    );
    await da.begin({ fault: 'stopped' });
    await until(() => messages()[0] === 'failed to submit blobs: handler: websocket connection closed');
    await da.end();
    await da.send({ fund: { amount: 1_000_000n } });
    const before = included();
    await until(() => included() > before);
  });

  it('makes no block while its execution layer is stopped, and replays what a restored one lacks', async () => {
    await start({ executionPatienceMs: 100 });
    await until(() => node.chain.headHeight >= 6n);
    await execution.begin({ fault: 'stopped' });
    const height = node.chain.headHeight;
    const { head } = da.chain;
    await until(() => da.chain.head.height > head.height + 2n);
    expect(node.chain.headHeight - height).toBeLessThanOrEqual(1n);
    await execution.end();
    await until(() => node.chain.headHeight > height + 2n);
    execution.rollBack(4);
    await node.stopsItself;
    expect(node.stoppedItself).toMatch(/^failed to get block at height \d+: not found$/);
    expect(node.isUp).toBe(false);
    const stopped = node.chain.headHeight;
    await node.start();
    await until(() => node.chain.headHeight > stopped);
    expect(execution.chain.head.number).toBeGreaterThan(stopped);
  });
});
