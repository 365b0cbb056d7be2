import { Decimal } from '../../src/domain/cost/decimal.js';
import type { PriceEntry } from '../../src/domain/cost/price-entry.js';
import { Sketch } from '../../src/domain/statistics/sketch.js';
import { inTransaction } from '../../src/platform/sql.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import type { Statistic } from '../../src/statistics/roll-up/statistic.js';
import { emptyTables } from '../support/empty-tables.js';
import { insertRows, nodeRow, type TableRow } from '../support/read-model-rows.js';
import {
  aggregateOne,
  at,
  block,
  CONFIRMED,
  DATA,
  DAY,
  dumpStatistics,
  MIXED,
  reconstructed,
  undecided,
  ROLL_UP_TABLES,
  shown,
  TIMED_OUT,
  unit,
  UNREFERENCED,
  us,
} from '../support/roll-up-world.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();

beforeEach(async () => {
  await emptyTables(dataSource, [ROLL_UP_TABLES]);
  await insertRows(dataSource, 'lineage', [
    { lineage_key: 1, chain_id: 'alpha', n: 1, from_position: 1 },
    { lineage_key: 2, chain_id: 'beta', n: 1, from_position: 1 },
  ]);
  await insertRows(dataSource, 'namespace', [
    { namespace_key: 1, namespace: 'aa'.repeat(29) },
    { namespace_key: 2, namespace: 'bb'.repeat(29) },
  ]);
  // The first run marks everything, for the tables are new to it.
  await new RollUp(dataSource).run();
});

async function addNodes(...nodes: readonly TableRow[]): Promise<void> {
  await insertRows(dataSource, 'node', nodes);
}

/** Inserts rows with the marks that the record would make for them. */
async function addRows(...rows: readonly TableRow[]): Promise<void> {
  await insertRows(dataSource, 'submission', rows);
  await mark(rows.map((row) => row['time_at'] as string));
}

/** Marks the quarters of these times for all nodes and chains. */
async function mark(times: readonly string[]): Promise<void> {
  await dataSource.query(
    `INSERT INTO roll_up_mark SELECT s.node_key, s.chain, date_bin('15 minutes', t.at, 'epoch')
       FROM (SELECT node_key, '' FROM node UNION SELECT 0, chain_id FROM lineage) s (node_key, chain),
            unnest($1::timestamptz[]) t (at)`,
    [times],
  );
}

function one(statistics: readonly Statistic[]): Statistic {
  expect(statistics).toHaveLength(1);
  return statistics[0] as Statistic;
}

function roundedSketch(sketch: Sketch): { count: number; max: number | null } {
  return { count: sketch.count, max: sketch.max };
}

async function getStored(columns: string, condition = 'true'): Promise<Record<string, unknown>[]> {
  return dataSource.query(
    `SELECT ${columns} FROM statistic WHERE ${condition}
      ORDER BY node_key, chain, grain, bucket_at, namespace_key, kind, status`,
  );
}

const PRICE: PriceEntry = {
  subject: 'GAS_PRICE',
  effectiveFrom: null,
  utia: Decimal.parse('0.004') as Decimal,
};
const ALPHA = nodeRow(1, 'one', { chain_id: 'alpha', lineage_key: 1 });
const QUARTER = unit(1, '', '10:00', '10:15');
const CHAIN_QUARTER = unit(0, 'alpha', '10:00', '10:15');

