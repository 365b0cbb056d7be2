import type { RecordedEvent } from '../../src/domain/events.js';
import { digestOfRow } from '../../src/domain/submissions/recorded-row.js';
import { microsToMillis, millisToMicros, type Micros } from '../../src/domain/time.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { emptyTables } from '../support/empty-tables.js';
import { recordLog } from '../support/record-log.js';
import { SmallLog } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';
import { takeEvents } from '../support/read-models.js';

const dataSource = useDatabase();

async function project(log: readonly RecordedEvent[], batchSize = Infinity): Promise<void> {
  await emptyTables(dataSource, new RecordProjection().tables);
  for (let from = 0; from < log.length; from += batchSize) {
    await takeEvents(dataSource, new RecordProjection(), log.slice(from, from + batchSize));
  }
}

function select<Row>(columns: string, where = 'true'): Promise<Row[]> {
  return dataSource.query(
    `SELECT ${columns} FROM submission s WHERE to_position IS NULL AND ${where} ORDER BY node_key, sequence, da_height, kind`,
  );
}

/** Shares by their definition, of the blobs that the columns of a row name. */
const SHARES_OF_BLOCKS = `(
  SELECT sum(CASE WHEN bytes <= first THEN 1 ELSE 1 + ceil((bytes - first) / 482.0) END)::int
    FROM (SELECT DISTINCT height, CASE s.kind WHEN 0 THEN header_blob_bytes ELSE data_blob_bytes END AS bytes
            FROM block b WHERE b.lineage_key = s.lineage_key AND height BETWEEN s.block_from AND s.block_to
             AND (s.kind = 0 OR tx_count > 0)) blobs)`;

describe('the blobs of the recorded submissions', () => {
  it.each([{ cut: undefined }, { cut: { from: 60_000, to: 180_000 } }])(
    'are known individually if blocks show them, with two unmonitored minutes: $cut',
    async ({ cut }) => {
      await project(recordLog({ nodes: ['aggregator', 'follower'], ...(cut && { cut }) }), 40);
      const shares = (first: number) => SHARES_OF_BLOCKS.replaceAll('first', String(first));
      const rows = await select<Record<string, string | number | null>>(
        `kind, evidence, blob_count, shares, signed_shares, ${shares(478)} AS plain, ${shares(458)} AS signed`,
        'evidence IN (1, 4, 5)',
      );
      expect(rows).toHaveLength(256);
      expect(rows.some(({ evidence }) => evidence === 4)).toBe(cut !== undefined);
      for (const row of rows) {
        expect(row['shares']).not.toBeNull();
        expect({ ...row, shares: row['plain'], signed_shares: row['signed'] }).toEqual(row);
        if (row['kind'] === 0) expect(row['shares']).toBe(row['blob_count']);
      }
      const others =
        'evidence NOT IN (1, 4, 5) AND num_nonnulls(shares, signed_shares, block_from, block_to) > 0';
      expect(await select('*', others)).toEqual([]);
    },
  );

  it('are recorded when a confirmed submission turns out to have carried an earlier block too', async () => {
    const log = new SmallLog().register('a').describe('a', 'one');
    log.blocks('a', 'one', [
      { height: 2, headerDa: 100 },
      { height: 3, headerDa: 101 },
    ]);
    log.rows('a', [{ da: 100, blobs: 2, bytes: 662 }]).now += 1_000;
    log.watch('a');
    const columns = 'evidence, evidence_from_position, block_from, block_to, shares, signed_shares';
    const known = { evidence: 1, evidence_from_position: 5n };
    const later = { ...known, evidence_from_position: 6n };
    await project(log.events, 1);
    const unknown = { block_from: null, block_to: null, shares: null, signed_shares: null };
    expect(await select(columns)).toEqual([{ ...known, ...unknown }]);
    log.blocks('a', 'one', [{ height: 1, headerDa: 100 }]);
    const exact = [{ ...later, block_from: 1n, block_to: 2n, shares: 2, signed_shares: 2 }];
    for (const batchSize of [1, 2, Infinity]) {
      await project(log.events, batchSize);
      expect(await select(columns)).toEqual(exact);
    }
  });

  it('are counted by shares, with and without signer', async () => {
    const log = new SmallLog().register('a').describe('a', 'one');
    log.blocks('a', 'one', [
      { height: 1, headerDa: 100, dataDa: 100, dataBytes: 470 },
      { height: 2, headerDa: 100 },
      { height: 3, headerDa: 100, dataDa: 100, dataBytes: 1_000 },
    ]);
    log.rows('a', [{ da: 100, blobs: 2, bytes: 1_470, kind: 'data' }]);
    await project(log.events);
    expect(await select('block_from, block_to, shares, signed_shares')).toEqual([
      { block_from: 1n, block_to: 3n, shares: 4, signed_shares: 5 },
    ]);
  });
});

