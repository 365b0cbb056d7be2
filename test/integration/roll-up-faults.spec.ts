import { countMarks, readBacklog } from '../../src/statistics/roll-up/marks.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import type { FailedOwner } from '../../src/statistics/roll-up/quarantine.js';
import { emptyTables } from '../support/empty-tables.js';
import { insertRows, nodeRow } from '../support/read-model-rows.js';
import { at, ROLL_UP_TABLES, shown } from '../support/roll-up-world.js';
import { useDatabase } from '../support/use-database.js';

const NODES = [1, 2, 3, 4, 5, 6, 7];

const dataSource = useDatabase();

beforeEach(async () => {
  await emptyTables(dataSource, [ROLL_UP_TABLES]);
  await insertRows(
    dataSource,
    'lineage',
    NODES.map((key) => ({ lineage_key: key, chain_id: `chain-${key}`, n: 1, from_position: 1 })),
  );
  await insertRows(dataSource, 'namespace', [{ namespace_key: 1, namespace: 'aa'.repeat(29) }]);
  await insertRows(
    dataSource,
    'node',
    NODES.map((key) => nodeRow(key, `node-${key}`, { chain_id: `chain-${key}`, lineage_key: key })),
  );
  await addRows(1, '10:00:00');
  await new RollUp(dataSource).run();
});

/** A submission of each node at a time, with the marks that the record would make for it. */
async function addRows(sequence: number, time: string): Promise<void> {
  await insertRows(
    dataSource,
    'submission',
    NODES.map((key) => shown(key, sequence, at(time), { lineage_key: key })),
  );
  await mark(time);
}

async function mark(time: string): Promise<void> {
  await dataSource.query(
    `INSERT INTO roll_up_mark SELECT s.node_key, s.chain, date_bin('15 minutes', $1::timestamptz, 'epoch')
       FROM (SELECT node_key, '' FROM node UNION SELECT 0, chain_id FROM lineage) s (node_key, chain)`,
    [at(time)],
  );
}

const NO_DECIMAL = `{"EUR": {"min": "1e9", "max": "1", "count": "1"}}`;

/** Unreadable values of a stored quarter, by their effect on the hour above it. */
const POISONS: readonly [string, string, RegExp][] = [
  ['a sum of money that is no decimal', `fiat = '${NO_DECIMAL}'`, /stored statistic cannot be read/],
  ['money of a wrong shape', `fiat = '{"EUR": 7}'`, /stored statistic cannot be read/],
  ['a damaged sketch', `blob_bytes = '\\xffff'`, /stored statistic cannot be read/],
];

async function poison(change: string, condition: string): Promise<void> {
  await dataSource.query(`UPDATE statistic SET ${change} WHERE grain = 0 AND ${condition}`);
}

const getFaults = () =>
  dataSource.query<{ node_key: number; chain: string; error: string }[]>(
    'SELECT node_key, chain, error FROM roll_up_fault ORDER BY node_key, chain',
  );
const attemptsOfDay = async () => {
  const rows = await dataSource.query<{ name: string; attempts: string }[]>(
    `SELECT CASE node_key WHEN 0 THEN chain ELSE 'node-' || node_key END AS name, attempts FROM statistic WHERE grain = 2`,
  );
  return Object.fromEntries(rows.map(({ name, attempts }) => [name, Number(attempts)]));
};
const allWith = (attempts: number) =>
  Object.fromEntries(NODES.flatMap((key) => [`node-${key}`, `chain-${key}`]).map((name) => [name, attempts]));
/** Ages the faults, as if they had begun, and had been tried last, this long ago. */
const age = (since: string, tried: string) =>
  dataSource.query(
    `UPDATE roll_up_fault SET since = clock_timestamp() - $1::interval, tried_at = clock_timestamp() - $2::interval`,
    [since, tried],
  );