describe('the content of a bucket', () => {
  it('is one statistic for each chain, namespace, kind and status, of rows from its start up to its end', async () => {
    await addNodes(ALPHA);
    await addRows(
      shown(1, 1, at('09:59:59.999999')),
      shown(1, 2, at('10:00:00')),
      shown(1, 3, at('10:14:59.999999')),
      shown(1, 4, at('10:15:00')),
      shown(1, 5, at('10:05:00'), { status: TIMED_OUT }),
      shown(1, 6, at('10:05:00'), { kind: DATA, namespace_key: 2 }),
      shown(1, 7, at('10:05:00'), { kind: 3, namespace_key: null }),
      shown(1, 8, at('10:05:00'), { lineage_key: 2 }),
    );
    const statistics = await aggregateOne(dataSource, QUARTER);
    expect(
      statistics.map(({ nodeKey, chain, namespaceKey, kind, status, attempts }) =>
        [nodeKey, chain, namespaceKey, kind, status, attempts].join(' '),
      ),
    ).toEqual(
      expect.arrayContaining([
        '1 alpha 1 0 0 2',
        '1 beta 1 0 0 1',
        '1 alpha 1 0 5 1',
        '1 alpha 2 1 0 1',
        '1 alpha 0 3 0 1',
      ]),
    );
    expect(statistics).toHaveLength(5);
  });

  it('has volume, shares, gas and fee of successes, and the number of unreadable rows', async () => {
    await addNodes(ALPHA);
    await addRows(
      // 24 headers of one share each: the worked example, 190,104 gas and 761 utia.
      shown(1, 1, at('10:00:00'), { blob_count: 24, size_bytes: 4200, shares: 24, signed_shares: 24 }),
      // Bounds: 2 blobs of 1,000 bytes take 3 or 4 shares without signer. 3 * 4096 + 1400 + 75000 = 88,688; 92,784.
      shown(1, 2, at('10:01:00'), { blob_count: 2, size_bytes: 1000 }),
      shown(1, 3, at('10:02:00'), { blob_count: null, size_bytes: 700 }),
      shown(1, 4, at('10:03:00'), { blob_count: 5, size_bytes: null }),
    );
    const sum = one(await aggregateOne(dataSource, QUARTER, [PRICE]));
    expect(sum).toMatchObject({
      attempts: 4n,
      reconstructed: 0n,
      undecided: 0n,
      unreadable: 2n,
      blobCount: 31n,
      sizeBytes: 5900n,
      measuredBlobs: 26n,
      measuredBytes: 5200n,
      costed: 4n,
      gasUnknown: 2n,
      imported: 0n,
      recorded: 0n,
      priced: 2n,
      feeUnknown: 2n,
      failed: 0n,
    });
    expect([sum.sharesMin, sum.sharesMax]).toEqual([27n, 28n]);
    expect([sum.gasMin, sum.gasMax]).toEqual([190_104n + 88_688n, 190_104n + 92_784n]);
    expect([sum.feeMin, sum.feeMax]).toEqual([761n + 355n, 761n + 372n]);
  });

  it('prefers an imported fee to a recorded gas price, and that to the price book', async () => {
    await addNodes(ALPHA);
    await insertRows(dataSource, 'imported_fee', [feeRow(7, '', 1, 1234)]);
    await addRows(
      shown(1, 1, at('10:00:00'), { da_height: 7, gas_price: '0.01' }),
      // 1 share: 4096 + 700 + 75000 = 79,796 gas.
      shown(1, 2, at('10:01:00'), { gas_price: '0.01' }),
      shown(1, 3, at('10:02:00')),
    );
    const sum = one(await aggregateOne(dataSource, QUARTER, [PRICE]));
    expect(sum).toMatchObject({ imported: 1n, recorded: 1n, priced: 1n, feeUnknown: 0n });
    expect([sum.feeMin, sum.feeMax]).toEqual([1234n + 798n + 320n, 1234n + 798n + 320n]);
  });

  it('has the lowest, highest, sum and latest of the recorded gas prices, including failed attempts', async () => {
    await addNodes(ALPHA);
    await addRows(
      shown(1, 1, at('10:00:00'), { gas_price: '0.020' }),
      shown(1, 2, at('10:03:00'), { gas_price: '0.005' }),
      shown(1, 3, at('10:02:00'), { gas_price: '0.01' }),
      shown(1, 4, at('10:04:00')),
    );
    const sum = one(await aggregateOne(dataSource, QUARTER));
    expect(sum.gasPriceCount).toBe(3n);
    expect([sum.gasPriceMin, sum.gasPriceMax, sum.gasPriceSum, sum.gasPriceLast].map(String)).toEqual([
      '0.005',
      '0.02',
      '0.035',
      '0.005',
    ]);
    expect(sum.gasPriceLastAt).toBe(us('10:03'));
  });

  it('keeps failed attempts apart, with an upper bound of their fee', async () => {
    await addNodes(ALPHA);
    await addRows(
      shown(1, 1, at('10:00:00'), { status: TIMED_OUT }),
      shown(1, 2, at('10:01:00'), { status: TIMED_OUT, blob_count: null }),
    );
    const sum = one(await aggregateOne(dataSource, QUARTER, [PRICE]));
    expect(sum).toMatchObject({ attempts: 2n, costed: 0n, blobCount: 0n, sizeBytes: 0n, unreadable: 0n });
    expect(sum).toMatchObject({ failed: 2n, failedUnknown: 1n, failedFeeMax: 320n, feeMin: 0n, feeMax: 0n });
  });

  it('counts a failed attempt that landed as a failure, and its blobs in volume and cost', async () => {
    await addNodes(ALPHA);
    await addRows(
      shown(1, 1, at('10:00:00'), {
        status: TIMED_OUT,
        evidence: CONFIRMED,
        da_height: 5,
        shares: 1,
        signed_shares: 1,
      }),
    );
    const sum = one(await aggregateOne(dataSource, QUARTER, [PRICE]));
    expect(sum).toMatchObject({ status: TIMED_OUT, attempts: 1n, landed: 1n, costed: 1n, failed: 0n });
    expect(sum).toMatchObject({ blobCount: 1n, sizeBytes: 300n, feeMin: 320n, feeMax: 320n });
  });

  it('has the cost of unreferenced successes as waste, within the cost', async () => {
    await addNodes(ALPHA);
    await addRows(shown(1, 1, at('10:00:00')), shown(1, 2, at('10:01:00'), { evidence: UNREFERENCED }));
    const sum = one(await aggregateOne(dataSource, QUARTER, [PRICE]));
    expect(sum).toMatchObject({ attempts: 2n, unreferenced: 1n, costed: 2n, feeMin: 640n, feeMax: 640n });
    expect([sum.wastedFeeMin, sum.wastedFeeMax]).toEqual([320n, 320n]);
  });

  it('includes what only blocks prove in the figures of the chain, but not in those of a node or once withdrawn', async () => {
    await addNodes(ALPHA);
    await addRows(
      reconstructed(at('10:00:00'), { shares: 3, signed_shares: 3, blob_count: 3 }),
      reconstructed(at('10:00:00'), { to_position: 12 }),
      reconstructed(at('10:00:00'), { lineage_key: 2 }),
    );
    expect(await aggregateOne(dataSource, QUARTER)).toEqual([]);
    const sum = one(await aggregateOne(dataSource, CHAIN_QUARTER, [PRICE]));
    expect(sum).toMatchObject({
      nodeKey: 0,
      attempts: 0n,
      reconstructed: 1n,
      reconstructedShares: 3n,
      costed: 1n,
    });
    expect(sum.blobCount).toBe(3n);
  });

  it("includes a possible attempt's blobs once in volume and cost of the chain, as no attempt and not as reconstructed", async () => {
    await addNodes(ALPHA);
    await addRows(
      shown(1, 1, at('10:00:00'), { status: TIMED_OUT }),
      shown(1, 2, at('10:00:30'), { status: TIMED_OUT }),
      undecided(at('10:00:00'), { shares: 3, signed_shares: 3, blob_count: 3 }),
      undecided(at('10:00:00'), { to_position: 12 }),
    );
    const [group, failures] = await aggregateOne(dataSource, CHAIN_QUARTER, [PRICE]);
    expect(group).toMatchObject({
      status: 0,
      undecided: 1n,
      attempts: 0n,
      reconstructed: 0n,
      unreadable: 0n,
    });
    expect(group).toMatchObject({ blobCount: 3n, sizeBytes: 300n, costed: 1n, priced: 1n, failed: 0n });
    expect([group?.sharesMin, group?.reconstructedShares]).toEqual([3n, 0n]);
    expect(group?.feeMax).toBe(358n);
    expect(failures).toMatchObject({
      status: TIMED_OUT,
      attempts: 2n,
      undecided: 0n,
      costed: 0n,
      failed: 2n,
    });
    const ofNode = one(await aggregateOne(dataSource, QUARTER, [PRICE]));
    expect(ofNode).toMatchObject({ status: TIMED_OUT, undecided: 0n, costed: 0n });
  });

  it('is split where a price changes, and money is exact', async () => {
    await addNodes(ALPHA);
    await addRows(shown(1, 1, at('10:06:59.999999')), shown(1, 2, at('10:07:00')));
    const change: PriceEntry = {
      subject: 'GAS_PRICE',
      effectiveFrom: us('10:07'),
      utia: Decimal.parse('0.008') as Decimal,
    };
    const rate: PriceEntry = {
      subject: 'FIAT_RATE',
      effectiveFrom: us('10:07'),
      unit: 'EUR',
      perTia: Decimal.parse('0.123456789') as Decimal,
    };
    const sum = one(await aggregateOne(dataSource, QUARTER, [PRICE, change, rate]));
    expect([sum.feeMin, sum.feeMax]).toEqual([320n + 639n, 320n + 639n]);
    const money = sum.fiat.get('EUR');
    // 639 utia at 0.123456789 EUR for a million.
    expect([String(money?.min), String(money?.max), money?.count]).toEqual([
      '0.000078888888171',
      '0.000078888888171',
      1n,
    ]);
  });

  it('is the same when rows are read page by page', async () => {
    await addNodes(ALPHA);
    const rows = Array.from({ length: 500 }, (_, index) =>
      shown(1, index + 1, at('10:01:00'), { size_bytes: 1000 + index, gas_price: `0.0${index + 1}` }),
    );
    await addRows(...rows);
    const whole = one(await aggregateOne(dataSource, QUARTER, [PRICE]));
    const paged = one(await aggregateOne(dataSource, QUARTER, [PRICE], { pageRows: 7 }));
    expect(whole.attempts).toBe(500n);
    expect(describeStatistic(paged)).toEqual(describeStatistic(whole));
  });
});