describe('the digest of a row', () => {
  it('is equal for two addresses of one node, and for all ways to write the row', async () => {
    const log = new SmallLog().register('a').register('b');
    const texts = [
      log.rowText({ da: 1 }),
      '{"height": 1}',
      '{"height":1}',
      'not json',
      '{"message":"\\u0000"}',
    ];
    log.rows('a', texts).rows('b', texts, false);
    await project(log.events);
    const digests = (await select<{ digest: string }>('digest')).map(({ digest }) => BigInt(digest));
    const expected = texts.map(digestOfRow);
    expect(digests).toEqual([...expected, ...expected]);
    expect(expected[2]).toBe(expected[1]);
    expect(new Set(expected).size).toBe(texts.length - 1);
  });
});

describe('the first attempt of a success', () => {
  const failed = { status: 'Error' };
  const { START } = SmallLog;

  it.each([
    { story: 'F F S', first: [0] },
    { story: 'S S', first: [null, null] },
    { story: 'F S S', first: [0, null] },
    { story: 'F d S D', first: [0, 1] },
    { story: 'F n N S', first: [1, 0] },
    { story: 'F | S', first: [null] },
    { story: 'F | F S', first: [2] },
    { story: 'F ? S', first: [0] },
    { story: 'F b S B', first: [0, 1] },
    { story: 'F | b B S', first: [2, null] },
    { story: 'S F F S d F D S', first: [null, 1, 4, 5] },
  ])('is the first attempt of its batch: $story', async ({ story, first }) => {
    const log = new SmallLog().register('a').register('b');
    story.split(' ').forEach((step, index) => {
      log.now = index * 60_000;
      const kind = /d/i.test(step) ? 'data' : /n/i.test(step) ? 'none' : 'header';
      const isFailure = step === 'F' || step === step.toLowerCase();
      if (step === '|') log.lose('a', 'SubmissionWindowLost');
      else if (step === '?') log.lose('a', 'SubmissionHistoryMissing');
      else log.rows(/b/i.test(step) ? 'b' : 'a', [{ kind, ...(isFailure ? failed : { da: 100 }) }]);
    });
    const rowsOf = async () =>
      (await dataSource.query(
        `SELECT first_attempt_at FROM submission WHERE status = 0 ORDER BY from_position`,
      )) as { first_attempt_at: Micros | null }[];
    for (const batchSize of [1, 3, Infinity]) {
      await project(log.events, batchSize);
      const found = (await rowsOf()).map(
        ({ first_attempt_at: at }) => at && (microsToMillis(at) - START) / 60_000,
      );
      expect(found).toEqual(first);
    }
  });

  it('is remembered for as long as the batch fails, and no longer', async () => {
    const log = new SmallLog().register('a').rows('a', [failed, { ...failed, kind: 'data' }]);
    await project(log.events, 1);
    expect(await dataSource.query('SELECT node_key FROM submission_run')).toHaveLength(2);
    log.rows('a', [{ da: 100 }]);
    await project(log.events, 1);
    expect(await dataSource.query('SELECT first_attempt_at FROM submission_run')).toEqual([
      { first_attempt_at: millisToMicros(START) },
    ]);
    log.lose('a', 'SubmissionWindowLost');
    await project(log.events, 1);
    expect(await dataSource.query('SELECT * FROM submission_run')).toEqual([]);
  });

  it('takes no more memory for a node that names a new namespace each time', async () => {
    const log = new SmallLog().register('a');
    const rows = Array.from({ length: 1_500 }, (_, index) =>
      log.rowText(failed).replace(/"namespace":"\w*"/, `"namespace":"${String(index).padStart(58, '0')}"`),
    );
    await project(log.rows('a', rows).events);
    expect(await dataSource.query('SELECT 1 FROM submission_run')).toHaveLength(1_000);
  });
});
