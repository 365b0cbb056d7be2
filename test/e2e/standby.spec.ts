import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import type { RingRow } from '../../src/devnode/submission-ring.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { compareDumps, dumpReadModels } from '../support/read-model-dump.js';
import { auditRing, watchRing } from '../support/ring-truth.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

const PATIENCE_MS = 120_000;

const observes = ({ log }: ServiceProcess): boolean => log.includes('"msg":"observing"');
const standsBy = ({ log }: ServiceProcess): boolean => log.includes('standing by');

/** `command-line.spec.ts` tries two services on one data directory, where the second is refused. */
describe('two services on one database', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let node: Devnode;
  let truth: readonly RingRow[];
  let active: ServiceProcess;
  let standby: ServiceProcess;

  beforeAll(async () => {
    database = await startEmptyDatabase();
    node = await startDevnode({ chainId: 'standby-1', blockTimeMs: 100, daBlockTimeMs: 200 });
    truth = watchRing(node);
    // Both start at once: only one may migrate, and only one observe.
    const start = () => home.start(`dev=${node.url}`, { databaseUrl: database.url });
    const both = await Promise.all([start(), start()]);
    [active, standby] = await waitFor('one to observe and one to stand by', () => {
      const observing = both.find(observes);
      const waiting = both.find(standsBy);
      return observing && waiting && ([observing, waiting] as const);
    });
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await node?.stop();
    await database?.stop();
  }, PATIENCE_MS);

  it('observes with one service, and answers with both', async () => {
    expect([observes(active), standsBy(active)]).toEqual([true, false]);
    expect([observes(standby), standsBy(standby)]).toEqual([false, true]);
    await waitFor('twenty submissions', () => hasAtLeast(active, 20));
    await waitFor('twenty submissions', () => hasAtLeast(standby, 20));
  });

  it(
    'continues with the standby when the observing service is killed, with nothing lost or doubled',
    async () => {
      await active.kill('SIGKILL');
      await waitFor('the standby to take over', () => observes(standby) || undefined);
      const known = truth.length;
      await waitFor('more submissions', () => (truth.length > known + 20 ? true : undefined));
      await settle();
      const { faults, missing, losses } = await auditRing(standby, 'dev', truth);
      expect(faults).toEqual([]);
      // The list holds ten seconds of rows, and a standby notices within two: only rows from before the start may be missing.
      expect(losses.map(({ kind }) => kind)).toEqual(['BEFORE_START']);
      expect(missing.length).toBeLessThanOrEqual(Number(losses[0]?.maxLost ?? Infinity));
    },
    PATIENCE_MS,
  );

  it(
    'hands over when the observing service is stopped',
    async () => {
      node.faults.end('halted');
      const next = await home.start(`dev=${node.url}`, { databaseUrl: database.url });
      await waitFor('the new one to stand by', () => standsBy(next) || undefined);
      expect(await standby.kill('SIGTERM')).toBe(0);
      await waitFor('the new one to take over', () => observes(next) || undefined);
      standby = next;
      await settle();
      const { faults, losses } = await auditRing(standby, 'dev', truth);
      expect(faults).toEqual([]);
      expect(losses).toHaveLength(1);
      expect(await home.run(['verify'], { databaseUrl: database.url })).toMatchObject({ code: 0, error: '' });
    },
    PATIENCE_MS,
  );

  it(
    'has the same read models as a single process',
    async () => {
      expect(await standby.kill('SIGTERM')).toBe(0);
      const place = { dataDir: home.dataDir, databaseUrl: database.url };
      const before = await dumpReadModels(place);
      expect(before.get('submission')?.length).toBeGreaterThan(20);
      expect(await home.run(['rebuild'], { databaseUrl: database.url })).toMatchObject({
        code: 0,
        error: '',
      });
      expect(compareDumps(before, await dumpReadModels(place))).toEqual([]);
    },
    PATIENCE_MS,
  );

  async function hasAtLeast(service: ServiceProcess, count: number): Promise<true | undefined> {
    const { node: dev } = await service.graphql<{ node: { submissionCount: string } | null }>(
      '{ node(id: "dev") { submissionCount } }',
    );
    return Number(dev?.submissionCount ?? 0) >= count || undefined;
  }

  /** Stops the load, and waits until its last row is recorded. */
  async function settle(): Promise<void> {
    node.faults.begin('halted');
    await waitFor('the DA layer to have it all', () =>
      node.chain.getMetadata('d') === node.chain.head?.header.height ? true : undefined,
    );
    await waitFor('the last row', async () => {
      const { submissions } = await standby.graphql<{ submissions: { nodes: { raw: unknown }[] } }>(
        '{ submissions(filter: { nodes: ["dev"] }, first: 1) { nodes { raw } } }',
      );
      return JSON.stringify(submissions.nodes[0]?.raw) === JSON.stringify(truth.at(-1)) || undefined;
    });
  }
});