function describeStatistic(statistic: Statistic): unknown {
  return JSON.parse(
    JSON.stringify(statistic, (_, value: unknown) => {
      if (typeof value === 'bigint' || value instanceof Decimal) return value.toString();
      return value instanceof Sketch ? value.encode().toString('hex') : value;
    }),
  );
}

function feeRow(daHeight: number, namespace: string, ordinal: number, fee: number, position = 5): TableRow {
  return {
    chain: 'alpha',
    da_height: daHeight,
    namespace,
    ordinal,
    fee_utia: fee,
    source: 'a file',
    from_position: position,
  };
}

describe('imported fees', () => {
  const [AA, BB] = ['aa'.repeat(29), 'bb'.repeat(29)];

  it('go to the submissions of their DA height and namespace in order, and those without namespace to the rest', async () => {
    await addNodes(ALPHA);
    await insertRows(dataSource, 'imported_fee', [
      feeRow(7, AA, 1, 100),
      feeRow(7, AA, 2, 200),
      feeRow(7, '', 1, 1000),
      feeRow(8, BB, 1, 5),
    ]);
    await addRows(
      shown(1, 1, at('10:00:00'), { da_height: 7, status: TIMED_OUT }),
      shown(1, 2, at('10:00:00'), { da_height: 7 }),
      // This is another quarter; the submission is the second of its namespace all the same.
      shown(1, 3, at('11:00:00'), { da_height: 7 }),
      shown(1, 4, at('10:00:00'), { da_height: 7 }),
      shown(1, 5, at('10:00:00'), { da_height: 8 }),
    );
    const [sum] = await aggregateOne(dataSource, QUARTER);
    expect(sum).toMatchObject({ status: 0, imported: 2n, feeUnknown: 1n, feeMin: 1100n, feeMax: 1100n });
    const later = one(await aggregateOne(dataSource, unit(1, '', '11:00', '11:15')));
    expect(later).toMatchObject({ imported: 1n, feeMin: 200n });
  });

  it('count each attempt of a chain once, reconstructed ones last', async () => {
    await addNodes(ALPHA, nodeRow(2, 'two', { chain_id: 'alpha' }));
    await insertRows(
      dataSource,
      'imported_fee',
      [1, 2, 3].map((n) => feeRow(7, '', n, 10 ** n)),
    );
    const same = { da_height: 7, digest: 99 };
    await addRows(
      reconstructed(at('10:01:00'), { da_height: 7 }),
      shown(1, 1, at('10:00:00'), same),
      shown(2, 1, at('10:00:00'), { ...same, counts_for_chain: false }),
      shown(2, 2, at('10:02:00'), { da_height: 7 }),
    );
    const sum = one(await aggregateOne(dataSource, CHAIN_QUARTER));
    expect(sum).toMatchObject({ imported: 3n, feeMin: 1110n, reconstructed: 1n, attempts: 2n });
    const second = one(await aggregateOne(dataSource, unit(2, '', '10:00', '10:15')));
    expect(second).toMatchObject({ imported: 2n, feeMin: 110n });
  });

  it('move from one quarter to another when a submission appears before them', async () => {
    await addNodes(ALPHA, nodeRow(2, 'two', { chain_id: 'alpha' }));
    await insertRows(dataSource, 'imported_fee', [feeRow(7, '', 1, 10)]);
    await addRows(shown(2, 1, at('10:00:00'), { da_height: 7 }));
    await new RollUp(dataSource).run();
    expect(await getStored('imported, fee_min', "chain = 'alpha' AND node_key = 0 AND grain = 0")).toEqual([
      { imported: 1n, fee_min: '10' },
    ]);
    // Only the other quarter is marked.
    await addRows(shown(1, 1, at('12:00:00'), { da_height: 7 }));
    await new RollUp(dataSource).run();
    expect(await getStored('imported, fee_min', "chain = 'alpha' AND node_key = 0 AND grain = 0")).toEqual([
      { imported: 0n, fee_min: '0' },
      { imported: 1n, fee_min: '10' },
    ]);
    await expectFullRecompute();
  });
});