describe('a subject with unreadable stored figures', () => {
  it.each(POISONS)(
    'is quarantined with its marks, and all others are computed: %s',
    async (_, change, error) => {
      await poison(change, `node_key = 3 OR chain = 'chain-5' AND node_key = 0`);
      await addRows(2, '10:20:00');
      const told: FailedOwner[] = [];
      const rollUp = new RollUp(dataSource, { onFault: (fault) => told.push(fault) });
      await rollUp.run();
      const faults = await getFaults();
      expect(faults).toEqual([
        { node_key: 0, chain: 'chain-5', error: expect.stringMatching(error) },
        { node_key: 3, chain: '', error: expect.stringMatching(error) },
      ]);
      expect(told.map(({ nodeKey, chain }) => `${nodeKey} ${chain}`).sort()).toEqual(['0 chain-5', '3 ']);
      expect(await attemptsOfDay()).toEqual({ ...allWith(2), 'node-3': 1, 'chain-5': 1 });
      expect(await dataSource.query('SELECT node_key, chain FROM roll_up_mark ORDER BY 1, 2')).toEqual([
        { node_key: 0, chain: 'chain-5' },
        { node_key: 3, chain: '' },
      ]);
    },
  );

  it('counts neither as work nor as late, and does not spin', async () => {
    await poison(`fiat = '{"EUR": 7}'`, 'node_key = 3');
    await addRows(2, '10:20:00');
    await dataSource.query("UPDATE roll_up_mark SET marked_at = clock_timestamp() - interval '1 day'");
    const rollUp = new RollUp(dataSource);
    await rollUp.run();
    expect(await getFaults()).toHaveLength(1);
    expect(await rollUp.hasMarks()).toBe(false);
    expect((await readBacklog(dataSource)).seconds).toBe(0);
    expect(await countMarks(dataSource, 'infinity')).toBe(0);
    expect(await rollUp.run()).toBe(0);
    // Marks of other subjects still count as work.
    await addRows(3, '10:21:00');
    expect(await rollUp.hasMarks()).toBe(true);
    expect((await readBacklog(dataSource)).seconds).toBeGreaterThan(0);
    await rollUp.run();
    expect(await attemptsOfDay()).toEqual({ ...allWith(3), 'node-3': 1 });
  });

  it('is retried after pauses that grow to an hour, and reported only once', async () => {
    await poison(`fiat = '{"EUR": 7}'`, 'node_key = 3');
    await mark('10:20:00');
    const told: FailedOwner[] = [];
    const rollUp = new RollUp(dataSource, { onFault: (fault) => told.push(fault) });
    await rollUp.run();
    const tryAfter = async (since: string, tried: string) => {
      await age(since, tried);
      const lastTry = () => dataSource.query('SELECT tried_at::text FROM roll_up_fault');
      const before = await lastTry();
      const isWork = await rollUp.hasMarks();
      await rollUp.run();
      const isTried = (await lastTry())[0].tried_at !== before[0].tried_at;
      expect(isWork).toBe(isTried);
      return isTried;
    };
    expect(await tryAfter('50 s', '50 s')).toBe(false);
    expect(await tryAfter('70 s', '70 s')).toBe(true);
    expect(await tryAfter('19 min', '9 min')).toBe(false);
    expect(await tryAfter('19 min', '10 min')).toBe(true);
    expect(await tryAfter('9 days', '50 min')).toBe(false);
    expect(await tryAfter('9 days', '61 min')).toBe(true);
    expect(told).toHaveLength(1);
    const [{ since }] = await dataSource.query(
      "SELECT since < clock_timestamp() - interval '8 days' AS since FROM roll_up_fault",
    );
    expect(since).toBe(true);
  });

  it('is computed when it can be, and is then no longer quarantined', async () => {
    await poison(`fiat = '{"EUR": 7}'`, 'node_key = 3');
    await addRows(2, '10:20:00');
    const rollUp = new RollUp(dataSource);
    await rollUp.run();
    await poison(`fiat = '{}'`, 'node_key = 3');
    await rollUp.run();
    expect(await getFaults()).toHaveLength(1);
    await age('2 min', '2 min');
    await rollUp.run();
    expect(await getFaults()).toEqual([]);
    expect(await attemptsOfDay()).toEqual(allWith(2));
    expect(await dataSource.query('SELECT * FROM roll_up_mark')).toEqual([]);
  });

  it('keeps one mark for each quarter, however many are added', async () => {
    await poison(`fiat = '{"EUR": 7}'`, 'node_key = 3');
    for (let round = 0; round < 5; round++) await mark('10:20:00');
    await mark('11:20:00');
    const rollUp = new RollUp(dataSource);
    await rollUp.run();
    expect(await dataSource.query('SELECT node_key FROM roll_up_mark')).toEqual([
      { node_key: 3 },
      { node_key: 3 },
    ]);
  });

  it('does not quarantine the others when all of them are faulty, nor for errors of the server', async () => {
    await poison(`fiat = '{"EUR": 7}'`, 'node_key <> 7');
    await addRows(2, '10:20:00');
    await new RollUp(dataSource, { owners: 5 }).run();
    expect(await getFaults()).toHaveLength(13);
    expect((await attemptsOfDay())['node-7']).toBe(2);
    await dataSource.query('DELETE FROM roll_up_fault');
    await dataSource.query(`CREATE FUNCTION disk_full() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE SQLSTATE '53100' USING MESSAGE = 'disk full'; END $$`);
    await dataSource.query(
      'CREATE TRIGGER full_disk BEFORE INSERT ON statistic EXECUTE FUNCTION disk_full()',
    );
    try {
      await mark('10:20:00');
      await expect(new RollUp(dataSource).run()).rejects.toThrow('disk full');
    } finally {
      await dataSource.query('DROP TRIGGER full_disk ON statistic; DROP FUNCTION disk_full()');
    }
    expect(await getFaults()).toEqual([]);
  });
});
