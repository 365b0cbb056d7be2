import type { DataSource } from 'typeorm';
import type { ChainEvents, NewEvent, RecordedPrice } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { onConnection } from '../../src/platform/sql.js';
import { loadPriceBooks, PricesProjection } from '../../src/projections/prices/prices.js';
import { PRICE_LOCK } from '../../src/projections/prices/price-lock.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { emptyTables } from '../support/empty-tables.js';
import { rebuildNow } from '../support/rebuild.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { blockRow, insertRows, nameChains, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { seededRandom } from '../support/seeded-random.js';

const START = Date.UTC(2026, 10, 21, 3);
const HOUR_MS = 3_600_000;
const NAMESPACE = `${'00'.repeat(19)}b7b24d9321578eb83626`;

const settings = (da: Record<string, string>, reportingTimeZone = 'UTC'): NewEvent => {
  const body: ChainEvents['ChainSettingsChanged'] = { reportingTimeZone, thresholds: {}, da };
  return { type: 'ChainSettingsChanged', observedAt: START, body };
};
const gasPrice = (effectiveFrom: string | null, utia: string): RecordedPrice => ({
  effectiveFrom,
  subject: 'GAS_PRICE',
  value: { utia },
});
const set = (entries: RecordedPrice[], source = 'me'): NewEvent => ({
  type: 'PriceSet',
  observedAt: START,
  body: { entries, source },
});
const fee = (
  daHeight: number,
  amount: number,
  tx: string | null = null,
  namespace: string | null = null,
) => ({
  daHeight: String(daHeight),
  namespace,
  tx,
  fee: String(amount),
});
const imported = (...fees: ReturnType<typeof fee>[]): NewEvent => ({
  type: 'FeesImported',
  observedAt: START,
  body: { source: 'file', fees },
});
const prices = (...list: object[]) => ({ prices: JSON.stringify(list) });

