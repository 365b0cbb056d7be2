import { startDevnode, type Devnode } from '../../src/devnode/devnode.js';
import { startEmptyDatabase, type TestDatabase } from '../support/database.js';
import { PgBouncer } from '../support/pgbouncer.js';
import { hasProgram, itHasProgram } from '../support/programs.js';
import { ServiceHome, waitFor } from '../support/service-process.js';

const PATIENCE_MS = 180_000;

describe('a connection pooler in front of the database', () => {
  const home = new ServiceHome();
  const bouncers: PgBouncer[] = [];
  let database: TestDatabase;
  let node: Devnode;

  const pool = async (mode: 'session' | 'transaction'): Promise<string> => {
    const bouncer = await PgBouncer.start(database.url, mode);
    bouncers.push(bouncer);
    return bouncer.url;
  };

  beforeAll(async () => {
    database = await startEmptyDatabase();
    node = await startDevnode({ chainId: 'pooled-1', blockTimeMs: 200, daBlockTimeMs: 400 });
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    for (const bouncer of bouncers) await bouncer.stop();
    await node?.stop();
    await database?.stop();
  }, PATIENCE_MS);

  itHasProgram('pgbouncer');

  const itIf = hasProgram('pgbouncer') ? it : it.skip;

  itIf(
    'is refused if each transaction gets another session',
    async () => {
      const databaseUrl = await pool('transaction');
      const start = ['start', '--node', node.url, '--port', '0'];
      for (const [args, options] of [
        [start, { databaseUrl }],
        [['migrate'], { databaseUrl }],
        [start, { databaseUrl: database.url, env: { DATABASE_READ_URL: databaseUrl } }],
      ] as const) {
        const { code, error } = await home.run(args, options);
        expect(error).toContain('gives each transaction another session');
        expect(error).toContain('pool_mode = session');
        expect(code).toBe(1);
      }
    },
    PATIENCE_MS,
  );

  itIf(
    'changes nothing if it keeps sessions: the service records, rolls up, and does jobs',
    async () => {
      const service = await home.start(`dev=${node.url}`, { databaseUrl: await pool('session') });
      await waitFor('statistics', async () => {
        const { statistics } = await service.graphql<{ statistics: { attempts: string }[] }>(
          '{ statistics(filter: { chains: ["pooled-1"] }, bucket: DAY) { attempts } }',
        );
        return statistics.find(({ attempts }) => Number(attempts) > 0);
      });
      const { recomputeStatistics: job } = await service.graphql<{ recomputeStatistics: { id: string } }>(
        'mutation { recomputeStatistics(chain: "pooled-1") { id } }',
      );
      await waitFor('the job', async () => {
        const { jobs } = await service.graphql<{ jobs: { id: string; state: string }[] }>(
          '{ jobs { id state } }',
        );
        return jobs.find(({ id, state }) => id === job.id && state === 'COMPLETED');
      });
      const ready = (await (await fetch(`${service.address}/health/ready`)).json()) as object;
      expect(ready).toMatchObject({ ready: true, queue: { state: 'reachable' } });
    },
    PATIENCE_MS,
  );
});
