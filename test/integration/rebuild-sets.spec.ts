import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { createDataSource } from '../../src/platform/database.js';
import { OtherRules, type Projection } from '../../src/projections/projection.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { measureRoom, requireRoom } from '../../src/projections/rebuild/disk-room.js';
import { type ReadModelSet, findOtherVersions } from '../../src/projections/rebuild/read-model-set.js';
import type { RebuildState } from '../../src/projections/rebuild/rebuild-progress.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { runMigrations } from '../../src/platform/migrations.js';
import { onConnection } from '../../src/platform/sql.js';
import { READ_MODEL_SETS } from '../../src/statistics/read-model-sets.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { startEmptyDatabase, startTestDatabase, type TestDatabase } from '../support/database.js';
import { randomLog } from '../support/random-log.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { seededRandom } from '../support/seeded-random.js';
import { uncoveredBySpans } from '../support/spans.js';
import { CONTENT, contentTables } from '../support/table-content.js';

const RECORD = readModelSet('record');
const LOG = randomLog(seededRandom(11), 3_000);
/** Events of the synthetic log that are appended at a time. */
const AT_ONCE = 200;

describe('sets of read models', () => {
  let database: TestDatabase;
  let dataSource: DataSource;
  let store: EventStore;

  beforeEach(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url }).initialize();
    store = new EventStore(dataSource);
  });

  afterEach(async () => {
    await dataSource?.destroy();
    await database?.stop();
  });

  it('are rebuilt in tables of the same shape, with the same comments and indexes', async () => {
    const shape = () =>
      dataSource.query(
        `SELECT c.relname, a.attname, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull,
                pg_get_expr(d.adbin, d.adrelid) AS initial, col_description(c.oid, a.attnum) AS comment,
                obj_description(c.oid) AS about, c.reloptions,
                (SELECT json_agg(pg_get_constraintdef(k.oid) ORDER BY k.conname) FROM pg_constraint k WHERE k.conrelid = c.oid) AS checks
           FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
           LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
          WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' ORDER BY c.relname, a.attnum`,
      );
    const indexes = () =>
      dataSource.query("SELECT indexname, indexdef FROM pg_indexes WHERE schemaname = 'public' ORDER BY 1");
    const oids = (): Promise<{ name: string; oid: string }[]> =>
      dataSource.query('SELECT name, to_regclass(name)::oid AS oid FROM unnest($1::text[]) name', [tables]);
    const tables = READ_MODEL_SETS.flatMap((set) => [
      ...set.createProjections().flatMap((projection) => projection.tables),
      ...(set.derived?.tables ?? []),
    ]);
    const before = { shape: await shape(), indexes: await indexes(), oids: await oids() };
    for (const set of READ_MODEL_SETS) await rebuildNow(dataSource, set);
    expect({ shape: await shape(), indexes: await indexes() }).toEqual({
      shape: before.shape,
      indexes: before.indexes,
    });
    const known = new Set(before.oids.map(({ oid }) => oid));
    expect((await oids()).filter(({ oid }) => oid === null || known.has(oid))).toEqual([]);
  });

  it('include every table of a read model', async () => {
    const inSets = READ_MODEL_SETS.flatMap((set) => [
      ...set.createProjections().flatMap((projection) => projection.tables),
      ...(set.derived?.tables ?? []),
    ]);
    const others = await dataSource.query<{ name: string }[]>(
      "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename <> ALL ($1) ORDER BY 1",
      [inSets],
    );
    // Other tables: the log, its companions, and the tables that operate read models.
    const known =
      /^(event(_\d{4}_\d\d)?|log_head|stream_head|observer_lease|api_key|rebuild_failure|projection_(checkpoint|fault)|schema_migration)$/;
    expect(others.map(({ name }) => name).filter((name) => !known.test(name))).toEqual([]);
  });

  it('continue where an interrupted rebuild stopped, and start again if the rules have changed', async () => {
    // More than a rebuild reads at a time.
    await fill(1_400);
    await project(RECORD);
    const live = await dump(RECORD);
    await interrupt(RECORD);
    const reached = await replayedOf('record');
    expect(reached).toBeGreaterThan(0n);
    expect(reached).toBeLessThan(await store.lastPosition());
    const resumed: RebuildState[] = [];
    await rebuildNow(dataSource, RECORD, { report: (state) => resumed.push(state) });
    expect(resumed[0]?.isResumed).toBe(true);
    expect(resumed[0]?.position).toBe(0n);
    expect(resumed[0]?.share).toBeGreaterThan(0.4);
    expect(await dump(RECORD)).toEqual(live);
    // The same again, under another version: the first rebuild's work is of no use.
    await interrupt(RECORD);
    const anew: RebuildState[] = [];
    await rebuildNow(dataSource, withVersion(RECORD, 'record', 77), { report: (state) => anew.push(state) });
    expect(anew[0]?.isResumed).toBe(false);
    expect(await versionOf('record')).toBe(77);
  });

  it('keep the keys of the live tables, whatever keys the replay would have given', async () => {
    // Another release met other names first.
    await dataSource.query("INSERT INTO node (node_key, id, url, from_position) VALUES (1, 'gone', '', 0)");
    await dataSource.query("INSERT INTO namespace VALUES (1, 'an older one')");
    await dataSource.query("INSERT INTO lineage VALUES (1, 'older-1', 1, 0)");
    await dataSource.query("INSERT INTO proposer VALUES (1, 'aa', 'bb', 1, 1)");
    await fill(300);
    await project(RECORD);
    const keys = async () => [
      await dataSource.query('SELECT node_key, id FROM node ORDER BY 1'),
      await dataSource.query('SELECT * FROM namespace ORDER BY 1'),
      await dataSource.query('SELECT * FROM lineage ORDER BY 1'),
      await dataSource.query('SELECT * FROM proposer ORDER BY 1'),
    ];
    const before = await keys();
    const live = await dump(RECORD);
    await rebuildNow(dataSource, RECORD);
    expect(await keys()).toEqual(before);
    expect(await dump(RECORD)).toEqual(live);
  });

  it('are written by no process with other rules, until a rebuild uses these rules', async () => {
    await fill(200);
    await project(RECORD);
    const older = RECORD.createProjections();
    const newer = withVersion(RECORD, 'record', 78);
    const runner = new ProjectionRunner(dataSource, store);
    await fill(20);
    const end = await store.lastPosition();
    const [changed] = newer.createProjections();
    await expect(runner.catchUp(changed as Projection, end)).rejects.toThrow(OtherRules);
    expect(await onConnection(dataSource, (query) => findOtherVersions(query, newer))).toEqual([
      { name: 'record', stored: older[0]?.version, ours: 78 },
    ]);
    await rebuildNow(dataSource, newer);
    expect(await onConnection(dataSource, (query) => findOtherVersions(query, newer))).toEqual([]);
    await expect(runner.catchUp(older[0] as Projection, end)).rejects.toMatchObject({
      remedy: expect.stringContaining('install that release'),
    });
    await expect(
      dataSource.query("UPDATE projection_checkpoint SET position = 1, version = 1 WHERE name = 'record'"),
    ).rejects.toThrow('The read model record is of version 78, not 1');
  });

  it('have statistics that no roll-up with other rules changes', async () => {
    await fill(200);
    await project(RECORD);
    const before = await dump(RECORD);
    await dataSource.query("UPDATE statistic_state SET value = '0' WHERE name = 'version'");
    await dataSource.query("INSERT INTO roll_up_mark VALUES (1, '', '2026-11-21 05:00Z')");
    await expect(new RollUp(dataSource).run()).rejects.toThrow('has version 0');
    expect(await onConnection(dataSource, (query) => findOtherVersions(query, RECORD))).toEqual([
      { name: 'statistics', stored: 0, ours: RECORD.derived?.version },
    ]);
    await rebuildNow(dataSource, RECORD);
    await new RollUp(dataSource).run();
    expect(await dump(RECORD)).toEqual(before);
  });

  it('can be read without an error while they are swapped again and again', async () => {
    await fill(200);
    await project(RECORD);
    const rows = await counted();
    const readers = await createDataSource({ url: database.url, poolSize: 4 }).initialize();
    const reading = { isOn: true, answers: 0 };
    // Reads tables in another order than the swap takes them.
    const read = async () => {
      while (reading.isOn) {
        const [row] = await readers.query<{ n: number }[]>(
          `SELECT count(*)::int AS n FROM statistic st, LATERAL (
             SELECT 1 FROM loss l RIGHT JOIN submission s ON true JOIN lineage USING (lineage_key)
              JOIN node n ON n.node_key = s.node_key LIMIT 1) t`,
        );
        expect(row?.n).toBe(rows);
        reading.answers += 1;
        // Two of the four are under way at any time; that leaves the rebuild a core.
        await sleep(3);
      }
    };
    const all = Promise.all(Array.from({ length: 4 }, read));
    try {
      for (let n = 0; n < 3; n += 1) await rebuildNow(dataSource, RECORD);
    } finally {
      reading.isOn = false;
    }
    await all;
    await readers.destroy();
    expect(reading.answers).toBeGreaterThan(50);
  }, 240_000);

  it('replay what is recorded meanwhile before they block anything', async () => {
    await fill(300);
    await project(RECORD);
    const others = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    const waits = async (): Promise<boolean> => {
      const free = await others.query<unknown[]>(
        "SELECT 1 FROM projection_checkpoint WHERE name = 'record' FOR UPDATE SKIP LOCKED",
      );
      return free.length === 0;
    };
    const late = { events: 0, whileOthersWait: 0 };
    let end = 0n;
    const watched = derived(RECORD, (projection) => ({
      apply: async (events, query) => {
        const isLate = end > 0n;
        if (isLate) late.events += events.length;
        if (isLate && (await waits())) late.whileOthersWait += events.length;
        return projection.apply(events, query);
      },
    }));
    // When the new tables have everything, more is recorded, and the live tables show it.
    const compare = async () => {
      const before = await store.lastPosition();
      await fill(500);
      await project(RECORD);
      end = await store.lastPosition();
      expect(end - before).toBe(500n);
    };
    await rebuildNow(dataSource, watched, { compare });
    await others.destroy();
    expect(await replayedLive()).toBe(end);
    expect(late.events).toBeGreaterThan(100);
    expect(late.whileOthersWait).toBe(0);
  });

  it('keep the spans of lists wide enough, before a swap and after it', async () => {
    await fill(300);
    await project(RECORD);
    await rebuildNow(dataSource, RECORD);
    expect(await uncoveredBySpans(dataSource)).toBe(0);
    const spans = () => dataSource.query('SELECT sum(last_time_ns)::text AS times FROM block_span');
    const before = await spans();
    await fill(300);
    await project(RECORD);
    expect(await spans()).not.toEqual(before);
    expect(await uncoveredBySpans(dataSource)).toBe(0);
  });

  it('leave the live tables alone if an earlier rebuild died after its swap', async () => {
    await fill(200);
    await project(RECORD);
    const live = await dump(RECORD);
    // A death at that point may leave the bookkeeping without the tables.
    await interrupt(RECORD);
    for (const table of new RecordProjection().tables)
      await dataSource.query(`DROP TABLE rebuild_record."${table}"`);
    await dataSource.query(
      'UPDATE rebuild_record.projection_checkpoint SET position = position - 50, version = version',
    );
    const states: RebuildState[] = [];
    await rebuildNow(dataSource, RECORD, { report: (state) => states.push(state) });
    expect(states[0]?.isResumed).toBe(false);
    expect(await dump(RECORD)).toEqual(live);
    expect(await dataSource.query("SELECT 1 FROM pg_namespace WHERE nspname LIKE 'rebuild%'")).toEqual([]);
  });

  it('carry over rights of roles and columns, and what views are made with', async () => {
    const role = `review-${process.pid} reader`;
    await dataSource.query(`CREATE ROLE "${role}"`);
    try {
      await dataSource.query(`GRANT SELECT ON claim TO "${role}"`);
      await dataSource.query(`GRANT SELECT (node, kind) ON claim TO PUBLIC`);
      await dataSource.query(
        'CREATE VIEW claims_of WITH (security_invoker = true) AS SELECT node, status FROM claim',
      );
      const describe = () =>
        dataSource.query(
          `SELECT c.relname, c.relacl::text, c.reloptions::text, pg_get_userbyid(c.relowner) AS owner,
                  (SELECT string_agg(attname || attacl::text, ' ' ORDER BY attnum) FROM pg_attribute WHERE attrelid = c.oid) AS columns
             FROM pg_class c WHERE c.oid IN ('claim'::regclass, 'claims_of'::regclass) ORDER BY 1`,
        );
      const before = await describe();
      await rebuildNow(dataSource, readModelSet('claims'));
      expect(await describe()).toEqual(before);
    } finally {
      await dataSource.query(`DROP OWNED BY "${role}"`);
      await dataSource.query(`DROP ROLE "${role}"`);
    }
  });

  it('report what they cannot carry over before anything is replayed', async () => {
    await dataSource.query('CREATE MATERIALIZED VIEW claims_now AS SELECT node FROM claim');
    const rebuilding = rebuildNow(dataSource, readModelSet('claims'), { report: () => expect(1).toBe(2) });
    await expect(rebuilding).rejects.toThrow('cannot carry over the materialized view claims_now');
  });

  it('stay where the role keeps its tables', async () => {
    const schema = 'own place';
    const elsewhere = await startEmptyDatabase();
    const own = await createDataSource({ url: elsewhere.url, poolSize: 4, schemas: [schema] }).initialize();
    try {
      await own.query(`CREATE SCHEMA "${schema}"`);
      await runMigrations(own);
      await rebuildNow(own, readModelSet('claims'));
      expect(await own.query("SELECT to_regclass('claim') IS NOT NULL AS there")).toEqual([{ there: true }]);
      expect(await own.query('SELECT name FROM projection_checkpoint')).toEqual([{ name: 'claims' }]);
      expect(await own.query("SELECT to_regclass('public.claim') AS there")).toEqual([{ there: null }]);
    } finally {
      await own.destroy();
      await elsewhere.stop();
    }
  });

  it('do not begin if the disk has no room for a second copy', async () => {
    const room = await measureRoom(dataSource, 'rebuild_record', ['node', 'submission', 'block']);
    expect(room.needed).toBeGreaterThan(10_000n);
    expect(() => requireRoom({ needed: 10_000_000n, free: 11_999_999n })).toThrow(
      'takes about 10.0 MB, and 12.0 MB are free',
    );
    expect(() => requireRoom({ needed: 10_000_000n, free: 12_000_000n })).not.toThrow();
    expect(() => requireRoom({ needed: 10_000_000n, free: undefined })).not.toThrow();
  });

  let filled = 0;
  let versions = new Map<string, bigint>();
  beforeEach(() => {
    filled = 0;
    versions = new Map();
  });

  /** Appends the next events of a synthetic log, some of each stream at once. */
  async function fill(count: number): Promise<void> {
    for (const end = filled + count; filled < end; filled = Math.min(filled + AT_ONCE, end)) {
      const streams = new Map<string, NewEvent[]>();
      for (const { stream, type, body, observedAt } of LOG.slice(filled, Math.min(filled + AT_ONCE, end))) {
        const event = { type, body, observedAt: Number(observedAt / 1000n) } as NewEvent;
        streams.set(stream, [...(streams.get(stream) ?? []), event]);
      }
      for (const [stream, events] of streams) {
        const appended = await store.append({ stream, expectedVersion: versions.get(stream) ?? 0n, events });
        if (!appended.won) throw new Error(`somebody else appended to ${stream}`);
        versions.set(stream, appended.version);
      }
    }
  }

  /** Begins a rebuild, and ends it after its first step. */
  async function interrupt(set: ReadModelSet): Promise<void> {
    const stop = new AbortController();
    const rebuilding = rebuildNow(dataSource, set, {
      signal: stop.signal,
      report: () => stop.abort(new Error('enough')),
    });
    await expect(rebuilding).rejects.toThrow('enough');
  }

  async function project(set: ReadModelSet): Promise<void> {
    const runner = new ProjectionRunner(dataSource, store);
    const end = await store.lastPosition();
    for (const projection of set.createProjections()) await runner.catchUp(projection, end);
    await new RollUp(dataSource).run();
  }

  async function dump(set: ReadModelSet): Promise<Record<string, unknown>> {
    const tables: Record<string, unknown> = {};
    const names = contentTables(set.createProjections().flatMap((projection) => projection.tables));
    for (const name of [...names, 'statistic', 'block_statistic']) {
      tables[name] = await dataSource.query(
        `SELECT ${CONTENT} AS row FROM "${name}" t ORDER BY ${CONTENT} COLLATE "C"`,
      );
    }
    return tables;
  }

  async function counted(): Promise<number> {
    const [row] = await dataSource.query('SELECT count(*)::int AS n FROM statistic');
    return row.n as number;
  }

  async function replayedOf(name: string): Promise<bigint> {
    const [row] = await dataSource.query(
      'SELECT position FROM rebuild_record.projection_checkpoint WHERE name = $1',
      [name],
    );
    return BigInt(row.position);
  }

  async function replayedLive(): Promise<bigint> {
    const [row] = await dataSource.query("SELECT position FROM projection_checkpoint WHERE name = 'record'");
    return BigInt(row.position);
  }

  async function versionOf(name: string): Promise<number> {
    const [row] = await dataSource.query('SELECT version FROM projection_checkpoint WHERE name = $1', [name]);
    return row.version as number;
  }
});

/** The same set, with a projection of another version. */
function withVersion(set: ReadModelSet, name: string, version: number): ReadModelSet {
  return derived(set, (projection) => (projection.name === name ? { version } : {}));
}

/** The same set, with projections that differ somewhere. */
function derived(set: ReadModelSet, differ: (projection: Projection) => Partial<Projection>): ReadModelSet {
  const createProjections = () =>
    set
      .createProjections()
      .map((projection) => Object.assign(Object.create(projection) as Projection, differ(projection)));
  return { ...set, createProjections };
}
