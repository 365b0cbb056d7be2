import { setTimeout as sleep } from 'node:timers/promises';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import type { RingRow } from '../../src/devnode/submission-ring.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { compareDumps, dumpReadModels } from '../support/read-model-dump.js';
import { auditRing, watchRing } from '../support/ring-truth.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

/** How long the service is killed repeatedly. */
const SECONDS = Number(process.env['HINDSIGHT_CHAOS_SECONDS'] ?? 3);

/** The longest time from start to kill, short enough to also hit migrations, backfill and the first polls. */
const LONGEST_LIFE_MS = 3_000;

/** Blocks made at once between two lives of the service: two rows each, more than the list holds. */
const BURST = 60;

const PATIENCE_MS = (SECONDS + 240) * 1_000;

const BLOCKS = `query ($id: ID!, $after: String) {
  blocks(filter: { nodes: [$id] }, order: HEIGHT_ASC, first: 1000, after: $after) {
    nodes { height hash headerDaHeight checks { link hash signature proposer data } } pageInfo { hasNextPage endCursor }
  }
}`;

interface BlockRow {
  readonly height: string;
  readonly hash: string;
  readonly headerDaHeight: string | null;
  readonly checks: Record<string, string>;
}

/** Runs on the server of DATABASE_URL, or on the embedded server, which keeps running after each kill. */
describe(`a service that is killed repeatedly (seed ${CHAOS_SEED})`, () => {
  const home = new ServiceHome();
  let database: TestDatabase | undefined;
  let node: Devnode;
  let truth: readonly RingRow[];
  let service: ServiceProcess;
  let kills = 0;
  const launch = (): ServiceProcess =>
    home.launch(['start', '--node', `dev=${node.url}`, '--port', '0'], { databaseUrl: database?.url });
  const runCommand = (...args: string[]) => home.run(args, { databaseUrl: database?.url });
  const dump = () => dumpReadModels({ dataDir: home.dataDir, databaseUrl: database?.url });

  beforeAll(async () => {
    if (process.env['DATABASE_URL']) database = await startEmptyDatabase();
    // Each DA block gets a submission of headers and one of data: ten rows a second.
    node = await startDevnode({ chainId: 'chaos-1', blockTimeMs: 100, daBlockTimeMs: 200 });
    truth = watchRing(node);
    await killAgainAndAgain();
    service = launch();
    await service.ready;
    await settle();
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await node?.stop();
    await database?.stop();
  }, PATIENCE_MS);

  it(
    'has every row of the list once and in order, except rows in recorded gaps',
    async () => {
      const { faults, rows, missing, losses } = await auditRing(service, 'dev', truth);
      expect(faults).toEqual([]);
      expect(rows.length + missing.length).toBe(truth.length);
      expect(rows.length).toBeGreaterThan(SECONDS);
      console.info(
        `${kills} kills: ${rows.length} rows recorded, ${missing.length} lost, losses:`,
        losses.map(({ kind, minLost, maxLost }) => `${kind} ${minLost}..${maxLost ?? ''}`).join(', '),
      );
      // The bursts and restarts of the node did lose rows. The kind of gap depends on when the service is back: a ring that is
      // full again looks the same after both.
      const kinds = losses.map(({ kind }) => kind);
      expect(kinds).toContain('BEFORE_START');
      expect(kinds.filter((kind) => kind === 'OVERFLOW' || kind === 'RESET').length).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );

  it(
    'has every block once, all checks passed',
    async () => {
      const blocks = await service.readAll<BlockRow>(BLOCKS, { id: 'dev' });
      const head = Number(node.chain.head?.header.height);
      expect(blocks.map(({ height, hash }) => [height, hash])).toEqual(
        Array.from({ length: head }, (_, index) => [
          String(index + 1),
          node.chain.findStored(BigInt(index + 1))?.hash,
        ]),
      );
      expect(blocks.filter(({ headerDaHeight }) => headerDaHeight === null)).toEqual([]);
      expect(blocks.filter(({ checks }) => Object.values(checks).includes('FAILED'))).toEqual([]);
    },
    PATIENCE_MS,
  );

  it.each(['DA', 'NODE'])('has a health history of %s without gaps', async (component) => {
    const { healthHistory } = await service.graphql<{ healthHistory: { from: string; to: string | null }[] }>(
      `query ($component: HealthComponent!) { healthHistory(node: "dev", component: $component) { from to } }`,
      { component },
    );
    expect(healthHistory.length).toBeGreaterThan(0);
    expect(healthHistory.slice(0, -1).map(({ to }) => to)).toEqual(
      healthHistory.slice(1).map(({ from }) => from),
    );
    expect(healthHistory.at(-1)?.to).toBeNull();
  });

  it(
    'passes verification',
    async () => {
      expect(await runCommand('verify')).toMatchObject({ code: 0, error: '' });
    },
    PATIENCE_MS,
  );

  it(
    'has read models that a rebuild reproduces row for row, also after a rebuild during recording',
    async () => {
      const known = truth.length;
      node.faults.end('halted');
      await waitFor('submissions', () => (truth.length > known + 10 ? true : undefined));
      const interrupted = home.launch(['rebuild'], { databaseUrl: database?.url });
      await waitFor('a part of the rebuild', () => interrupted.output.includes('Rebuilt') || undefined);
      await interrupted.kill('SIGKILL');
      expect(await runCommand('rebuild')).toMatchObject({ code: 0, error: '' });
      await settle();
      const { faults, unproven } = await auditRing(service, 'dev', truth);
      expect(faults).toEqual([]);
      // By now earlier blocks have proven every lost success.
      expect(unproven).toEqual([]);
      expect(await service.kill('SIGTERM')).toBe(0);
      const before = await dump();
      expect(await runCommand('rebuild')).toMatchObject({ code: 0, error: '' });
      expect(compareDumps(before, await dump())).toEqual([]);
    },
    PATIENCE_MS,
  );

  async function killAgainAndAgain(): Promise<void> {
    const random = seededRandom(CHAOS_SEED);
    const end = performance.now() + SECONDS * 1_000;
    while (performance.now() < end || kills < 3) {
      const victim = launch();
      // Also on a slow machine, the first lives see the list, then the losses of a burst and of a restart of the node.
      const isPatient = kills < 3 || random() < 0.6;
      const early = await Promise.race([
        isPatient ? hasLooked(victim) : undefined,
        victim.exit.then(() => victim.log),
      ]);
      if (early !== undefined) throw new Error(`the service ended by itself:\n${early}`);
      await sleep(random() * LONGEST_LIFE_MS);
      await victim.kill('SIGKILL');
      kills += 1;
      if (kills % 4 === 1) node.burst(BURST);
      if (kills % 4 === 2) await node.restart();
    }
  }

  /** Waits until a poll of the list in this life of the service is recorded. */
  async function hasLooked(victim: ServiceProcess): Promise<undefined> {
    const launchedAt = new Date().toISOString();
    await victim.ready;
    await waitFor('a look', async () => {
      const { dev } = await victim.graphql<{ dev: { lastSeenAt: string | null } | null }>(
        '{ dev: node(id: "dev") { lastSeenAt } }',
      );
      return (dev?.lastSeenAt ?? '') > launchedAt ? true : undefined;
    });
    return undefined;
  }

  /** Stops the load, and waits until all of it is recorded and projected. */
  async function settle(): Promise<void> {
    node.faults.begin('halted');
    await waitFor('the DA layer to have it all', () =>
      node.chain.getMetadata('d') === node.chain.head?.header.height ? true : undefined,
    );
    const head = String(node.chain.head?.header.height);
    await waitFor('the record to be whole', async () => {
      const { dev, last } = await service.graphql<{
        dev: { blockCount: string; inclusionFrontier: string | null };
        last: { nodes: { raw: unknown }[] };
      }>(`{
        dev: node(id: "dev") { blockCount inclusionFrontier }
        last: submissions(filter: { nodes: ["dev"] }, first: 1) { nodes { raw } }
      }`);
      const isLast = JSON.stringify(last.nodes[0]?.raw) === JSON.stringify(truth.at(-1));
      return isLast && dev.blockCount === head && dev.inclusionFrontier === head ? true : undefined;
    });
  }
});
