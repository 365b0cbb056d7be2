import type { DataSource } from 'typeorm';
import type { NewEvent } from '../../src/domain/events.js';
import type { Micros } from '../../src/domain/time.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import type { Projection, Handover } from '../../src/projections/projection.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import type { ReadModelSet } from '../../src/projections/rebuild/read-model-set.js';
import { ChangesReader } from '../../src/projections/record/readers/changes.reader.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { thinChanges } from '../../src/projections/record/thin-changes.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { randomLog } from '../support/random-log.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { seededRandom } from '../support/seeded-random.js';

const RECORD = readModelSet('record');
const LOG = randomLog(seededRandom(23), 1_500);
const MINUTE_US: Micros = 60_000_000n;

/** Rows of the three tables: their content by their keys, current rows only. */
type Copy = Map<string, string>;

let database: TestDatabase;
let dataSource: DataSource;
let store: EventStore;
let changes: ChangesReader;
let versions: Map<string, bigint>;
let filled: number;

beforeEach(async () => {
  database = await startTestDatabase();
  dataSource = await createDataSource({ url: database.url, poolSize: 6 }).initialize();
  store = new EventStore(dataSource);
  changes = new ChangesReader(dataSource);
  versions = new Map();
  filled = 0;
});

afterEach(async () => {
  await dataSource?.destroy();
  await database?.stop();
});

describe('change numbers', () => {
  it('are the same for all rows that a transaction writes, and the next one for the next transaction', async () => {
    await fill(300);
    const end = await store.lastPosition();
    const projection = new RecordProjection();
    const runner = new ProjectionRunner(dataSource, store, 20);
    const seen: bigint[] = [];
    await runner.catchUp(projection, end, async () => {
      const [last = 0n] = seen.slice(-1);
      const newer = await changesAfter(last);
      expect(newer.length).toBeLessThanOrEqual(1);
      seen.push(...newer);
      return true;
    });
    expect(seen).toHaveLength(15);
    const given = await dataSource.query<{ change: bigint; at: Micros }[]>(
      'SELECT change, at FROM record_change ORDER BY change',
    );
    expect(given.map(({ change }) => change)).toEqual(seen);
    expect(new Set(given.map(({ at }) => at)).size).toBe(given.length);
    expect(given.map(({ at }) => at)).toEqual(given.map(({ at }) => at).sort((a, b) => (a < b ? -1 : 1)));
  });

  it('are not assigned if no submission, block or loss is written', async () => {
    await fill(200);
    await project();
    const before = await changesAfter(-1n);
    await append('alpha/node', { type: 'NodeRegistered', observedAt: 1, body: { url: 'http://alpha' } });
    await project();
    expect(await dataSource.query("SELECT 1 AS found FROM node WHERE id = 'alpha'")).toHaveLength(1);
    expect(await changesAfter(-1n)).toEqual(before);
    const [last] = await dataSource.query('SELECT max(change) AS change FROM record_change');
    expect(last.change).toBe(before.at(-1));
  });

  it('continue after the last one when the clock was set back', async () => {
    await dataSource.query("INSERT INTO record_change VALUES (7, '2100-01-01T00:00:00Z')");
    await fill(100);
    await project();
    expect(
      await dataSource.query('SELECT change, at FROM record_change ORDER BY 1 LIMIT 1 OFFSET 1'),
    ).toEqual([{ change: 8n, at: 4_102_444_800_000_001n }]);
  });

  it('are found by a time: the last one assigned a minute before, as it may not have been committed', async () => {
    const at = 1_800_000_000_000_000n;
    await dataSource.query(
      `INSERT INTO record_change SELECT n, to_timestamp(1800000000 + s) FROM (VALUES (3, 0), (4, 10), (5, 20), (6, 20), (7, 30)) v (n, s)`,
    );
    const since = (seconds: bigint) => changes.firstChangeSince(at + MINUTE_US + seconds * 1_000_000n);
    expect(await Promise.all([-1n, 0n, 9n, 10n].map(since))).toEqual([0n, 3n, 3n, 4n]);
    // All rows that a rebuild wrote have one time.
    expect(await Promise.all([20n, 29n, 30n, 99n].map(since))).toEqual([5n, 5n, 7n, 7n]);
  });
});

