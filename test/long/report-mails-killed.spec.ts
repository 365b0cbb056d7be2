import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { launchedAt } from '../support/ahead-clock.js';
import { CHAOS_SEED } from '../support/chaos-seed.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { DestinationSink } from '../support/destination-sinks.js';
import { seededRandom } from '../support/seeded-random.js';
import { ServiceHome, waitFor } from '../support/service-process.js';
import { everyHour, StatisticsWorld } from '../support/statistics-world.js';

const PATIENCE_MS = 1_200_000;
/** Longer than the five minutes between checks: a slow machine may miss the first. */
const STEP_MS = 400_000;
const MINUTE_MS = 60_000;
/** October ends in Berlin. Reports are checked at the fortieth second of each fifth minute, soon after a worker is ready. */
const BEGIN = Date.parse('2026-10-31T23:15:30Z');
const LONGEST_LIFE_MS = 20_000;

describe('report mails of a worker that is killed while the mail server is away', () => {
  const home = new ServiceHome();
  const random = seededRandom(CHAOS_SEED);
  let database: TestDatabase;
  let source: DataSource;
  let sink: DestinationSink;
  let config: string;
  let kills = 0;

  beforeAll(async () => {
    database = await startTestDatabase();
    source = await createDataSource({ url: database.url, poolSize: 2 }).initialize();
    sink = await DestinationSink.start('mail');
    const world = new StatisticsWorld(source);
    await world.addNodes();
    await world.addSubmissions(1, everyHour('2026-09-28T00:00:00Z', '2026-11-01T00:00:00Z'));
    await world.addCoverage('b1', '2026-09-28T00:00:00Z', '2026-11-01T00:00:00Z');
    await world.rollUp();
    config = join(home.dataDir, 'reports.yaml');
    writeFileSync(
      config,
      `reports: [{ mail: ops, chains: berlin-* }, { mail: ops, by: quarter, chains: berlin-* }]
alerts: { maintenance: [{ from: 2026-01-01, to: 2027-01-01 }], destinations: [{ id: ops, ${sink.settings} }] }
`,
    );
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await sink?.stop();
    await source?.destroy();
    await database?.stop();
  }, PATIENCE_MS);

  const live = async (minutes: number, work: () => Promise<unknown>): Promise<void> => {
    const args = ['start', '--role', 'worker', '--port', '0', '--config', config];
    const env = launchedAt(BEGIN + minutes * MINUTE_MS);
    const worker = home.launch(args, { databaseUrl: database.url, env });
    await work();
    await worker.kill('SIGKILL');
    kills += 1;
  };
  const bodies = (type: string): Promise<unknown[]> =>
    source.query("SELECT body FROM event WHERE stream = 'berlin-1/operator' AND type = $1", [type]);

  it(
    `arrive after an hour, each under one Message-ID (seed ${CHAOS_SEED})`,
    async () => {
      await sink.goAway('refuses');
      // Three days after the end of a month, its report is sent even if not everything is counted.
      const days = 3 * 24 * 60;
      await live(days, () =>
        waitFor(
          'the requests',
          async () => (await bodies('ReportRequested')).length === 2 || undefined,
          STEP_MS,
        ),
      );
      for (const [minutes, how] of [
        [5, 'hangs'],
        [20, 'busy'],
        [40, 'drops'],
        [65, 'refuses'],
      ] as const) {
        await sink.goAway(how);
        await live(days + minutes, () => sleep(random() * LONGEST_LIFE_MS));
      }
      expect(sink.accepted).toEqual([]);
      await sink.comeBack();
      for (const minutes of [70, 75, 80]) await live(days + minutes, () => sleep(random() * LONGEST_LIFE_MS));
      await live(days + 85, () =>
        waitFor(
          'the records',
          async () => (await bodies('ReportDelivered')).length === 2 || undefined,
          STEP_MS,
        ),
      );
      const { accepted } = sink;
      expect(new Set(accepted.map(({ id, title }) => `${id} ${title}`)).size).toBe(2);
      expect(new Set(accepted.map(({ id }) => id)).size).toBe(2);
      expect(accepted.length).toBeLessThanOrEqual(2 + kills);
      expect(await bodies('ReportRequested')).toHaveLength(2);
    },
    PATIENCE_MS,
  );
});
