import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { inTransaction } from '../../src/platform/sql.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { STATISTICS_NAMES } from '../../src/statistics/read/measures.js';
import { ReportReader } from '../../src/statistics/read/report.reader.js';
import { emptyTables } from '../support/empty-tables.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';
import { block, dumpStatistics, ROLL_UP_TABLES, shown } from '../support/roll-up-world.js';
import { readDays } from '../support/stored-days.js';
import { useDatabase } from '../support/use-database.js';

/** Older and newer than any existing version. */
const [OLD, OLDER, NEW] = ['2023c', '1999a', '9999z'];

const dataSource = useDatabase();

interface Elsewhere {
  readonly before: Record<string, number>;
  readonly after: Record<string, number>;
  readonly refused: string | null;
  readonly otherZoneData: { readonly stored: string; readonly ours: string } | null;
}

/** The work of a process with other zone data: it uses the clocks of one zone in place of another. */
async function rollUpElsewhere(release: string, zone: string, like: string): Promise<Elsewhere> {
  const { options } = dataSource;
  if (options.type !== 'postgres') throw new Error('no Postgres');
  const program = ['--no-warnings', '--import', './test/support/typescript.mjs'];
  const { stdout } = await promisify(execFile)(process.execPath, [
    ...program,
    'test/support/other-zone-data.ts',
    options.url ?? '',
    release,
    zone,
    like,
  ]);
  return JSON.parse(stdout) as Elsewhere;
}

/** The days of a chain with a row at each hour from the start of 20 November, two days and six hours long. */
const DAYS_OF_PLUS_5 = { '2026-11-19T19:00': 19, '2026-11-20T19:00': 24, '2026-11-21T19:00': 11 };
const DAYS_OF_PLUS_6 = { '2026-11-19T18:00': 18, '2026-11-20T18:00': 24, '2026-11-21T18:00': 12 };

async function begin(zone: string): Promise<void> {
  await emptyTables(dataSource, [ROLL_UP_TABLES]);
  await insertRows(dataSource, 'lineage', [{ lineage_key: 1, chain_id: 'alpha', n: 1, from_position: 1 }]);
  await insertRows(dataSource, 'namespace', [{ namespace_key: 1, namespace: 'aa'.repeat(29) }]);
  await insertRows(dataSource, 'node', [nodeRow(1, 'one', { chain_id: 'alpha', lineage_key: 1 })]);
  await insertRows(dataSource, 'chain_setting', [
    { chain: 'alpha', reporting_time_zone: zone, da_layer: 'celestia', from_position: 1 },
  ]);
  const times = Array.from({ length: 54 }, (_, hour) =>
    new Date(Date.UTC(2026, 10, 20, hour, 1)).toISOString(),
  );
  await insertRows(
    dataSource,
    'submission',
    times.map((time, n) => shown(1, n + 1, time)),
  );
  await insertRows(
    dataSource,
    'block',
    times.map((time, n) => block(1, n + 1, time)),
  );
}

async function expectFullRecompute(): Promise<void> {
  const stored = await dumpStatistics(dataSource);
  expect(stored.length).toBeGreaterThan(100);
  await inTransaction(dataSource, async (query) => {
    await new RollUp(dataSource).markAll(query);
    await query('DELETE FROM statistic');
    await query('DELETE FROM block_statistic');
  });
  await new RollUp(dataSource).run();
  expect(await dumpStatistics(dataSource)).toEqual(stored);
}