describe('a reader of changes since a time', () => {
  it('misses nothing, wherever it reads, even over a swap', async () => {
    const copy: Copy = new Map();
    let number = 0n;
    const reader = async (): Promise<void> => {
      number = await readOn(copy, number);
      expect(copy).toEqual(await readAll());
    };
    for (let part = 0; part < 8; part += 1) {
      await fill(40);
      await project();
      await reader();
    }
    const before = number;
    await fill(40);
    await rebuildNow(dataSource, RECORD);
    const after = await changesAfter(-1n);
    expect(after.filter((change) => change <= before)).toEqual([]);
    await reader();
    await fill(40);
    await project();
    expect(await changesAfter(number)).toHaveLength(6);
    await reader();
  });

  it('misses nothing over a swap while numbers are thinned', async () => {
    const copy: Copy = new Map();
    await fill(150);
    await project();
    const number = await readOn(copy, 0n);
    await fill(150);
    await project();
    const thin = async (): Promise<void> => {
      await dataSource.query("UPDATE record_change SET at = at - interval '40 days'");
      await thinChanges(dataSource, new AbortController().signal);
    };
    const thinned: number[] = [];
    const beside = withSuccession((succession) => ({
      ...succession,
      carryOver: async (query, live, done) => {
        await thin();
        const left = await dataSource.query<unknown[]>('SELECT change FROM record_change');
        thinned.push(left.length);
        return succession.carryOver(query, live, done);
      },
    }));
    await rebuildNow(dataSource, beside);
    expect(Math.max(...thinned)).toBeLessThanOrEqual(2);
    // The first and the last number of the swap are distinguished from later ones, which have far fewer rows.
    const [first, last, ...more] = await dataSource.query<{ change: bigint; at: Micros }[]>(
      'SELECT change, at FROM record_change ORDER BY 1',
    );
    expect(last?.at).toBe(first?.at);
    expect(more).toEqual([]);
    expect(await changesAfter(last?.change ?? 0n)).toEqual([]);
    await fill(40);
    await thin();
    await project();
    await readOn(copy, number);
    expect(copy).toEqual(await readAll());
    expect((await changesAfter(-1n))[0]).toBeGreaterThan(first?.change ?? 0n);
  });

  it('gets, for any time before a swap, everything that the swap brought', async () => {
    await fill(300);
    await project();
    await rebuildNow(dataSource, RECORD);
    const [row] = await dataSource.query(
      'SELECT min(change) AS first, min(at) AS at, max(at) AS last FROM record_change',
    );
    expect(row.at).toBe(row.last);
    expect(await changes.firstChangeSince(row.at + MINUTE_US)).toBe(row.first);
    expect(await changes.firstChangeSince(row.at)).toBe(0n);
  });

  it('finds what the old rules had reconstructed, and the new ones have not, as withdrawn', async () => {
    await fill(300);
    await project();
    await reconstruct(77);
    const copy: Copy = new Map();
    const number = await readOn(copy, 0n);
    expect(copy.has('lineage 1 HEADER 77')).toBe(true);
    let passes = 0;
    const withLate = withSuccession((succession) => ({
      ...succession,
      // The live rules reconstructed this row between the two passes.
      carryOver: async (query, live, done) => {
        const reached = await succession.carryOver(query, live, done);
        passes += 1;
        if (passes === 1) await reconstruct(78, UNDECIDED);
        return reached;
      },
    }));
    await rebuildNow(dataSource, withLate);
    expect(passes).toBe(2);
    await readOn(copy, number);
    expect(copy.has('lineage 1 HEADER 77')).toBe(false);
    expect(copy).toEqual(await readAll());
    const withdrawn = () =>
      dataSource.query(
        'SELECT da_height, to_position - from_position AS known FROM submission WHERE da_height IN (77, 78) ORDER BY 1',
      );
    const both = [
      { da_height: 77n, known: 0n },
      { da_height: 78n, known: 0n },
    ];
    expect(await withdrawn()).toEqual(both);
    await rebuildNow(dataSource, RECORD);
    expect(await withdrawn()).toEqual(both);
  });
});

