import { execFileSync } from 'node:child_process';
import type { DataSource } from 'typeorm';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import type { RingRow } from '../../src/devnode/submission-ring.js';
import { createDataSource } from '../../src/platform/database.js';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { startHostileCrowd } from '../support/hostile-crowd.js';
import type { Hostile } from '../support/hostile-kinds/hostile.js';
import { until, untilGrown } from '../support/hostile-nodes.js';
import { countRing, readRingStatistics } from '../support/ring-statistics.js';
import { auditRing, watchRing } from '../support/ring-truth.js';
import { ServiceHome, type ServiceProcess } from '../support/service-process.js';

/** Rows that the good node's list gets next to the hostile nodes: more than it holds. */
const ENOUGH_ROWS = 150;
/** Answers of each hostile node before the run ends: the node with huge answers has two kinds of them. */
const ENOUGH_ANSWERS = 2;
/** Blocks made at once during the run, each with two rows. */
const BURST = 10;
const CHAIN = 'good-1';
/** The amount that a node may write before it is polled less often; the node with huge answers soon exceeds it. */
const LOG_BUDGET = '100MB';
/** The service's memory limit, whatever the nodes send. */
const MOST_RESIDENT_KB = 1_000_000;
/** Evidence in the log that each hostile node was met: an event of a type in its stream. */
const MET: readonly string[] = [
  'packed/submissions SubmissionsObserved',
  'endless/submissions SubmissionSourceChanged',
  'huge/submissions SubmissionsObserved',
  'odd/submissions SubmissionsObserved',
  'heights/blocks BlocksPruned',
  'heights/blocks BlockUnreadable',
  'stale/submissions SubmissionsObserved',
  'impostor/blocks BlocksObserved',
  'balanced/submissions SubmissionsObserved',
  'damaged/submissions SubmissionsObserved',
  'dead/submissions SubmissionSourceChanged',
];
/** This limit is reached only if the service stops altogether. */
const PATIENCE_MS = 600_000;