describe('distributions and blocks', () => {
  const carried = { evidence: CONFIRMED, da_height: 7, shares: 2, signed_shares: 2 };

  it('take inclusion lag and blob sizes from the blocks that a success carried, each block once', async () => {
    await addNodes(ALPHA, nodeRow(2, 'two', { chain_id: 'alpha' }));
    for (const node of [1, 2]) {
      await insertRows(dataSource, 'block', [
        block(node, 5, at('09:59:50'), { header_da_height: 7, header_blob_bytes: 350, data_da_height: 7 }),
        block(node, 6, at('09:59:55'), {
          header_da_height: 7,
          header_blob_bytes: 340,
          data_da_height: 8,
          data_blob_bytes: 9000,
          tx_count: 3,
        }),
        block(node, 7, at('10:00:05'), { header_da_height: 7, header_blob_bytes: 333 }),
      ]);
    }
    await addRows(
      shown(1, 1, at('10:00:00'), { ...carried, block_from: 5, block_to: 6, blob_count: 2, size_bytes: 690 }),
      shown(1, 2, at('10:00:10'), {
        ...carried,
        kind: DATA,
        da_height: 8,
        block_from: 6,
        block_to: 6,
        size_bytes: 9000,
      }),
      // It claims that it was made before the block.
      shown(1, 3, at('10:00:00'), { ...carried, block_from: 7, block_to: 7, namespace_key: 2 }),
      // Its blocks are not known: the mean counts for each blob, and it has no lag.
      shown(1, 4, at('10:03:00'), { ...carried, kind: MIXED, blob_count: 4, size_bytes: 4000 }),
    );
    const statistics = await aggregateOne(dataSource, QUARTER);
    expect(
      statistics.map(({ kind, namespaceKey, lagMs, blobBytes }) => ({
        of: `${kind}/${namespaceKey}`,
        lag: roundedSketch(lagMs),
        bytes: roundedSketch(blobBytes),
      })),
    ).toEqual([
      { of: '0/1', lag: { count: 2, max: 10_000 }, bytes: { count: 2, max: 350 } },
      { of: '0/2', lag: { count: 1, max: 0 }, bytes: { count: 1, max: 333 } },
      { of: '1/1', lag: { count: 1, max: 15_000 }, bytes: { count: 1, max: 9000 } },
      { of: '2/1', lag: { count: 0, max: null }, bytes: { count: 4, max: 1000 } },
    ]);
    const [headers] = statistics;
    expect(headers?.lagMs.percentile(0.5)).toBeCloseTo(5000, -2);
  });

  it('distinguish headers from data by number and bytes if both share a namespace', async () => {
    await addNodes(ALPHA);
    await insertRows(dataSource, 'block', [
      block(1, 5, at('09:59:50'), {
        header_da_height: 7,
        header_blob_bytes: 350,
        data_da_height: 7,
        data_blob_bytes: 2000,
        tx_count: 1,
      }),
    ]);
    const mixed = { ...carried, kind: MIXED, block_from: 5, block_to: 5 };
    await addRows(
      shown(1, 1, at('10:00:00'), { ...mixed, size_bytes: 350 }),
      shown(1, 2, at('10:00:10'), { ...mixed, size_bytes: 2000 }),
    );
    const sum = one(await aggregateOne(dataSource, QUARTER));
    expect(sum.blobBytes.count).toBe(2);
    expect(sum.lagMs.max).toBe(20_000);
    expect(sum.blobBytes.max).toBe(2000);
    expect(sum.blobBytes.percentile(0.5)).toBeCloseTo(350, -1);
  });

  it('have no lag for landed and reconstructed submissions, and waits only for batches that failed before', async () => {
    await addNodes(ALPHA);
    await insertRows(dataSource, 'block', [
      block(1, 5, at('09:59:50'), { header_da_height: 7, header_blob_bytes: 350 }),
    ]);
    await addRows(
      shown(1, 1, at('10:00:00'), { ...carried, status: TIMED_OUT, block_from: 5, block_to: 5 }),
      reconstructed(at('10:00:00'), { da_height: 7, block_from: 5, block_to: 5 }),
      shown(1, 2, at('10:05:00'), { first_attempt_at: at('10:03:30') }),
    );
    const [success, landed] = await aggregateOne(dataSource, CHAIN_QUARTER);
    expect(success?.lagMs.count).toBe(0);
    expect(roundedSketch(success?.submissionMs ?? Sketch.empty())).toEqual({ count: 1, max: 90_000 });
    expect(roundedSketch(success?.blobBytes ?? Sketch.empty())).toEqual({ count: 2, max: 350 });
    expect(landed?.lagMs.count).toBe(0);
    expect(landed?.blobBytes.count).toBe(1);
  });

  it('count blocks by their own time, and show how far submissions reach in the quarter in which they were made', async () => {
    await addNodes(ALPHA, nodeRow(2, 'two', { chain_id: 'alpha' }));
    const included = { header_da_height: 7, data_da_height: 7 };
    const full = { tx_count: 2, tx_bytes: 100 };
    await insertRows(dataSource, 'block', [
      block(1, 5, at('10:00:00'), included),
      block(2, 5, at('10:00:00')),
      block(2, 6, at('10:01:00'), { ...full, header_da_height: 7, data_da_height: 8 }),
      // Its header is included, its data is not.
      block(1, 7, at('10:02:00'), { ...full, header_da_height: 7 }),
      block(1, 8, at('10:15:00')),
    ]);
    await addRows(
      shown(1, 1, at('11:00:00'), { evidence: CONFIRMED, da_height: 7, block_from: 5, block_to: 6 }),
      shown(1, 2, at('11:01:00'), { evidence: CONFIRMED, da_height: 8, kind: DATA }),
    );
    await mark([at('10:00:00'), at('10:15:00')]);
    await new RollUp(dataSource).run();
    const rows = await dataSource.query(
      `SELECT node_key, to_char(bucket_at AT TIME ZONE 'UTC', 'HH24:MI') AS time, produced::int, included::int,
              transactions::int, included_transactions::int AS inc_tx, tx_bytes::int, last_height::int AS last,
              header_frontier::int AS header, data_frontier::int AS data
         FROM block_statistic WHERE grain = 0 ORDER BY node_key, bucket_at`,
    );
    const none = { produced: 0, included: 0, transactions: 0, inc_tx: 0, tx_bytes: 0, last: null };
    const still = { header: null, data: null };
    const last = { produced: 1, included: 0, transactions: 0, inc_tx: 0, tx_bytes: 0, last: 8 };
    expect(rows).toEqual([
      {
        node_key: 0,
        time: '10:00',
        produced: 3,
        included: 2,
        transactions: 4,
        inc_tx: 2,
        tx_bytes: 200,
        last: 7,
        ...still,
      },
      { node_key: 0, time: '10:15', ...last, ...still },
      { node_key: 0, time: '11:00', ...none, header: 6, data: 6 },
      {
        node_key: 1,
        time: '10:00',
        produced: 2,
        included: 1,
        transactions: 2,
        inc_tx: 0,
        tx_bytes: 100,
        last: 7,
        ...still,
      },
      { node_key: 1, time: '10:15', ...last, ...still },
      { node_key: 1, time: '11:00', ...none, header: 6, data: 6 },
      {
        node_key: 2,
        time: '10:00',
        produced: 2,
        included: 1,
        transactions: 2,
        inc_tx: 2,
        tx_bytes: 100,
        last: 6,
        ...still,
      },
    ]);
  });
});

