import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { DataSource } from 'typeorm';
import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { startEmptyDatabase, startTestDatabase, type TestDatabase } from '../support/database.js';
import { recordLog } from '../support/record-log.js';
import { listReleases, readRelease, restoreDump } from '../support/release-dump.js';
import { ServiceHome, waitFor, type ServiceProcess } from '../support/service-process.js';
import { waitUntilSettled } from '../support/settled-record.js';

const PATIENCE_MS = 240_000;

const SUBMISSIONS = `query ($after: String) { submissions(first: 1000, after: $after, order: OBSERVED_ASC) {
  nodes { id sequence ring status message namespace kind daHeight blobCount sizeBytes occurredAtText observedAt evidence blocks raw }
  pageInfo { hasNextPage endCursor } } }`;
const FIGURES = `{
  nodes { id chain submissionCount blockCount inclusionFrontier }
  losses { nodes { id kind afterSequence minLost maxLost from to } }
  statistics(bucket: DAY, groupBy: [CHAIN, KIND, STATUS]) {
    time chain kind status attempts successes failures reconstructed blobCount sizeBytes
    inclusionLagMs { p50 p99 count } }
  costReport(bucket: DAY, groupBy: [CHAIN, KIND]) { time chain kind submissions gasMin gasMax failedAttempts } }`;

/** The answers of a service once everything is projected and computed. */
async function settled(service: ServiceProcess, dataSource: DataSource) {
  await waitUntilSettled(dataSource);
  return { submissions: await service.readAll(SUBMISSIONS), figures: await service.graphql(FIGURES) };
}

/** The next release must accept a database of each earlier one, and make the same from its log. */
describe.each(listReleases())('an upgrade from %s', (version) => {
  const home = new ServiceHome();
  const databases: TestDatabase[] = [];
  afterAll(async () => {
    await home.clear();
    await Promise.all(databases.map((database) => database.stop()));
  }, PATIENCE_MS);

  const answersOf = async ({ url }: TestDatabase) => {
    const dataSource = await createDataSource({ url, poolSize: 1 }).initialize();
    try {
      const service = home.launch(['start', '--role', 'archive', '--port', '0'], { databaseUrl: url });
      await service.ready;
      const answers = await settled(service, dataSource);
      await service.kill('SIGTERM');
      expect(service.log).not.toContain('"level":"fatal"');
      return answers;
    } finally {
      await dataSource.destroy();
    }
  };
  const run = async (args: readonly string[], { url }: TestDatabase): Promise<void> =>
    expect(await home.run(args, { databaseUrl: url })).toMatchObject({ code: 0 });

  it(
    'answers the same from its database and from a replay of its log, with every hash chain whole',
    async () => {
      const restored = await restoreDump(version);
      const imported = await startEmptyDatabase();
      databases.push(restored, imported);
      const log = join(home.dataDir, 'log.ndjson');
      writeFileSync(log, readRelease(version, 'log'));
      await run(['import', 'events', log], imported);
      const [answers, anew] = await Promise.all([answersOf(restored), answersOf(imported)]);
      expect(answers.submissions.length).toBeGreaterThan(100);
      expect(answers).toEqual(anew);
      await run(['verify'], restored);
    },
    PATIENCE_MS,
  );
});

/** The service rebuilds read models of other rules while it answers. */
describe('an upgrade', () => {
  const home = new ServiceHome();
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
    const store = new EventStore(dataSource);
    const versions = new Map<string, bigint>();
    for (const { stream, type, body, observedAt } of recordLog({
      nodes: ['aggregator', 'follower'],
      every: 5_000,
    })) {
      const event = { type, body, observedAt: Number(observedAt / 1000n) } as NewEvent;
      const expectedVersion = versions.get(stream) ?? 0n;
      await store.append({ stream, expectedVersion, events: [event] });
      versions.set(stream, expectedVersion + 1n);
    }
  }, PATIENCE_MS);

  afterAll(async () => {
    await home.clear();
    await dataSource?.destroy();
    await database?.stop();
  }, PATIENCE_MS);

  it(
    "never shows fewer rows than before, and shows the new rules' results at the end",
    async () => {
      const first = await start();
      const before = await settled(first, dataSource);
      expect(before.submissions.length).toBeGreaterThan(150);
      await first.kill('SIGTERM');
      const newest = await readVersions();
      await makeOlder();

      const counts: number[] = [];
      const watching = { isOn: true };
      const watch = (async () => {
        const count = 'SELECT count(*)::int AS n FROM submission WHERE to_position IS NULL';
        while (watching.isOn) counts.push((await dataSource.query(count))[0].n as number);
      })();
      const second = await start();
      await waitFor(
        'the read models to be rebuilt',
        async () => (JSON.stringify(await readVersions()) === JSON.stringify(newest) ? true : undefined),
        PATIENCE_MS,
      );
      const after = await settled(second, dataSource);
      watching.isOn = false;
      await watch;
      expect(after).toEqual(before);
      expect(counts.length).toBeGreaterThan(10);
      expect(Math.min(...counts)).toBe(before.submissions.length);
      expect(second.log).toContain('queries use the old ones until then');
      expect(second.log).not.toContain('"level":"fatal"');
    },
    PATIENCE_MS,
  );

  async function start(): Promise<ServiceProcess> {
    const args = ['start', '--role', 'archive', '--port', '0'];
    const service = home.launch(args, { databaseUrl: database.url });
    await service.ready;
    return service;
  }

  /** Simulates read models of lower versions, in which every message was read differently. */
  async function makeOlder(): Promise<void> {
    await dataSource.query("UPDATE submission SET message = 'by older rules'");
    await dataSource.query("UPDATE statistic_state SET value = '0' WHERE name = 'version'");
    // The version of a row cannot be updated.
    const checkpoints = await dataSource.query<{ name: string; position: bigint; version: number }[]>(
      'SELECT name, position, version FROM projection_checkpoint',
    );
    await dataSource.query('DELETE FROM projection_checkpoint');
    for (const { name, position, version } of checkpoints) {
      await dataSource.query(
        'INSERT INTO projection_checkpoint (name, position, version) VALUES ($1, $2, $3)',
        [name, position, version - 1],
      );
    }
  }

  async function readVersions(): Promise<unknown> {
    return [
      await dataSource.query('SELECT name, version FROM projection_checkpoint ORDER BY name'),
      await dataSource.query("SELECT value FROM statistic_state WHERE name = 'version'"),
    ];
  }
});