describe(`a good node among ten hostile ones (seed ${CHAOS_SEED})`, () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;
  let good: Devnode;
  let truth: readonly RingRow[];
  let crowd: ReadonlyMap<string, Hostile> = new Map();
  let service: ServiceProcess;
  let mostResidentKb = 0;
  const unhandled: unknown[] = [];
  const onUnhandled = (reason: unknown): number => unhandled.push(reason);
  const run = (command: string) =>
    home.run([command], { databaseUrl: database.url, env: { HINDSIGHT_LOG_LEVEL: 'silent' } });

  beforeAll(async () => {
    process.on('unhandledRejection', onUnhandled);
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
    good = await startDevnode({ chainId: CHAIN, blockTimeMs: 250, daBlockTimeMs: 400 });
    truth = watchRing(good);
    crowd = await startHostileCrowd(CHAIN, CHAOS_SEED);
    const nodes = [...[...crowd].map(([id, { url }]) => `${id}=${url}`), `good=${good.url}`];
    const flags = nodes.flatMap((node) => ['--node', node]);
    service = home.launch(['start', ...flags, '--port', '0', '--log-budget', LOG_BUDGET], {
      databaseUrl: database.url,
    });
    await service.ready;
    await liveThrough();
  }, PATIENCE_MS);

  afterAll(async () => {
    process.off('unhandledRejection', onUnhandled);
    await home.clear();
    await Promise.all([...crowd.values()].map((node) => node.close()));
    await good?.stop();
    await dataSource?.destroy();
    await database?.stop();
  }, PATIENCE_MS);

  it('has every row of its list once and in order, and lost only rows from before the start', async () => {
    const { faults, missing, rows, losses } = await auditRing(service, 'good', truth, CHAIN);
    expect(faults).toEqual([]);
    expect(missing).toEqual([]);
    expect(rows).toHaveLength(truth.length);
    expect(losses.map(({ kind }) => kind)).toEqual(['BEFORE_START']);
  });

  it.each(['HOUR', 'DAY'] as const)('has the statistics of its list by %s', async (bucket) => {
    expect(await readRingStatistics(service, 'good', bucket)).toEqual(countRing(truth, bucket));
  });

  it('has its blocks without a gap, and proof of each success', async () => {
    const head = String(good.chain.head?.header.height);
    const { node } = await service.graphql<{ node: object }>(
      '{ node(id: "good") { chain head blockCount inclusionFrontier } }',
    );
    expect(node).toEqual({ chain: CHAIN, head, blockCount: head, inclusionFrontier: head });
    const { rows } = await auditRing(service, 'good', truth, CHAIN);
    const unproven = rows.filter(({ status, evidence }) => status === 'SUCCESS' && evidence !== 'CONFIRMED');
    expect(unproven).toEqual([]);
  });

  it('has every read model at the end of the log', async () => {
    const [log] = await dataSource.query<{ end: bigint }[]>('SELECT max(position) AS "end" FROM event');
    const behind = (): Promise<{ name: string }[]> =>
      dataSource.query('SELECT name FROM projection_checkpoint WHERE position < $1', [log?.end]);
    await untilGrown(async () => ((await behind()).length === 0 ? 1 : 0), 1, questions);
    const reached = await dataSource.query<{ name: string }[]>(
      'SELECT name FROM projection_checkpoint ORDER BY name',
    );
    expect(reached.map(({ name }) => name)).toEqual(Object.keys(PROJECTION_FACTORIES).toSorted());
  });

  it('was not alone, not even in its chain', async () => {
    const seen = await dataSource.query<{ fact: string }[]>(
      "SELECT DISTINCT stream || ' ' || type AS fact FROM event",
    );
    const facts = new Set(seen.map(({ fact }) => fact));
    expect(MET.filter((fact) => !facts.has(fact))).toEqual([]);
    const lists = await dataSource.query<{ list: string }[]>(
      `SELECT DISTINCT body->>'source' AS list FROM event
        WHERE stream = 'balanced/submissions' AND type = 'SubmissionsObserved'`,
    );
    expect(lists.length).toBeGreaterThan(1);
    const { node } = await service.graphql<{ node: object }>('{ node(id: "impostor") { chain } }');
    expect(node).toEqual({ chain: CHAIN });
  });

  it('continues all the time, in bounded memory', () => {
    expect(service.log).not.toMatch(/"level":60|unexpected failure/);
    expect(unhandled).toEqual([]);
    expect(mostResidentKb).toBeGreaterThan(0);
    expect(mostResidentKb).toBeLessThan(MOST_RESIDENT_KB);
  });

  it(
    'ends within 5 s, and leaves a log that verifies and that every read model could process',
    async () => {
      const asked = performance.now();
      expect(await service.kill('SIGTERM')).toBe(0);
      expect(performance.now() - asked).toBeLessThan(5_000);
      expect(await run('verify')).toMatchObject({ code: 0, error: '' });
      const nothing = { code: 0, out: expect.stringContaining('No dead letters') };
      expect(await run('faults')).toMatchObject(nothing);
      console.info(`${truth.length} rows, at most ${Math.round(mostResidentKb / 1_000)} MB of memory`);
    },
    PATIENCE_MS,
  );

  /** Lets the good node make its rows, including failed rows and a burst, while the others answer; then halts it. */
  async function liveThrough(): Promise<void> {
    await untilRecorded(ENOUGH_ROWS / 3);
    good.faults.begin('down');
    const failed = (): number => truth.filter(({ status_code }) => status_code !== 'Success').length;
    await until(() => failed() > 2);
    good.faults.end('down');
    good.burst(BURST);
    await untilRecorded(ENOUGH_ROWS);
    for (const [id, { asked }] of crowd) {
      if (asked) await untilGrown(() => Promise.resolve(asked()), ENOUGH_ANSWERS, questions);
      else await untilGrown(async () => ((await isUnreachable(id)) ? 1 : 0), 1, questions);
    }
    good.faults.begin('halted');
    await until(() => good.chain.getMetadata('d') === good.chain.head?.header.height);
    await untilRecorded(truth.length);
    const head = Number(good.chain.head?.header.height);
    await untilGrown(async () => Number((await tell()).inclusionFrontier ?? 0), head, questions);
    await untilGrown(async () => ((await marks()) === 0 ? 1 : 0), 1, questions);
  }

  function untilRecorded(rows: number): Promise<void> {
    return untilGrown(async () => Number((await tell()).submissionCount), rows, questions);
  }

  async function tell(): Promise<{ submissionCount: string; inclusionFrontier: string | null }> {
    measure();
    const told = await ask<{ good: { submissionCount: string; inclusionFrontier: string | null } | null }>(
      '{ good: node(id: "good") { submissionCount inclusionFrontier } }',
    );
    return told?.good ?? { submissionCount: '0', inclusionFrontier: null };
  }

  /** The steps by which patience is counted: the service's requests to the counting nodes. */
  function questions(): number {
    measure();
    return [...crowd.values()].reduce((sum, { asked }) => sum + (asked?.() ?? 0), 0);
  }

  async function isUnreachable(id: string): Promise<boolean> {
    const told = await ask<{ availability: { state: string }[] }>(
      'query ($id: ID!) { availability(node: $id) { state } }',
      { id },
    );
    return told?.availability.some(({ state }) => state === 'UNREACHABLE') ?? false;
  }

  /** Undefined if the service says to retry later, as it may next to such a crowd on a slow machine. */
  async function ask<Data>(query: string, variables?: Record<string, unknown>): Promise<Data | undefined> {
    try {
      return await service.graphql<Data>(query, variables);
    } catch (error) {
      if (String(error).includes('"code":"UNAVAILABLE"')) return undefined;
      throw error;
    }
  }

  /** Quarter hours of the good node whose figures must be computed again. */
  async function marks(): Promise<number> {
    const [row] = await dataSource.query<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM roll_up_mark JOIN node USING (node_key) WHERE node.id = 'good'`,
    );
    return row?.count ?? 0;
  }

  function measure(): void {
    const text = execFileSync('ps', ['-o', 'rss=', '-p', String(service.pid)], { encoding: 'utf8' });
    mostResidentKb = Math.max(mostResidentKb, Number(text));
  }
});
