import type { DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { badRows, goodRows } from '../support/bad-neighbour.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { ProjectedLogs } from '../support/projected-log.js';
import { seededRandom } from '../support/seeded-random.js';

/** More of them find rarer things. */
const SEEDS = Array.from({ length: Number(process.env['RANDOM_LOGS'] ?? 4) }, (_, index) => index + 1);

let database: TestDatabase;
let dataSource: DataSource;
let logs: ProjectedLogs;

beforeAll(async () => {
  database = await startTestDatabase();
  dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
  logs = new ProjectedLogs(dataSource);
});

afterAll(async () => {
  await dataSource?.destroy();
  await database?.stop();
});

describe('a bad node of another chain', () => {
  it.each(SEEDS)('changes nothing of what is held of the good nodes and their chain (%d)', async (seed) => {
    const random = seededRandom(seed);
    const good = goodRows(random, 150);
    const alone = await logs.project(good, 1_000);
    const bad = badRows(random, 250, { good: good.length, chains: ['bad', 'worse', 'bad'] });
    const together = await logs.project([...good, ...bad], 50);
    expect(alone['submission']?.length).toBeGreaterThan(10);
    expect(alone['statistic']?.length).toBeGreaterThan(10);
    for (const table of Object.keys(alone)) expect([table, together[table]]).toEqual([table, alone[table]]);
  });
});
