import { setTimeout as sleep } from 'node:timers/promises';
import { startDaDevnode, type DaDevnode } from '../../src/devnode/da/da-devnode.js';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { toNamespace } from '../../src/domain/node-interface/namespace.js';
import { PATIENCE_MS, WatchedSystem } from '../support/watched-system.js';

interface Reconciled {
  readonly fromHeight: string;
  readonly toHeight: string;
  readonly feeMin: string;
  readonly feeMax: string | null;
  readonly topUpMin: string;
  readonly topUpMax: string | null;
  readonly differenceMin: string | null;
  readonly differenceMax: string;
  readonly agrees: boolean | null;
  readonly complete: boolean;
}

interface TruthLine {
  readonly what: string;
  readonly txHash: string;
  readonly account: string;
  readonly daHeight: string;
  readonly utia: string;
  readonly kind: string;
}

const PHASE_MS = 45_000;
/** A comparison ends at a balance that is two minutes old. */
const SETTLED_MS = 150_000;
const TOP_UP_UTIA = 5_000_000n;

/** The rig's own ledger knows no rule of the comparison. */
describe('an account with other spending, failed transactions and a top-up', () => {
  let da: DaDevnode;
  let node: Devnode;
  let world: WatchedSystem;
  const at: number[] = [];

  beforeAll(async () => {
    da = await startDaDevnode({ blockTimeMs: 2_000 });
    node = await startDevnode({
      chainId: 'ledger-1',
      blockTimeMs: 500,
      daUrl: da.url,
      daToken: da.tokens.write,
    });
    world = await WatchedSystem.start('DA_NODE', () => ({
      nodes: [{ id: 'alpha', rpc: node.url, daNode: { url: da.url, token: da.tokens.read } }],
      chains: [{ id: 'ledger-1', da: { gasPrice: 0.004 } }],
    }));
    await world.shows('healthy');
    const phase = async (work: () => Promise<unknown>): Promise<void> => {
      await work();
      await sleep(PHASE_MS);
      at.push(Date.now());
    };
    await phase(() => Promise.resolve());
    await phase(() => Promise.resolve());
    await phase(() => da.begin({ fault: 'second-sender' }));
    await phase(async () => {
      await da.end('second-sender');
      for (let made = 0; made < 3; made += 1) await da.send({ fail: {} });
    });
    await phase(() => da.send({ fund: { amount: TOP_UP_UTIA } }));
    await sleep(SETTLED_MS);
  }, 10 * PATIENCE_MS);

  afterAll(async () => {
    await world?.stop();
    await node?.stop();
    await da?.stop();
  }, PATIENCE_MS);

  const reconcile = async (from: number, to: number): Promise<Reconciled> => {
    const [start, end] = [at[from], at[to]].map((ms) => new Date(ms ?? 0).toISOString());
    const { reconciliation } = await world.service.graphql<{ reconciliation: Reconciled }>(
      `{ reconciliation(account: "${da.address}", from: "${start}", to: "${end}") { fromHeight toHeight feeMin feeMax
         topUpMin topUpMax differenceMin differenceMax agrees complete } }`,
    );
    return reconciliation;
  };

  /** What the account truly paid for anything but the rollup's submissions, and received, between two DA heights. */
  const truthOf = ({ fromHeight, toHeight }: Reconciled) => {
    const second = toNamespace('second sender');
    const lines = da.truthText
      .trim()
      .split('\n')
      .map((line) => ({ text: line, ...(JSON.parse(line) as TruthLine) }));
    const ofRollup = new Set(
      lines
        .filter(
          ({ what, kind, text }) => what === 'transaction' && kind === 'blobs' && !text.includes(second),
        )
        .map(({ txHash }) => txHash),
    );
    const moved = lines.filter(
      ({ what, account, daHeight, kind, txHash }) =>
        what === 'ledger' &&
        account === da.address &&
        kind !== 'genesis' &&
        !ofRollup.has(txHash) &&
        BigInt(daHeight) > BigInt(fromHeight) &&
        BigInt(daHeight) <= BigInt(toHeight),
    );
    const sum = (fits: (utia: bigint) => boolean): bigint =>
      moved.map(({ utia }) => BigInt(utia)).reduce((total, utia) => (fits(utia) ? total + utia : total), 0n);
    return { paid: -sum((utia) => utia < 0n), received: sum((utia) => utia > 0n) };
  };

  it.each([
    ['nothing but submissions', 0, 1, true],
    ['another sender', 1, 2, false],
    ['failed transactions', 2, 3, false],
  ])('is compared to the utia: %s', async (_, from, to, agrees) => {
    const found = await reconcile(from, to);
    const { paid, received } = truthOf(found);
    expect(found.complete).toBe(true);
    expect(received).toBe(0n);
    expect(paid > 0n).toBe(!agrees);
    expect(found).toMatchObject({
      feeMin: found.feeMax,
      topUpMin: '0',
      topUpMax: '0',
      differenceMin: String(paid),
      differenceMax: String(paid),
      agrees,
    });
  });

  it('gives the top-up by the fees that it hides', async () => {
    const found = await reconcile(3, 4);
    const { paid, received } = truthOf(found);
    expect([paid, received]).toEqual([0n, TOP_UP_UTIA]);
    expect(found).toMatchObject({
      topUpMin: String(TOP_UP_UTIA),
      topUpMax: String(TOP_UP_UTIA),
      differenceMin: '0',
      differenceMax: '0',
      agrees: true,
    });
  });
});