describe('a chain that several nodes show', () => {
  beforeEach(() =>
    addNodes(ALPHA, nodeRow(2, 'two', { chain_id: 'alpha' }), nodeRow(3, 'three', { chain_id: 'alpha' })),
  );

  it('has each attempt once, and each node its own', async () => {
    const again = { counts_for_chain: false };
    await addRows(
      shown(1, 1, at('10:00:00')),
      shown(2, 1, at('10:00:00'), again),
      shown(3, 7, at('10:00:00'), again),
      shown(2, 2, at('10:01:00')),
      shown(3, 8, at('10:20:00'), again),
      // A row of another chain that the node showed before.
      shown(3, 9, at('10:00:00'), { lineage_key: 2 }),
    );
    expect(one(await aggregateOne(dataSource, CHAIN_QUARTER)).attempts).toBe(2n);
    const third = await aggregateOne(dataSource, unit(3, '', '10:00', '10:15'));
    expect(third.map(({ attempts }) => attempts)).toEqual([1n, 1n]);
  });
});

/** The stored figures equal those of a complete computation. */
async function expectFullRecompute(): Promise<void> {
  const stored = await dumpStatistics(dataSource);
  await dataSource.query('TRUNCATE statistic, block_statistic');
  const rollUp = new RollUp(dataSource);
  await inTransaction(dataSource, (query) => rollUp.markAll(query));
  await rollUp.run();
  expect(await dumpStatistics(dataSource)).toEqual(stored);
}

