import type { RecordedEvent } from '../../src/domain/events.js';
import { cutRow } from '../../src/domain/submissions/cut-row.js';
import { SUBMISSION_EVIDENCES, SUBMISSION_KINDS } from '../../src/domain/submissions/submission-codes.js';
import type { Projection } from '../../src/projections/projection.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { emptyTables } from '../support/empty-tables.js';
import { appendTo, HEADER_NAMESPACE, recordLog, type RecordLogOptions } from '../support/record-log.js';
import { randomLog } from '../support/random-log.js';
import { loadRecording, loadTruth } from '../support/recording.js';
import { seededRandom } from '../support/seeded-random.js';
import { twinLog } from '../support/twin-log.js';
import { CONTENT, contentTables } from '../support/table-content.js';
import { useDatabase } from '../support/use-database.js';
import { takeEvents } from '../support/read-models.js';

const dataSource = useDatabase();

/** More logs find rarer cases; these few guard what more logs have found to hold. */
const RANDOM_LOGS = Number(process.env['RANDOM_LOGS'] ?? 1);
const TABLES = new RecordProjection().tables;

/** Applies a log to empty tables in batches of a size, with a new instance every so often, as after a restart. */
async function project(
  log: readonly RecordedEvent[],
  batchSize = 5_000,
  restartEvery = Infinity,
): Promise<void> {
  await emptyTables(dataSource, TABLES);
  let projection: Projection = new RecordProjection();
  const handled = log.filter(({ type }) => projection.handles.includes(type));
  for (let from = 0, batch = 1; from < handled.length; from += batchSize, batch++) {
    await takeEvents(dataSource, projection, handled.slice(from, from + batchSize));
    if (batch % restartEvery === 0) projection = new RecordProjection();
  }
}