describe('days of a zone whose clocks differ in older zone data', () => {
  it('are read correctly before any process has recomputed them, and are recomputed by the first roll-up', async () => {
    await begin('Asia/Almaty');
    // Before 2024a, Almaty was six hours ahead of UTC.
    const old = await rollUpElsewhere(OLD, 'Asia/Almaty', 'Asia/Bishkek');
    expect(old).toEqual({ before: {}, after: DAYS_OF_PLUS_6, refused: null, otherZoneData: null });
    expect(await readDays(dataSource)).toEqual(DAYS_OF_PLUS_5);
    const rollUp = new RollUp(dataSource);
    expect(await rollUp.hasMarks()).toBe(true);
    await rollUp.run();
    expect(await rollUp.hasMarks()).toBe(false);
    expect(await readDays(dataSource)).toEqual(DAYS_OF_PLUS_5);
    const days = await dataSource.query(
      "SELECT to_char(bucket_at AT TIME ZONE 'UTC', 'DD HH24:MI') AS day, sum(attempts)::int AS attempts FROM statistic WHERE grain = 2 AND node_key = 0 GROUP BY 1 ORDER BY 1",
    );
    expect(days).toEqual([
      { day: '19 19:00', attempts: 19 },
      { day: '20 19:00', attempts: 24 },
      { day: '21 19:00', attempts: 11 },
    ]);
    await expectFullRecompute();
  });

  it('are left alone by a process with older data, which reports that and reads its own days', async () => {
    await begin('Asia/Almaty');
    await new RollUp(dataSource).run();
    const stored = await dumpStatistics(dataSource);
    await dataSource.query("INSERT INTO roll_up_mark VALUES (1, '', '2026-11-20 10:00Z')");
    const old = await rollUpElsewhere(OLD, 'Asia/Almaty', 'Asia/Bishkek');
    expect(old).toEqual({
      before: DAYS_OF_PLUS_6,
      after: DAYS_OF_PLUS_6,
      refused: expect.stringContaining(
        `use time zone data ${process.versions['tz']}, and this process has ${OLD}`,
      ),
      otherZoneData: { stored: process.versions['tz'], ours: OLD },
    });
    expect(await dumpStatistics(dataSource)).toEqual(stored);
    expect(await new RollUp(dataSource).hasMarks()).toBe(true);
  });

  it.each(['America/St_Johns', 'Asia/Almaty'])(
    'give the same figures as hours and quarters do: %s',
    async (zone) => {
      await begin(zone);
      await new RollUp(dataSource).run();
      const read = () =>
        Promise.all(
          (['DAY', 'WEEK', 'MONTH'] as const).map(async (bucket) => {
            const from = {
              fromUs: BigInt(Date.UTC(2026, 10, 21)) * 1_000n,
              nowUs: BigInt(Date.UTC(2027, 0)) * 1_000n,
            };
            const request = { filter: { chains: ['alpha'] }, bucket, groupBy: [], ...from };
            return [...(await new ReportReader(dataSource).read(request, STATISTICS_NAMES))];
          }),
        );
      const byDays = await read();
      expect(byDays.flat().length).toBeGreaterThan(2);
      await dataSource.query("UPDATE statistic_state SET value = $1 WHERE name = 'zones'", [NEW]);
      expect(await read()).toEqual(byDays);
    },
  );

  it('are not taken over from newer data', async () => {
    await begin('Asia/Almaty');
    await rollUpElsewhere(NEW, 'Asia/Almaty', 'Asia/Bishkek');
    await expect(new RollUp(dataSource).run()).rejects.toThrow(`use time zone data ${NEW}`);
    expect(await readDays(dataSource)).toEqual(DAYS_OF_PLUS_5);
  });

  it.each([
    ['Asia/Kolkata', 'UTC'],
    ['UTC', 'America/New_York'],
    ['America/St_Johns', 'Asia/Kathmandu'],
    ['Pacific/Apia', 'Pacific/Pago_Pago'],
  ])(
    'are as if the newest data had computed all of them, however far they move: %s like %s',
    async (zone, like) => {
      await begin(zone === 'UTC' ? 'Etc/GMT' : zone);
      await rollUpElsewhere(OLDER, zone === 'UTC' ? 'Etc/GMT' : zone, like);
      await new RollUp(dataSource).run();
      await expectFullRecompute();
    },
  );

  it('are computed from the others if stored figures of an owner are unreadable, which are quarantined', async () => {
    await begin('Asia/Almaty');
    await insertRows(dataSource, 'node', [nodeRow(2, 'two', { chain_id: 'alpha', lineage_key: 1 })]);
    await insertRows(dataSource, 'submission', [shown(2, 1, '2026-11-20T18:30:00Z', { blob_count: 1 })]);
    await rollUpElsewhere(OLD, 'Asia/Almaty', 'Asia/Bishkek');
    await dataSource.query(
      `UPDATE statistic SET fiat = '{"EUR": {"min": "x", "max": "x", "count": "1"}}' WHERE node_key = 2`,
    );
    await new RollUp(dataSource).run();
    const days = await dataSource.query(
      'SELECT DISTINCT node_key FROM statistic WHERE grain = 2 AND extract(hour FROM bucket_at) = 19 ORDER BY 1',
    );
    expect(days).toEqual([{ node_key: 0 }, { node_key: 1 }]);
    expect(await dataSource.query('SELECT node_key, chain FROM roll_up_fault')).toEqual([
      { node_key: 2, chain: '' },
    ]);
  });
});