describe('the figures known at a position', () => {
  it('leave out later rows, evidence, blocks and fees', async () => {
    await addNodes(ALPHA);
    await insertRows(dataSource, 'imported_fee', [feeRow(7, '', 1, 99, 30)]);
    await addRows(
      shown(1, 1, at('10:00:00'), {
        da_height: 7,
        evidence: CONFIRMED,
        evidence_from_position: 20,
        shares: 1,
        signed_shares: 1,
      }),
      shown(1, 2, at('10:00:00'), { from_position: 15, evidence: UNREFERENCED, evidence_from_position: 25 }),
      shown(1, 3, at('10:00:00'), {
        status: TIMED_OUT,
        evidence: CONFIRMED,
        da_height: 8,
        evidence_from_position: 25,
      }),
      reconstructed(at('10:00:00'), { from_position: 12, evidence_from_position: 12, to_position: 18 }),
    );
    await insertRows(dataSource, 'submission_evidence_past', [
      {
        node_key: 1,
        sequence: 2,
        evidence: CONFIRMED,
        lineage_key: 1,
        chain_id: 'alpha',
        kind: 0,
        from_position: 18,
        to_position: 25,
      },
      {
        node_key: 1,
        sequence: 3,
        evidence: 0,
        lineage_key: 1,
        chain_id: 'alpha',
        kind: 0,
        from_position: 10,
        to_position: 25,
      },
    ]);
    const known = async (knownAt: bigint) => {
      const rows = await aggregateOne(dataSource, CHAIN_QUARTER, [], { knownAt });
      return rows.map(({ status, attempts, reconstructed: proven, unreferenced, landed, imported }) =>
        [status, attempts, proven, unreferenced, landed, imported].map(Number),
      );
    };
    expect(await known(9n)).toEqual([]);
    expect(await known(14n)).toEqual([
      [0, 1, 1, 0, 0, 0],
      [5, 1, 0, 0, 0, 0],
    ]);
    expect(await known(18n)).toEqual([
      [0, 2, 0, 0, 0, 0],
      [5, 1, 0, 0, 0, 0],
    ]);
    expect(await known(40n)).toEqual([
      [0, 2, 0, 1, 0, 1],
      [5, 1, 0, 0, 1, 0],
    ]);
  });
});