async function dump(): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const table of contentTables(TABLES)) {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT ${CONTENT} AS row FROM ${table} t ORDER BY ${CONTENT} COLLATE "C"`,
    );
    tables[table] = rows.map(({ row }) => row);
  }
  return tables;
}

interface Row {
  sequence: bigint | null;
  status: number;
  kind: string;
  evidence: string;
  da_height: bigint | null;
  blob_count: number;
  size_bytes: bigint | null;
  wild_time: boolean;
}

async function getSubmissions(condition = 'true'): Promise<Row[]> {
  const rows = await dataSource.query<(Row & { kind: number; evidence: number })[]>(
    `SELECT sequence, status, kind, evidence, da_height, blob_count, size_bytes, wild_time FROM submission
      WHERE to_position IS NULL AND ${condition} ORDER BY sequence NULLS LAST, da_height, kind`,
  );
  return rows.map((row) => ({
    ...row,
    kind: SUBMISSION_KINDS[row.kind] ?? '',
    evidence: SUBMISSION_EVIDENCES[row.evidence] ?? '',
  }));
}

function countBy<T>(items: readonly T[], keyOf: (item: T) => string): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const item of items) counts[keyOf(item)] = (counts[keyOf(item)] ?? 0) + 1;
  return counts;
}

/** The recorded successes that a block of either recording points to, as `kind da count bytes`. */
function provenSuccesses(from: number, to: number): string[] {
  return loadTruth()
    .filter(({ t, row }) => t >= from && t < to && row['status_code'] === 'Success')
    .map(({ row }) => {
      const kind = row['namespace'] === HEADER_NAMESPACE ? 'HEADER' : 'DATA';
      return [kind, row['height'], row['num_blobs'], row['blob_size']].join(' ');
    });
}

const nameOf = (row: Row) => `${row.kind} ${row.da_height} ${row.blob_count} ${row.size_bytes}`;

describe('the record of the recorded aggregator', () => {
  const log = recordLog({ nodes: ['aggregator'], every: 500 });
  const shown = log.flatMap((event) => (event.type === 'SubmissionsObserved' ? event.body.rows : []));
  const blocks = log.reduce(
    (sum, event) => sum + (event.type === 'BlocksObserved' ? event.body.count : 0),
    0,
  );

  beforeAll(() => project(log));

  it('holds every row of the ring with its kind and status', async () => {
    const rows = await getSubmissions('node_key IS NOT NULL');
    expect(loadTruth().length - shown.length).toBeLessThan(5);
    expect(rows.map(({ sequence }) => Number(sequence))).toEqual(shown.map((_, index) => index + 1));
    expect(rows.map(({ kind }) => kind)).toEqual(
      shown.map((row) => (row.includes(HEADER_NAMESPACE) ? 'HEADER' : 'DATA')),
    );
    expect(rows.map(({ status }) => status === 0)).toEqual(shown.map((row) => row.includes('"Success"')));
    expect(rows.filter(({ wild_time }) => wild_time)).toEqual([]);
  });

  it('confirms every success that a block points to, and no other', async () => {
    const rows = await getSubmissions('status = 0');
    const frozenAt = 239_000;
    const before = provenSuccesses(0, frozenAt);
    const confirmed = rows.filter(({ evidence }) => evidence === 'CONFIRMED').map(nameOf);
    expect(confirmed.toSorted()).toEqual(before.toSorted());
    expect(countBy(rows, ({ evidence }) => evidence)).toEqual({
      CONFIRMED: before.length,
      UNCONFIRMED: rows.length - before.length,
    });
  });

  it('leaves failures as observed', async () => {
    const failures = await getSubmissions('status <> 0');
    expect(countBy(failures, ({ evidence }) => evidence)).toEqual({ OBSERVED: failures.length });
  });

  it('holds every block, with each check decided', async () => {
    const [counts] = await dataSource.query<Record<string, bigint>[]>(
      `SELECT count(*) AS blocks, count(*) FILTER (WHERE checks & 3 = 1) AS link, count(*) FILTER (WHERE checks >> 2 & 3 = 1) AS hash,
              count(*) FILTER (WHERE checks >> 4 & 3 = 1) AS signature, count(*) FILTER (WHERE checks >> 8 & 3 = 1) AS data,
              count(*) FILTER (WHERE last_header_hash IS NOT NULL) AS stated FROM block`,
    );
    expect(loadRecording('aggregator').blocks.length - blocks).toBeLessThan(3);
    expect(counts).toEqual({
      blocks: BigInt(blocks),
      link: BigInt(blocks - 1),
      hash: BigInt(blocks - 1),
      signature: BigInt(blocks),
      data: BigInt(blocks),
      stated: 0n,
    });
  });

  it('has the present state of the node', async () => {
    const [node] = await dataSource.query<Record<string, unknown>[]>('SELECT * FROM node');
    expect(node).toMatchObject({
      id: 'aggregator',
      chain_id: 'lab-1',
      inclusion_frontier: 475n,
      submission_count: BigInt(shown.length),
      block_count: BigInt(blocks),
      list_state: 'AVAILABLE',
    });
  });

  it('records the first contact and one reset for each restart, with nothing proven lost', async () => {
    const losses = await dataSource.query<{ kind: string; min_lost: bigint }[]>(
      'SELECT kind, min_lost FROM loss WHERE to_position IS NULL ORDER BY loss_position',
    );
    expect(losses.map(({ kind, min_lost }) => `${kind} ${min_lost}`)).toEqual([
      'BEFORE_START 0',
      'RESET 0',
      'RESET 0',
    ]);
  });
});

describe('a follower of the same chain', () => {
  it('changes only what it alone shows', async () => {
    await project(recordLog({ nodes: ['aggregator', 'follower'] }));
    const confirmed = await getSubmissions('status = 0 AND evidence = 1');
    expect(confirmed.map(nameOf)).toEqual(provenSuccesses(0, 239_500));
    expect(await getSubmissions('evidence = 4')).toEqual([]);
  });
});

const UNSEEN = [
  { from: 20_000, to: 140_000 },
  { from: 115_000, to: 235_000 },
  { from: 60_000, to: 180_000 },
  { from: 100_000, to: 220_000 },
];

// More logs bring more of these cases.
describe.each(UNSEEN.slice(0, RANDOM_LOGS))('two minutes without a poll, $from to $to', ({ from, to }) => {
  it.each([{ nodes: ['aggregator'] as const }, { nodes: ['aggregator', 'follower'] as const }])(
    'are restored from the blocks of $nodes',
    async ({ nodes }) => {
      await project(recordLog({ nodes, cut: { from, to } }), 97, 3);
      const seen = new Set((await getSubmissions('status = 0 AND node_key IS NOT NULL')).map(nameOf));
      const lost = provenSuccesses(0, 239_000).filter((name) => !seen.has(name));
      expect(lost.length).toBeGreaterThan(10);
      // Failures behind the gap may be a part of the lost rows. The record then reports this possibility, and no row is invented.
      const rebuilt = await getSubmissions('evidence IN (4, 5)');
      expect(rebuilt.map(nameOf).sort()).toEqual(lost.sort());
      const certain = rebuilt.filter(({ evidence }) => evidence === 'RECONSTRUCTED').length;
      expect(certain).toBeGreaterThan(0.7 * lost.length);
      const [loss] = await dataSource.query<Record<string, unknown>[]>(
        `SELECT kind, min_lost, shown_lost FROM loss WHERE kind = 'OVERFLOW' AND to_position IS NULL`,
      );
      expect(loss).toMatchObject({ kind: 'OVERFLOW', shown_lost: BigInt(certain) });
      // If some are undecided, there are more of them than recorded rows that may be them: the others are certainly lost.
      if (certain < lost.length) expect(loss?.['min_lost']).toBeGreaterThan(BigInt(certain));
      else expect(loss?.['min_lost']).toBe(BigInt(certain));
      expect(loss?.['min_lost']).toBeLessThanOrEqual(BigInt(lost.length));
      const withdrawn = await dataSource.query('SELECT 1 FROM submission WHERE to_position IS NOT NULL');
      expect(withdrawn).toEqual([]);
    },
  );
});

describe('the tables do not depend on how the log is cut into batches, nor on restarts', () => {
  it('for the recording', async () => {
    const log = recordLog({
      nodes: ['aggregator', 'follower'],
      cut: { from: 40_000, to: 160_000 },
      to: 290_000,
    });
    await project(log);
    const whole = await dump();
    expect(whole['submission']?.length).toBeGreaterThan(200);
    await project(log, 1, 100);
    expect(await dump()).toEqual(whole);
    await project(log, 7, 1);
    expect(await dump()).toEqual(whole);
  });

  it.each(Array.from({ length: RANDOM_LOGS }, (_, index) => index + 1))(
    'for synthetic log %d',
    async (seed) => {
      // Every third log has a second address that shows the same rows.
      const log = seed % 3 === 0 ? twinLog(seededRandom(seed), 90) : randomLog(seededRandom(seed), 150);
      await expectOneOutcome(log, seed);
    },
  );

  it.each(Array.from({ length: RANDOM_LOGS }, (_, index) => index + 1))(
    'for synthetic log %d, whose rows have fewer fields',
    async (seed) => {
      const random = seededRandom(seed);
      const isTerse = true;
      const log = seed % 3 === 0 ? twinLog(random, 90, { isTerse }) : randomLog(random, 400, { isTerse });
      await expectOneOutcome(log, seed);
    },
  );

  async function expectOneOutcome(log: readonly RecordedEvent[], seed: number): Promise<void> {
    await project(log);
    const whole = await dump();
    for (const [batchSize, restartEvery] of [
      [1, 13],
      [5, 1],
      [7, Infinity],
    ] as const) {
      await project(log, batchSize, restartEvery);
      expect({ seed, ...(await dump()) }).toEqual({ seed, ...whole });
    }
  }
});

describe('a row that two addresses show', () => {
  it('is recognised by its content, not by its spelling or by how much of it the log has', async () => {
    const sent = {
      id: 'submission_7_1795225722',
      height: 7,
      blob_size: 331,
      timestamp: '2026-11-21T03:48:42.150234614Z',
      status_code: 'Error',
      num_blobs: 1,
      message: 'größer '.repeat(1_000),
    };
    const log: RecordedEvent[] = [];
    const observedAt = Date.parse('2026-11-21T03:48:43Z');
    const texts = [JSON.stringify(sent), JSON.stringify(sent, null, 2), cutRow(JSON.stringify(sent))];
    for (const [index, text] of texts.entries()) {
      appendTo(log, `n${index}/node`, [{ type: 'NodeRegistered', observedAt, body: { url: 'http://n' } }]);
      const looks = { first: observedAt, last: observedAt, count: 1, longestGapMs: 0 };
      const body = {
        looks,
        overlap: 0,
        anchored: false,
        source: 0,
        ring: 0,
        newestFirst: true,
        ringSize: 100,
      };
      const rows = { ...body, firstSequence: 1, rows: [text] };
      appendTo(log, `n${index}/submissions`, [{ type: 'SubmissionsObserved', observedAt, body: rows }]);
    }
    await project(log);
    const rows = await dataSource.query<Record<string, unknown>[]>(
      `SELECT digest, message, message_bytes, size_bytes, da_height, blob_count, occurred_at::text
         FROM submission ORDER BY node_key`,
    );
    expect(new Set(rows.map(({ digest }) => digest)).size).toBe(1);
    const facts = { size_bytes: 331n, blob_count: 1, occurred_at: rows[0]?.['occurred_at'] };
    expect(rows).toEqual([
      expect.objectContaining({
        ...facts,
        message: `${sent.message.slice(0, 4_000)} … (cut)`,
        message_bytes: 9000n,
      }),
      expect.objectContaining({
        ...facts,
        message: `${sent.message.slice(0, 4_000)} … (cut)`,
        message_bytes: 9000n,
      }),
      expect.objectContaining({
        ...facts,
        message: `${sent.message.slice(0, 200)} … (cut)`,
        message_bytes: null,
      }),
    ]);
  });
});

describe('hostile rows', () => {
  it('are recorded with everything readable, and stop nothing', async () => {
    const log: RecordedEvent[] = [];
    const at = Date.UTC(2026, 10, 21);
    const looks = { first: at, last: at, count: 1, longestGapMs: 0, nodeClock: at };
    const rows = [
      '{"status_code":"Success","timestamp":"2099-01-01T00:00:00Z","height":5,"num_blobs":1,"blob_size":1}',
      '{"status_code":"Success","timestamp":"0001-01-01T00:00:00Z","height":9223372036854775807}',
      '{"status_code":"Success","height":18446744073709551615,"num_blobs":4294967296,"blob_size":-1}',
      '{"status_code":"Exploded\\u0000","message":"a\\ud800b\\u0000c","timestamp":"+292277026596-12-04T15:30:07Z"}',
      '{"status_code":"Error","timestamp":9223372036854775807,"gas_price":1e99,"namespace":"nonsense"}',
      'not json',
      '[]',
    ];
    const body = { looks, overlap: 0, anchored: false, source: 0, ring: 2_000_000_000, newestFirst: true };
    appendTo(log, 'wild/submissions', [
      {
        type: 'SubmissionsObserved',
        observedAt: at,
        body: { ...body, ringSize: 100, firstSequence: 1, rows },
      },
      {
        type: 'SubmissionWindowLost',
        observedAt: at,
        body: { looks, source: 0, after: 7, from: null, to: at, minLost: 0, maxLost: null, likelyLost: 1.5 },
      },
    ]);
    appendTo(log, 'wild/blocks', [
      {
        type: 'BlockInclusionObserved',
        observedAt: at,
        body: {
          chain: 'c'.repeat(100_000),
          lineage: 1,
          heights: [['18446744073709551615', '18446744073709551615', null]],
        },
      },
    ]);
    // A name that nodes can no longer report stays in the logs that have it.
    const chain = 'x\u202e\u0085\u009b31m\u200b';
    const silent = { servicePrefix: null, shape: null, aggregator: null };
    const description = { chain, ...silent, headerNamespace: null, dataNamespace: null };
    appendTo(log, 'hidden/node', [{ type: 'NodeDescribed', observedAt: at, body: description }]);
    await project(log);
    expect(await dataSource.query("SELECT chain_id FROM node WHERE id = 'hidden'")).toEqual([
      { chain_id: chain },
    ]);
    const stored = await getSubmissions();
    expect(stored.map(({ wild_time }) => wild_time)).toEqual(rows.map(() => true));
    expect(stored.map(({ da_height }) => da_height)).toEqual([5n, ...Array(6).fill(null)]);
    expect(await dataSource.query('SELECT message FROM submission WHERE message IS NOT NULL')).toEqual([
      { message: 'a\ufffdb\ufffdc' },
    ]);
  });
});

describe('rows with fewer fields than those of the recorded node', () => {
  /** Exactly the fields that the specification names. */
  const toSpecified = (row: Readonly<Record<string, unknown>>, ids: object) => ({
    timestamp: row['timestamp'],
    ...ids,
    num_blobs: row['num_blobs'],
    status: row['status_code'],
    gas_price: row['gas_price'],
    error_message: row['message'],
  });
  const withIds = (row: Readonly<Record<string, unknown>>) => toSpecified(row, { blob_ids: row['blob_ids'] });
  const withoutIds = (row: Readonly<Record<string, unknown>>) => toSpecified(row, {});
  const withoutEnvelope = (row: Readonly<Record<string, unknown>>) => ({
    ...row,
    ...(row['namespace'] === HEADER_NAMESPACE && row['blob_size'] !== 0
      ? { blob_size: Number(row['blob_size']) - 66 * Number(row['num_blobs']) }
      : {}),
  });
  const log = (options: Partial<RecordLogOptions>) =>
    recordLog({ nodes: ['aggregator'], every: 3_000, to: 240_000, ...options });
  const getEvidence = async () =>
    countBy(await getSubmissions('(status = 0 OR node_key IS NULL)'), ({ evidence }) => evidence);

  it.each([
    ['exactly what the specification names', { rewrite: withIds, tellsNoNamespaces: true }, 'OBSERVED'],
    ['all, but the node does not tell its namespaces', { tellsNoNamespaces: true }, 'OBSERVED'],
    ['header sizes without the signature of the envelope', { rewrite: withoutEnvelope }, 'UNCONFIRMED'],
  ] as const)('%s: are confirmed like full rows, and none is duplicated', async (_, options, waiting) => {
    await project(log({}));
    const { CONFIRMED, UNCONFIRMED, ...others } = await getEvidence();
    expect(others).toEqual({});
    await project(log(options));
    expect(await getEvidence()).toEqual({ CONFIRMED, [waiting]: UNCONFIRMED });
  });

  it('without an id: stay as they were seen, and none is duplicated', async () => {
    await project(log({ rewrite: withoutIds, tellsNoNamespaces: true }));
    expect(Object.keys(await getEvidence())).toEqual(['OBSERVED']);
  });

  it('some without an id: rows between them are not decided, however the log is cut', async () => {
    const isBare = ({ height }: Readonly<Record<string, unknown>>) =>
      Number(height) < 20 && Number(height) % 3 === 0;
    const rewrite = (row: Readonly<Record<string, unknown>>) => (isBare(row) ? withoutIds(row) : row);
    const cut = { from: 20_000, to: 140_000 };
    const getRebuilt = async () =>
      (await getSubmissions('node_key IS NULL')).map(({ kind, da_height }) => `${kind} ${da_height}`);
    await project(log({ cut }));
    const lost = await getRebuilt();
    const some = log({ rewrite, cut });
    await project(some);
    const whole = await dump();
    const rebuilt = await getRebuilt();
    expect(rebuilt).toHaveLength(68);
    expect(lost).toEqual(expect.arrayContaining(rebuilt));
    await project(some, 7, 5);
    expect(await dump()).toEqual(whole);
  });
});
