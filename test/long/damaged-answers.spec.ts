import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { startDamagingProxy, type DamagingProxy } from '../support/damaging-proxy.js';
import { HostileWatch, startGoodNode, untilGrown } from '../support/hostile-nodes.js';
import { seededRandom } from '../support/seeded-random.js';

/** Number of damaged answers before the run ends. */
const ENOUGH = Number(process.env['HINDSIGHT_DAMAGED_ANSWERS'] ?? 60);
/** Shares of damaged answers of two nodes: one sends mostly nonsense, and one is believed for a while. */
const SHARES = [0.5, 0.1];
/** This limit is reached only if the service stops altogether. */
const PATIENCE_MS = 600_000;

describe(`nodes whose answers are damaged at random, next to a well-behaved node (seed ${CHAOS_SEED})`, () => {
  const devnodes: Devnode[] = [];
  const proxies: DamagingProxy[] = [];
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): number => unhandled.push(reason);
  let watch: HostileWatch;
  let good: Devnode;

  beforeAll(async () => {
    process.on('unhandledRejection', onUnhandled);
    watch = await HostileWatch.open();
    good = await startGoodNode();
    for (const [index, share] of SHARES.entries()) {
      const node = await startDevnode({ chainId: `damaged-${index}`, blockTimeMs: 100, daBlockTimeMs: 200 });
      devnodes.push(node);
      proxies.push(await startDamagingProxy(node.url, share, seededRandom(CHAOS_SEED + index)));
      await price(`damaged-${index}`);
    }
    await price('good-1');
    const urls = proxies.map(({ url }, index) => [`damaged-${index}`, url]);
    await watch.watch({ good: good.url, ...Object.fromEntries(urls) });
    const sum = (countOf: (proxy: DamagingProxy) => number): number =>
      proxies.reduce((total, proxy) => total + countOf(proxy), 0);
    await untilGrown(
      () => Promise.resolve(sum((proxy) => proxy.damaged())),
      ENOUGH,
      () => sum((proxy) => proxy.asked()),
    );
    await watch.seesProgressOf('good', good);
  }, PATIENCE_MS);

  afterAll(async () => {
    process.off('unhandledRejection', onUnhandled);
    await watch?.close();
    await Promise.all(proxies.map((proxy) => proxy.close()));
    await Promise.all([...devnodes, good].map((node) => node?.stop()));
  }, PATIENCE_MS);

  it(
    'lose nothing of the well-behaved node',
    async () => {
      expect(await watch.recordOf('good', good)).toEqual({ faults: [] });
      await watch.stopWatching();
    },
    PATIENCE_MS,
  );

  it(
    'leave a log that verifies, and that every read model reads to its end',
    async () => {
      await watch.project();
      const end = await watch.store.lastPosition();
      const reached = await watch.dataSource.query<{ name: string; position: bigint }[]>(
        'SELECT name, position FROM projection_checkpoint ORDER BY name',
      );
      const names = Object.keys(PROJECTION_FACTORIES).toSorted();
      expect(reached).toEqual(names.map((name) => ({ name, position: end })));
      expect(await watch.dataSource.query('SELECT * FROM projection_fault')).toEqual([]);
    },
    PATIENCE_MS,
  );

  it(
    'leave figures for all of them',
    async () => {
      await new RollUp(watch.dataSource).run();
      expect(await watch.dataSource.query('SELECT * FROM roll_up_mark')).toEqual([]);
      expect(await watch.dataSource.query('SELECT * FROM roll_up_fault')).toEqual([]);
      const chains = await watch.dataSource.query<{ chain: string; attempts: string }[]>(
        `SELECT chain, sum(attempts) AS attempts FROM statistic
          WHERE node_key = 0 AND grain = 0 AND chain = 'good-1' GROUP BY chain`,
      );
      expect(chains).toEqual([{ chain: 'good-1', attempts: String((await watch.rows('good')).length) }]);
    },
    PATIENCE_MS,
  );

  it('cause no unhandled rejection', () => {
    expect(unhandled).toEqual([]);
  });

  /** Sets prices of all kinds, so that reported numbers are also multiplied. */
  async function price(chain: string): Promise<void> {
    const entries = [
      { effectiveFrom: null, subject: 'GAS_PRICE' as const, value: { utia: '0.004' } },
      { effectiveFrom: null, subject: 'FIAT_RATE' as const, value: { unit: 'EUR', perTia: '4.1' } },
    ];
    const event = { type: 'PriceSet' as const, observedAt: Date.now(), body: { entries, source: 'test' } };
    await watch.store.append({ stream: `${chain}/operator`, expectedVersion: 0n, events: [event] });
  }
});