describe('the roll-up', () => {
  const hours = (condition: string) =>
    getStored(`grain, to_char(bucket_at AT TIME ZONE 'UTC', 'DD HH24:MI') AS time, attempts`, condition);

  it('corrects quarter, hour and day when a row comes late', async () => {
    await addNodes(ALPHA);
    await addRows(shown(1, 1, at('10:00:00')), shown(1, 2, at('10:20:00')), shown(1, 3, at('23:59:59')));
    const rollUp = new RollUp(dataSource);
    await rollUp.run();
    await addRows(shown(1, 4, at('10:01:00')));
    expect(await rollUp.hasMarks()).toBe(true);
    await rollUp.run();
    expect(await rollUp.hasMarks()).toBe(false);
    expect(await hours('node_key = 1')).toEqual([
      { grain: 0, time: '02 10:00', attempts: 2n },
      { grain: 0, time: '02 10:15', attempts: 1n },
      { grain: 0, time: '02 23:45', attempts: 1n },
      { grain: 1, time: '02 10:00', attempts: 3n },
      { grain: 1, time: '02 23:00', attempts: 1n },
      { grain: 2, time: '02 00:00', attempts: 4n },
    ]);
    await expectFullRecompute();
  });

  it('follows evidence, and leaves no bucket behind whose rows are gone', async () => {
    await addNodes(ALPHA);
    await addRows(shown(1, 1, at('10:00:00'), { evidence: UNREFERENCED }), reconstructed(at('11:00:00')));
    await new RollUp(dataSource).run();
    expect(await getStored('unreferenced', 'node_key = 0 AND grain = 2')).toEqual([{ unreferenced: 1n }]);
    await dataSource.query('UPDATE submission SET evidence = 1 WHERE sequence = 1');
    await dataSource.query('UPDATE submission SET to_position = 20 WHERE node_key IS NULL');
    await mark([at('10:00:00'), at('11:00:00')]);
    await new RollUp(dataSource).run();
    expect(await getStored('unreferenced, reconstructed, costed', 'node_key = 0 AND grain = 2')).toEqual([
      { unreferenced: 0n, reconstructed: 0n, costed: 1n },
    ]);
    expect(await hours('node_key = 0 AND grain = 1')).toEqual([{ grain: 1, time: '02 10:00', attempts: 1n }]);
    await dataSource.query('DELETE FROM submission');
    await mark([at('10:00:00')]);
    await new RollUp(dataSource).run();
    expect(await dumpStatistics(dataSource)).toEqual([]);
  });

  it('moves the figures of a node to its chain once the node has named it', async () => {
    await addNodes(nodeRow(1, 'one'));
    await addRows(shown(1, 1, at('10:00:00'), { lineage_key: null }));
    await new RollUp(dataSource).run();
    expect(await dataSource.query('SELECT DISTINCT node_key, chain FROM statistic')).toEqual([
      { node_key: 1, chain: '' },
    ]);
    await dataSource.query("UPDATE node SET chain_id = 'alpha'");
    await dataSource.query("INSERT INTO node_chain VALUES (1, 0, 'alpha', true)");
    await dataSource.query("UPDATE submission SET chain_id = 'alpha'");
    await mark([at('10:00:00')]);
    await new RollUp(dataSource).run();
    expect(
      await dataSource.query('SELECT DISTINCT node_key, chain FROM statistic ORDER BY node_key'),
    ).toEqual([
      { node_key: 0, chain: 'alpha' },
      { node_key: 1, chain: 'alpha' },
    ]);
  });

  it('uses the days of the zone that the chain reports in, including half hours and clock changes', async () => {
    await addNodes(ALPHA);
    await setZone('Asia/Kolkata');
    await addRows(shown(1, 1, at('18:29:59')), shown(1, 2, at('18:30:00')));
    await new RollUp(dataSource).run();
    expect(await hours('node_key = 0 AND grain = 2')).toEqual([
      { grain: 2, time: '01 18:30', attempts: 1n },
      { grain: 2, time: '02 18:30', attempts: 1n },
    ]);
    await setZone('Europe/Berlin');
    // 2026-03-29 has 23 hours: from 23:00 UTC the day before to 22:00 UTC.
    await addRows(
      shown(1, 3, at('23:00:00', '2026-03-28')),
      shown(1, 4, at('21:59:59', '2026-03-29')),
      shown(1, 5, at('22:00:00', '2026-03-29')),
    );
    await new RollUp(dataSource).run();
    expect(await hours(`node_key = 1 AND grain = 2 AND bucket_at > '2026-03-10'`)).toEqual([
      { grain: 2, time: '28 23:00', attempts: 2n },
      { grain: 2, time: '29 22:00', attempts: 1n },
    ]);
  });

  it('leaves no day of a former zone behind when the zone changes', async () => {
    await addNodes(ALPHA);
    const days = ['2026-03-01', DAY, '2026-03-03', '2026-03-07'];
    const rows = days.flatMap((day, index) => [
      shown(1, 2 * index + 1, at('01:00:00', day)),
      shown(1, 2 * index + 2, at('23:30:00', day)),
    ]);
    await addRows(...rows);
    for (const zone of ['Europe/Berlin', 'Asia/Kolkata', 'America/New_York', 'UTC']) {
      await setZone(zone);
      const rollUp = new RollUp(dataSource, { quarters: 3 });
      await inTransaction(dataSource, (query) => rollUp.markAll(query, { chain: 'alpha' }));
      await rollUp.run();
      const total = await getStored('sum(attempts) OVER () AS total', 'node_key = 1 AND grain = 2');
      expect(total[0]).toEqual({ total: '8' });
      await expectFullRecompute();
    }
  });

  it('computes everything again when a rebuild has put new tables in place', async () => {
    await addNodes(ALPHA);
    await addRows(shown(1, 1, at('10:00:00')));
    const rollUp = new RollUp(dataSource);
    await rollUp.run();
    expect(await rollUp.hasMarks()).toBe(false);
    await dataSource.query('CREATE TABLE price_again (LIKE price INCLUDING ALL)');
    await dataSource.query('DROP TABLE price');
    await dataSource.query('ALTER TABLE price_again RENAME TO price');
    await dataSource.query('DELETE FROM submission');
    expect(await rollUp.hasMarks()).toBe(true);
    await rollUp.run();
    expect(await rollUp.hasMarks()).toBe(false);
    expect(await dumpStatistics(dataSource)).toEqual([]);
  });

  it('processes subjects and quarters in bounded transactions, and stops on request', async () => {
    await addNodes(ALPHA, nodeRow(2, 'two', { chain_id: 'alpha' }));
    await addRows(
      ...Array.from({ length: 30 }, (_, n) => shown(1 + (n % 2), n + 1, at(`${10 + (n % 10)}:00:00`))),
    );
    let asked = 0;
    const rollUp = new RollUp(dataSource, { owners: 1, quarters: 4, pageRows: 2 });
    await rollUp.run(() => ++asked < 3);
    expect(asked).toBe(3);
    expect(await rollUp.hasMarks()).toBe(true);
    await rollUp.run();
    expect(await rollUp.hasMarks()).toBe(false);
    await expectFullRecompute();
  });
});

async function setZone(zone: string): Promise<void> {
  await dataSource.query(
    `INSERT INTO chain_setting (chain, reporting_time_zone, from_position) VALUES ('alpha', $1, 1)
     ON CONFLICT (chain) DO UPDATE SET reporting_time_zone = excluded.reporting_time_zone`,
    [zone],
  );
}