describe('the prices', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let store: EventStore;
  const versions = new Map<string, bigint>();

  beforeEach(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
    store = new EventStore(dataSource);
    versions.clear();
  });

  afterEach(async () => {
    await dataSource?.destroy();
    await database?.stop();
  });

  const record = async (chain: string, ...events: NewEvent[]): Promise<void> => {
    for (const event of events) {
      const stream = `${chain}/${event.type === 'ChainSettingsChanged' ? 'chain' : 'operator'}`;
      const expectedVersion = versions.get(stream) ?? 0n;
      const result = await store.append({ stream, expectedVersion, events: [event] });
      if (!result.won) throw new Error('lost');
      versions.set(stream, result.version);
    }
  };
  const catchUp = async (batchSize = 1_000, end?: bigint): Promise<void> => {
    const runner = new ProjectionRunner(dataSource, store, batchSize);
    await runner.catchUp(new PricesProjection(), end ?? (await store.lastPosition()));
  };
  const book = async (chain = 'a'): Promise<string[]> => {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT subject || ' ' || effective_from || ' ' || coalesce(value->>'utia', value->>'perTia', value->>'fixedGas')
              || coalesce(' ' || (value->>'signer'), '') || ' ' || source AS row
         FROM price WHERE chain = $1 AND to_position IS NULL ORDER BY subject, effective_from`,
      [chain],
    );
    return rows.map(({ row }) => row.replace(/ (\d{4}-\d\d-\d\d) (\d\d:\d\d):\d\d\+00/, ' $1T$2'));
  };
  const dump = async (): Promise<unknown[]> =>
    Promise.all(
      ['chain_setting', 'price', 'imported_fee', 'imported_fee_past'].map((table) =>
        dataSource.query(`SELECT t::text FROM ${table} t ORDER BY 1`),
      ),
    );
  const clear = async (): Promise<void> => {
    await emptyTables(dataSource, [
      'chain_setting, price, imported_fee, imported_fee_past, roll_up_mark',
      "projection_checkpoint WHERE name = 'prices'",
    ]);
  };
  const marks = async (): Promise<string[]> => {
    const rows = await dataSource.query<{ mark: string }[]>(
      `SELECT DISTINCT node_key || ' ' || chain || ' ' || to_char(quarter_at AT TIME ZONE 'UTC', 'HH24:MI') AS mark
         FROM roll_up_mark ORDER BY 1`,
    );
    await emptyTables(dataSource, ['roll_up_mark']);
    return rows.map(({ mark }) => mark);
  };

  it('of the settings apply from the beginning if they are the first, otherwise from when they changed', async () => {
    await record('a', settings({ gasPrice: '0.002', fiatUnit: 'EUR', fiatPerTia: '1.5' }));
    await record('a', settings({ gasPrice: '0.004', fiatUnit: 'EUR', fiatPerTia: '1.5' }, 'Asia/Kolkata'));
    await record('a', settings({}, 'Asia/Kolkata'), settings({ gasPrice: '0.004' }, 'Asia/Kolkata'));
    await catchUp();
    expect(await book()).toEqual([
      'FIAT_RATE -infinity 1.5 settings',
      'GAS_PRICE -infinity 0.002 settings',
      'GAS_PRICE 2026-11-21T03:00 0.004 settings',
    ]);
    expect(await dataSource.query('SELECT chain, reporting_time_zone, da_layer FROM chain_setting')).toEqual([
      { chain: 'a', reporting_time_zone: 'Asia/Kolkata', da_layer: null },
    ]);
  });

  it('of the settings with a date stay when the settings no longer name them, and another value corrects them', async () => {
    const january = { from: '2026-01-01T00:00:00.000Z', gasPrice: '0.002' };
    const march = { from: '2026-03-01T00:00:00.000Z', gasPrice: '0.003', fixedGas: '80000' };
    await record('a', settings(prices(january, march)));
    await record('a', settings(prices({ ...march, gasPrice: '0.0031' })));
    await catchUp();
    expect(await book()).toEqual([
      'GAS_PRICE 2026-01-01T00:00 0.002 settings, dated',
      'GAS_PRICE 2026-03-01T00:00 0.0031 settings, dated',
      'GAS_SCHEDULE 2026-03-01T00:00 80000 false settings, dated',
    ]);
  });

  it('that a person corrected outlive settings that repeat their old values', async () => {
    const january = { from: '2026-01-01T00:00:00.000Z', gasPrice: '0.002' };
    await record('a', settings({ gasPrice: '0.001', ...prices(january) }));
    await record('a', set([gasPrice(null, '0.0011'), gasPrice('2026-01-01T00:00:00Z', '0.0022')]));
    await record('a', settings({ gasPrice: '0.001', ...prices(january) }, 'Europe/Berlin'));
    await catchUp();
    expect(await book()).toEqual(['GAS_PRICE -infinity 0.0011 me', 'GAS_PRICE 2026-01-01T00:00 0.0022 me']);
    await record('a', settings({ gasPrice: '0.001', ...prices({ ...january, gasPrice: '0.004' }) }));
    await catchUp();
    expect(await book()).toContain('GAS_PRICE 2026-01-01T00:00 0.004 settings, dated');
  });

  it('keep the gas schedule when the signer changes', async () => {
    const list = prices({ from: '2026-01-01T00:00:00.000Z', fixedGas: '80000' });
    await record('a', settings({ signer: 'false', ...list }), settings({ signer: 'true', ...list }));
    await catchUp();
    expect(await book()).toEqual([
      'GAS_SCHEDULE -infinity 75000 false settings',
      'GAS_SCHEDULE 2026-01-01T00:00 80000 false settings, dated',
      'GAS_SCHEDULE 2026-11-21T03:00 80000 true settings',
    ]);
  });

  it('leave invalid prices out of the book that older versions took from settings', async () => {
    await record('a', settings({ gasPrice: 'free', fiatUnit: 'shells', fiatPerTia: '1' }));
    await record('a', set([{ ...gasPrice('soon', '1') }, gasPrice(null, '1')]));
    await catchUp();
    expect(await book()).toEqual(['GAS_PRICE -infinity 1 me']);
  });

  it('can be read as they were known at any position', async () => {
    await record('a', settings({ gasPrice: '0.002' }));
    await record('a', set([gasPrice('2026-01-01T00:00:00Z', '0.003')]));
    await record('b', set([gasPrice(null, '9')]));
    await record(
      'a',
      set([gasPrice('2026-01-01T00:00:00Z', '0.004'), gasPrice('2026-01-01T00:00:00Z', '0.005')]),
    );
    await catchUp();
    const at = BigInt(Date.UTC(2026, 5)) * 1_000n;
    const known = async (knownAt?: bigint): Promise<unknown> => {
      const books = await onConnection(dataSource, (query) =>
        loadPriceBooks(query, knownAt === undefined ? {} : { knownAt }),
      );
      return [...books].map(([chain, one]) =>
        [chain, ...[0n, at].map((us) => one.at(us).gasPrice?.toString())].join(' '),
      );
    };
    expect(await known(0n)).toEqual([]);
    expect(await known(1n)).toEqual(['a 0.002 0.002']);
    expect(await known(2n)).toEqual(['a 0.002 0.003']);
    expect(await known(3n)).toEqual(['a 0.002 0.003', 'b 9 9']);
    expect(await known()).toEqual(['a 0.002 0.005', 'b 9 9']);
  });

  it('and fees are the same however the log is cut into batches, and after a rebuild', async () => {
    const random = seededRandom(11);
    for (let n = 0; n < 80; n += 1) await record(n % 3 === 0 ? 'a' : 'b', anyEvent(random));
    await catchUp(5_000);
    const whole = await dump();
    expect(JSON.stringify(whole).length).toBeGreaterThan(5_000);
    for (const size of [1, 7]) {
      await clear();
      await catchUp(size);
      expect(await dump()).toEqual(whole);
    }
    await rebuildNow(dataSource, { name: 'prices', createProjections: () => [new PricesProjection()] });
    expect(await dump()).toEqual(whole);
  });

  describe('next to a record', () => {
    beforeEach(async () => {
      const at = (hours: number) => ({ time_at: new Date(START + hours * HOUR_MS).toISOString() });
      await insertRows(dataSource, 'lineage', [
        { lineage_key: 1, chain_id: 'a', n: 1, from_position: 1 },
        { lineage_key: 2, chain_id: 'b', n: 1, from_position: 1 },
      ]);
      await insertRows(dataSource, 'node', [
        nodeRow(1, 'one', { chain_id: 'a' }),
        nodeRow(2, 'two', { chain_id: 'b' }),
      ]);
      await nameChains(dataSource);
      await insertRows(dataSource, 'submission', [
        submissionRow(1, { ...at(0), da_height: 100 }),
        submissionRow(2, { ...at(1.3), da_height: 101 }),
        // The row has no lineage yet: it belongs to its node's chain.
        submissionRow(1, { node_key: 2, lineage_key: null, ...at(2), da_height: 100 }),
        submissionRow(null, {
          node_key: null,
          ring: null,
          from_position: 1,
          evidence: 4,
          ...at(3),
          da_height: 102,
        }),
      ]);
      await record('a', settings({}), set([gasPrice(null, '1')]));
      await record('b', settings({}));
      await catchUp();
      expect(await marks()).toEqual([
        '0 a 03:00',
        '0 a 04:15',
        '0 a 06:00',
        '0 b 05:00',
        '1  03:00',
        '1  04:15',
        '2  05:00',
      ]);
    });

    it('mark the quarter hours in which an entry applies, of nodes and of the chain', async () => {
      await record('a', set([gasPrice('2026-11-21T04:10:00Z', '2'), gasPrice('2026-11-21T05:00:00Z', '3')]));
      await catchUp();
      expect(await marks()).toEqual(['0 a 04:15', '0 a 06:00', '1  04:15']);
      await record('a', set([gasPrice('2026-11-21T04:10:00Z', '4')]));
      await catchUp();
      expect(await marks()).toEqual(['0 a 04:15', '1  04:15']);
      await record('a', set([gasPrice(null, '5')]));
      await catchUp();
      expect(await marks()).toEqual(['0 a 03:00', '1  03:00']);
    });

    it('mark the submissions that fees were paid for, and nothing if nothing is new', async () => {
      await record('a', imported(fee(100, 7), fee(102, 8, 't1'), fee(555, 9)));
      await catchUp();
      expect(await marks()).toEqual(['0 a 03:00', '0 a 06:00', '1  03:00']);
      await record('a', imported(fee(100, 7), fee(102, 8, 't1')));
      await catchUp();
      expect(await marks()).toEqual([]);
      await record('a', imported(fee(102, 80, 't1')));
      await catchUp();
      expect(await marks()).toEqual(['0 a 06:00']);
    });

    it('mark everything of a chain whose days have changed, blocks too, and nothing for other settings', async () => {
      const time_ns = String(BigInt(START) * 1_000_000n - 1n);
      await insertRows(dataSource, 'block', [
        blockRow(1, { time_ns }),
        blockRow(2, { time_ns: '-9223372036854775808' }),
        blockRow(1, { node_key: 2, lineage_key: 2, time_ns }),
      ]);
      await record('a', settings({ layer: 'celestia' }));
      await catchUp();
      expect(await marks()).toEqual([]);
      await record('a', settings({ layer: 'celestia' }, 'Asia/Kolkata'));
      await catchUp();
      const quarters = ['00:00', '02:45', '03:00', '04:15'];
      expect(await marks()).toEqual([
        ...[...quarters, '06:00'].map((quarter) => `0 a ${quarter}`),
        ...quarters.map((quarter) => `1  ${quarter}`),
      ]);
    });

    it('wait for a process that computes from the old prices', async () => {
      const reader = dataSource.createQueryRunner();
      await reader.startTransaction();
      await reader.query(`SELECT pg_advisory_xact_lock_shared(${PRICE_LOCK})`);
      await record('a', set([gasPrice(null, '2')]));
      let isDone = false;
      const running = catchUp().then(() => (isDone = true));
      for (;;) {
        const [row] = await dataSource.query<{ n: number }[]>(
          `SELECT count(*)::int AS n FROM pg_locks JOIN pg_database d ON d.oid = database
            WHERE locktype = 'advisory' AND NOT granted AND datname = current_database()`,
        );
        if (row?.n === 1) break;
      }
      expect(isDone).toBe(false);
      await reader.commitTransaction();
      await reader.release();
      await running;
      expect(await book()).toEqual(['GAS_PRICE -infinity 2 me']);
    });
  });

  it('take fees of one transaction once, correct them, and count equal ones', async () => {
    await record('a', imported(fee(5, 10), fee(5, 10), fee(5, 11, 't1'), fee(5, 11, 't1', NAMESPACE)));
    await record('a', imported(fee(5, 10), fee(5, 10), fee(5, 10)), imported(fee(5, 12, 't1')));
    // The first of the three gets its hash; the one without is one of the other two.
    await record('a', imported(fee(5, 10, 't2'), fee(5, 10)), imported(fee(5, 14, 't2'), fee(6, 1)));
    await record('b', imported(fee(5, 11, 't1', NAMESPACE)));
    await catchUp();
    const rows = await dataSource.query(
      `SELECT concat_ws(' ', chain, da_height, nullif(namespace, ''), ordinal, fee_utia, tx_hash, from_position) AS row
         FROM imported_fee ORDER BY chain, da_height, namespace, ordinal`,
    );
    expect(rows.map(({ row }: { row: string }) => row)).toEqual([
      'a 5 1 14 t2 1',
      'a 5 2 10 1',
      'a 5 3 12 t1 1',
      'a 5 4 10 2',
      'a 6 1 1 5',
      `b 5 ${NAMESPACE} 1 11 t1 6`,
    ]);
    const past = await dataSource.query(
      `SELECT concat_ws(' ', chain, da_height, ordinal, fee_utia, to_position) AS row FROM imported_fee_past ORDER BY 1`,
    );
    expect(past.map(({ row }: { row: string }) => row)).toEqual(['a 5 1 10 5', 'a 5 3 11 3']);
  });
});

/** Random events about few heights, moments and transactions, so that they overlap. */
function anyEvent(random: () => number): NewEvent {
  const pick = (count: number): number => Math.floor(random() * count);
  const moment = (): string | null => (pick(4) === 0 ? null : `2026-0${1 + pick(4)}-01T00:00:00.000Z`);
  const kind = pick(4);
  if (kind === 0) {
    const list = [1, 2, 3]
      .filter(() => pick(2) === 0)
      .map((month) => ({
        from: `2026-0${month}-01T00:00:00.000Z`,
        gasPrice: `0.00${pick(3)}`,
        fixedGas: String(pick(3)),
      }));
    const plain: Record<string, string> =
      pick(2) === 0 ? {} : { gasPrice: `0.0${pick(3)}`, signer: String(pick(2) === 0) };
    return {
      ...settings({ ...plain, ...prices(...list) }),
      observedAt: START + pick(3) * HOUR_MS,
    };
  }
  if (kind === 1)
    return set([gasPrice(moment(), String(pick(3))), gasPrice(moment(), String(pick(3)))], `p${pick(9)}`);
  const fees = Array.from({ length: 1 + pick(8) }, () =>
    fee(1 + pick(3), 1 + pick(2), pick(2) === 0 ? null : `t${pick(4)}`, pick(2) === 0 ? null : NAMESPACE),
  );
  return imported(...fees);
}