const RECONSTRUCTED = 4;
const UNDECIDED = 5;

/** A row that only blocks prove, as a release with other rules would have written it. */
async function reconstruct(daHeight: number, evidence = RECONSTRUCTED): Promise<void> {
  await dataSource.query(
    `INSERT INTO submission (lineage_key, chain_id, status, kind, evidence, wild_time, unreadable, blob_count, da_height, size_bytes,
       observed_at, time_at, from_position, evidence_from_position)
     SELECT 1, 'c1', 0, 0, $2, false, false, 1, $1, 331, now(), now(), 100, 100`,
    [daHeight, evidence],
  );
}

function withSuccession(change: (succession: Handover) => Handover): ReadModelSet {
  const derive = (projection: Projection): Projection =>
    projection.succession
      ? Object.assign(Object.create(projection) as Projection, { succession: change(projection.succession) })
      : projection;
  return { ...RECORD, createProjections: () => RECORD.createProjections().map(derive) };
}

async function fill(count: number): Promise<void> {
  const part = LOG.slice(filled, (filled += count));
  expect(part).toHaveLength(count);
  await Promise.all(
    part.map(({ stream, type, body, observedAt }) =>
      append(stream, { type, body, observedAt: Number(observedAt / 1_000n) } as NewEvent),
    ),
  );
}

async function append(stream: string, event: NewEvent): Promise<void> {
  const expectedVersion = versions.get(stream) ?? 0n;
  versions.set(stream, expectedVersion + 1n);
  expect((await store.append({ stream, expectedVersion, events: [event] })).won).toBe(true);
}

async function project(): Promise<void> {
  await new ProjectionRunner(dataSource, store, 7).catchUp(
    new RecordProjection(),
    await store.lastPosition(),
  );
}

/** Every row: its key, its content, whether it is current, and its number. */
const ROWS = `
  SELECT CASE WHEN node_key IS NULL THEN concat_ws(' ', 'lineage', lineage_key, (ARRAY['HEADER', 'DATA'])[kind + 1], da_height)
              ELSE concat_ws(' ', 'row', node_key, sequence) END AS name,
         (to_jsonb(s) - 'change')::text AS content, to_position IS NULL AS stands, change FROM submission s
  UNION ALL SELECT concat_ws(' ', 'block', node_key, lineage_key, height), (to_jsonb(b) - 'change')::text, true, change FROM block b
  UNION ALL SELECT concat_ws(' ', 'loss', loss_position), (to_jsonb(l) - 'change')::text, to_position IS NULL, change FROM loss l`;

interface ChangedRow {
  readonly name: string;
  readonly content: string;
  readonly stands: boolean;
  readonly change: bigint;
}

/** Updates a copy with all rows of a given number or a larger one; returns the largest number met. */
async function readOn(copy: Copy, from: bigint): Promise<bigint> {
  const rows = await dataSource.query<ChangedRow[]>(
    `SELECT * FROM (${ROWS}) r WHERE change >= $1 ORDER BY stands`,
    [String(from)],
  );
  for (const { name, content, stands } of rows) {
    if (stands) copy.set(name, content);
    else copy.delete(name);
  }
  return rows.reduce((most, { change }) => (change > most ? change : most), from);
}

async function readAll(): Promise<Copy> {
  const rows = await dataSource.query<ChangedRow[]>(`SELECT * FROM (${ROWS}) r WHERE stands`);
  return new Map(rows.map(({ name, content }) => [name, content]));
}

/** The numbers of rows above a given one, in ascending order. */
async function changesAfter(number: bigint): Promise<bigint[]> {
  const rows = await dataSource.query<{ change: bigint }[]>(
    `SELECT DISTINCT change FROM (${ROWS}) r WHERE change > $1 ORDER BY 1`,
    [String(number)],
  );
  return rows.map(({ change }) => change);
}
