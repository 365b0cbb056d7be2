import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import type { RingRow } from '../../src/devnode/submission-ring.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { createDataSource } from '../../src/platform/database.js';
import { inTransaction } from '../../src/platform/sql.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { itHasRedis, QUEUE_BACKENDS } from '../support/queue-backends.js';
import { compareDumps, dumpReadModels, type ReadModelDump } from '../support/read-model-dump.js';
import { startTestRedis, type TestRedis } from '../support/redis.js';
import { auditRing, watchRing } from '../support/ring-truth.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';

/** How long processes are killed and Redis is flushed and stopped. */
const SECONDS = Number(process.env['HINDSIGHT_CHAOS_SECONDS'] ?? 10);

/** How long Redis is away: 20 s in a run of two minutes. */
const REDIS_AWAY_MS = Math.min(SECONDS / 6, 20) * 1_000;

/** The longest pause between two kills; the average is half of it. */
const LONGEST_PAUSE_MS = 4_000;

/** A process stops within this time after a signal, whatever Redis does. */
const STOP_LIMIT_MS = 5_000;

const PATIENCE_MS = (SECONDS + 180) * 1_000;

type Role = 'observer' | 'worker' | 'api';

describe('the chaos of queues', itHasRedis);

(QUEUE_BACKENDS.includes('redis') ? describe : describe.skip)(
  `two observers and two workers, killed again and again, on a Redis that fails (seed ${CHAOS_SEED})`,
  () => {
    const home = new ServiceHome();
    const random = seededRandom(CHAOS_SEED);
    const living: { role: Role; process: ServiceProcess }[] = [];
    const faults: string[] = [];
    let database: TestDatabase;
    let redis: TestRedis;
    let leader: Devnode;
    let follower: Devnode;
    let truth: readonly RingRow[];
    let api: ServiceProcess;
    let kills = 0;

    beforeAll(async () => {
      database = await startEmptyDatabase();
      redis = await startTestRedis(3);
      // Each DA block gets a submission of headers and one of data: five rows a second, twenty seconds of them in the list.
      leader = await startDevnode({ chainId: 'queues-1', blockTimeMs: 200, daBlockTimeMs: 400 });
      truth = watchRing(leader);
      follower = await startDevnode({ chainId: 'queues-1', follow: leader.url });
      api = launch('api');
      for (const role of ['observer', 'observer', 'worker', 'worker'] as const) launch(role);
      await Promise.all(living.map((one) => one.process.ready));
      await Promise.all([killAgainAndAgain('worker'), killAgainAndAgain('observer'), troubleRedis()]);
      await Promise.all(living.map((one) => one.process.ready));
      await settle();
    }, PATIENCE_MS);

    afterAll(async () => {
      await home.clear();
      await follower?.stop();
      await leader?.stop();
      await redis?.stop();
      await database?.stop();
    }, PATIENCE_MS);

    it(
      'have every row of the list once and in order, except rows in recorded gaps',
      async () => {
        const audit = await auditRing(api, 'leader', truth);
        expect(audit.faults).toEqual([]);
        expect(audit.rows.length + audit.missing.length).toBe(truth.length);
        console.info(`${kills} kills: ${audit.rows.length} rows recorded, ${audit.missing.length} lost`);
      },
      PATIENCE_MS,
    );

    it('have every block once', async () => {
      const head = String(leader.chain.head?.header.height);
      const { nodes } = await api.graphql<{ nodes: { id: string; blockCount: string }[] }>(
        '{ nodes { id blockCount } }',
      );
      expect(new Map(nodes.map(({ id, blockCount }) => [id, blockCount]))).toEqual(
        new Map([
          ['leader', head],
          ['follower', head],
        ]),
      );
    });

    it('neither end by themselves nor flood the log', () => {
      expect(faults).toEqual([]);
      for (const { process } of living) {
        const complaints = process.log
          .split('\n')
          .filter((line) => /"level":"(warn|error|fatal)"/.test(line));
        expect(complaints.slice(60)).toEqual([]);
      }
    });

    it(
      'stop within five seconds while Redis hangs',
      async () => {
        redis.hang();
        const asked = performance.now();
        const codes = await Promise.all(living.map((one) => one.process.kill('SIGTERM')));
        expect(performance.now() - asked).toBeLessThan(STOP_LIMIT_MS);
        expect(codes).toEqual(living.map(() => 0));
        redis.resume();
      },
      PATIENCE_MS,
    );

    it(
      'have the same statistics as a rebuilt record and rebuilt buckets',
      async () => {
        const place = { dataDir: home.dataDir, databaseUrl: database.url };
        const record = await dumpReadModels(place);
        // Everything recorded during shutdown is projected and marked by now.
        await compute({ all: false });
        const statistics = await dumpStatistics();
        expect(statistics.get('statistic')?.length).toBeGreaterThan(0);
        expect(statistics.get('block_statistic')?.length).toBeGreaterThan(0);
        expect(await home.run(['rebuild'], { databaseUrl: database.url })).toMatchObject({
          code: 0,
          error: '',
        });
        expect(compareDumps(record, await dumpReadModels(place))).toEqual([]);
        await compute({ all: true });
        expect(compareDumps(statistics, await dumpStatistics())).toEqual([]);
      },
      PATIENCE_MS,
    );

    it('count the rows of the list once in every bucket size', () =>
      withDatabase(async (dataSource) => {
        const sums = await dataSource.query<{ grain: number; of: string; attempts: string }[]>(
          `SELECT grain, CASE WHEN node_key = 0 THEN 'chain' ELSE 'node' END AS of, sum(attempts) AS attempts
             FROM statistic GROUP BY 1, 2 ORDER BY 1, 2`,
        );
        const [row] = await dataSource.query<{ count: bigint }[]>(
          'SELECT count(*) FROM submission WHERE node_key IS NOT NULL AND sequence IS NOT NULL',
        );
        const attempts = String(row?.count);
        expect(sums).toEqual(
          [0, 1, 2].flatMap((grain) => ['chain', 'node'].map((of) => ({ grain, of, attempts }))),
        );
      }));

    function launch(role: Role): ServiceProcess {
      const nodes = role === 'observer' ? [`leader=${leader.url}`, `follower=${follower.url}`] : [];
      const process = home.launch(
        ['start', '--role', role, '--port', '0', ...nodes.flatMap((node) => ['--node', node])],
        { databaseUrl: database.url, env: { REDIS_URL: redis.url } },
      );
      const one = { role, process };
      living.push(one);
      void process.exit.then(
        (code) => code && faults.push(`the ${role} ended by itself with ${code}:\n${process.log}`),
      );
      return process;
    }

    /** Kills one of the two processes of a role, and replaces it. */
    async function killAgainAndAgain(role: Role): Promise<void> {
      const end = performance.now() + SECONDS * 1_000;
      for (let killed = 0; performance.now() < end || killed < 2; killed += 1) {
        const candidates = living.filter((one) => one.role === role);
        const victim = candidates[Math.floor(random() * candidates.length)];
        if (victim === undefined) throw new Error(`there is no ${role}`);
        // Most processes live until they work; the others die during their start.
        if (random() < 0.7) await victim.process.ready;
        living.splice(living.indexOf(victim), 1);
        await victim.process.kill('SIGKILL');
        kills += 1;
        launch(role);
        await sleep(random() * LONGEST_PAUSE_MS);
      }
    }

    /** Flushes Redis, takes it away for a while with all its data, and flushes it again. */
    async function troubleRedis(): Promise<void> {
      await sleep(SECONDS * 200);
      await redis.flush();
      await sleep(SECONDS * 200);
      await redis.kill();
      await sleep(REDIS_AWAY_MS);
      await redis.revive();
      await sleep(SECONDS * 200);
      await redis.flush();
    }

    /** Stops the load, and waits until all of it is recorded, projected and computed. */
    async function settle(): Promise<void> {
      leader.faults.begin('halted');
      await waitFor('the DA layer to have it all', () =>
        leader.chain.getMetadata('d') === leader.chain.head?.header.height ? true : undefined,
      );
      const head = String(leader.chain.head?.header.height);
      await waitFor('the record to be whole', async () => {
        const { nodes, last } = await api.graphql<{
          nodes: { blockCount: string; inclusionFrontier: string | null }[];
          last: { nodes: { raw: unknown }[] };
        }>(`{
          nodes { blockCount inclusionFrontier }
          last: submissions(filter: { nodes: ["leader"] }, first: 1) { nodes { raw } }
        }`);
        const isLast = JSON.stringify(last.nodes[0]?.raw) === JSON.stringify(truth.at(-1));
        const isWhole = nodes.every(
          ({ blockCount, inclusionFrontier }) => blockCount === head && inclusionFrontier === head,
        );
        return (isLast && isWhole) || undefined;
      });
      await waitFor('the statistics to be whole', async () => {
        const response = await fetch(`${api.address}/health/ready`);
        const readiness = (await response.json()) as {
          statisticsBehindSeconds: number;
          queue: { state: string };
          projections: { behind: string }[];
        };
        const isWhole =
          readiness.statisticsBehindSeconds === 0 &&
          readiness.projections.every(({ behind }) => behind === '0');
        return (isWhole && readiness.queue.state === 'reachable') || undefined;
      });
    }

    async function dumpStatistics(): Promise<ReadModelDump> {
      return withDatabase(async (dataSource) => {
        const dump = new Map<string, string[]>();
        for (const table of ['statistic', 'block_statistic']) {
          const rows = await dataSource.query<{ row: string }[]>(
            `SELECT t::text AS row FROM ${table} t ORDER BY 1`,
          );
          dump.set(
            table,
            rows.map(({ row }) => row),
          );
        }
        return dump;
      });
    }

    /** Computes as a worker does: the marked parts, or everything. */
    function compute({ all }: { all: boolean }): Promise<void> {
      return withDatabase(async (dataSource) => {
        const rollUp = new RollUp(dataSource);
        if (all) {
          await dataSource.query('TRUNCATE statistic, block_statistic, roll_up_mark');
          await inTransaction(dataSource, (query) => rollUp.markAll(query));
        }
        await rollUp.run();
      });
    }

    async function withDatabase<T>(work: (dataSource: DataSource) => Promise<T>): Promise<T> {
      const dataSource = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
      try {
        return await work(dataSource);
      } finally {
        await dataSource.destroy();
      }
    }
  },
);
