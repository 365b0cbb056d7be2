import { daysLeft } from '../../src/domain/disk-growth.js';
import { readDiskUse } from '../../src/api/own-health/disk-watch.js';
import { inTransaction } from '../../src/platform/sql.js';
import type { DiskUse } from '../../src/domain/disk-growth.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { createDataSource } from '../../src/platform/database.js';
import type { DataSource } from 'typeorm';

describe('the disk', () => {
  let database: TestDatabase;
  let dataSource: DataSource;

  beforeAll(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url }).initialize();
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await database?.stop();
  });

  /** Events that were recorded some time ago, one after the other. */
  async function record(count: number, ago: string): Promise<void> {
    await dataSource.query('SELECT ensure_event_partition(now() - $1::interval)', [ago]);
    await dataSource.query(
      `INSERT INTO event (position, stream, version, type, schema, observed_at, recorded_at, body, hash)
       SELECT h.position + i, 'disk/node', h.position + i, 'NodeRetired', 1, now(), now() - $2::interval,
              jsonb_build_object('filler', repeat(md5(i::text), 30)), '\\x00'
         FROM log_head h, generate_series(1, $1::int) i`,
      [count, ago],
    );
    await dataSource.query('UPDATE log_head SET position = position + $1::int', [count]);
  }

  it('is measured, and its growth is taken from the records of the last day', async () => {
    const empty = (await readDiskUse(dataSource)) as DiskUse;
    expect(empty).not.toHaveProperty('growthBytesPerDay');
    await record(3_000, '5 days');
    await record(1_000, '2 hours');
    const use = (await readDiskUse(dataSource)) as DiskUse;
    expect(use.logBytes - empty.logBytes).toBeGreaterThan(1_000_000n);
    expect(use.readModelBytes).toBeGreaterThan(0n);
    const bytes = Number(use.logBytes + use.readModelBytes);
    expect(use.growthBytesPerDay! / bytes).toBeCloseTo(0.25, 6);
    if (use.freeBytes === undefined) expect(daysLeft(use)).toBeUndefined();
    else expect(daysLeft(use)).toBeCloseTo(Number(use.freeBytes) / use.growthBytesPerDay!, 6);
  });
  it('is unknown while a table is locked, and does not wait for the lock', async () => {
    await inTransaction(dataSource, async (query) => {
      await query('LOCK TABLE submission IN ACCESS EXCLUSIVE MODE');
      expect(await readDiskUse(dataSource)).toBeUndefined();
    });
    expect(await readDiskUse(dataSource)).toBeDefined();
  });
});
