import type { DataSource } from 'typeorm';
import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { LogPartitions } from '../../src/event-log/log-partitions.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { inTransaction, onConnection, toSource } from '../../src/platform/sql.js';
import { startTestDatabase } from '../support/database.js';

const retired: NewEvent = { type: 'NodeRetired', observedAt: 1, body: {} };

describe('the partitions of the log', () => {
  let database: Awaited<ReturnType<typeof startTestDatabase>>;
  let dataSource: DataSource;
  let store: EventStore;

  beforeEach(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url }).initialize();
    store = new EventStore(dataSource);
    expect(await append('first/node')).toEqual({ won: true, version: 1n });
  });

  afterEach(async () => {
    await dataSource?.destroy();
    await database?.stop();
  });

  it('are created again if the first commit of a month failed', async () => {
    await turnTo('2199-12-01T00:00:01Z');
    await expect(append('refused\u0000/node')).rejects.toThrow(/invalid byte sequence/);
    expect(await append('a/node')).toEqual({ won: true, version: 1n });
    expect(await getPartitions()).toContain('event_2199_12');
  });

  it('are created for an unexpected month while a dump reads the log', async () => {
    await whileSomebodyReads(async () => {
      await turnTo('2199-12-01T00:00:01Z');
      expect(await append('a/node')).toEqual({ won: true, version: 1n });
      const { events } = await store.readRange(0n, await store.lastPosition(), ['NodeRetired'], 10);
      expect(events.map(({ stream }) => stream)).toEqual(['first/node', 'a/node']);
    });
  });

  it('are created by a process of the previous version, inside its append, while a dump reads the log', async () => {
    await whileSomebodyReads(() =>
      inTransaction(dataSource, async (query) => {
        await query('SELECT position FROM log_head FOR UPDATE');
        await query('SELECT ensure_event_partition($1)', ['2199-12-01T00:00:01Z']);
        await query(
          `INSERT INTO event (position, stream, version, type, schema, observed_at, recorded_at, body, hash)
           VALUES (2, 'old/node', 1, 'NodeRetired', 1, now(), '2199-12-01T00:00:01Z', '{}', '\\x00')`,
        );
      }),
    );
    expect(await getPartitions()).toContain('event_2199_12');
  });

  it('exist ahead of time: the current month and the next two, even around the new year', async () => {
    const partitions = new LogPartitions(dataSource, new SystemClock());
    await partitions.ensureAhead(14);
    const months = await dataSource.query<{ name: string }[]>(
      `SELECT 'event_' || to_char(date_trunc('month', now() AT TIME ZONE 'UTC') + ahead * interval '1 month', 'YYYY_MM') AS name
         FROM generate_series(0, 13) ahead`,
    );
    expect(await getPartitions()).toEqual(months.map(({ name }) => name));
    // All of them again, by several processes at once: nothing happens.
    await Promise.all([1, 2, 3].map(() => new LogPartitions(dataSource, new SystemClock()).ensureAhead(14)));
    expect(await getPartitions()).toHaveLength(14);
  });

  it('from before an event that was read are left out of the plans for later events', async () => {
    await turnTo('2199-12-01T00:00:01Z');
    for (const stream of ['a/node', 'b/node']) await append(stream);
    const upTo = await store.lastPosition();
    const readAfter = (position: bigint) =>
      inTransaction(dataSource, async (query) => {
        const source = toSource(query);
        const { events } = await store.readRange(position, upTo, ['NodeRetired'], 10, source);
        // The server locks all partitions that a statement may read.
        const locked = await query<{ name: string }>(
          `SELECT relation::regclass::text AS name FROM pg_locks
            WHERE pid = pg_backend_pid() AND relation::regclass::text ~ '^event_[0-9]+_[0-9]+$' ORDER BY name`,
        );
        return { streams: events.map(({ stream }) => stream), locked: locked.map(({ name }) => name) };
      });
    const all = await getPartitions();
    expect(all.length).toBeGreaterThan(1);
    expect(await readAfter(1n)).toEqual({ streams: ['a/node', 'b/node'], locked: all });
    expect(await readAfter(2n)).toEqual({ streams: ['b/node'], locked: ['event_2199_12'] });
    expect(await readAfter(0n)).toEqual({ streams: ['first/node', 'a/node', 'b/node'], locked: all });
  });

  it('are not left out for an event of a server whose clock was an hour behind', async () => {
    await turnTo('2199-12-01T12:00:00Z');
    for (const stream of ['a/node', 'b/node']) await append(stream);
    const readAfter = (position: bigint) => store.readRange(position, 4n, ['NodeRetired'], 10);
    expect((await readAfter(1n)).events).toHaveLength(2);
    await dataSource.query(
      `INSERT INTO event (position, stream, version, type, schema, observed_at, recorded_at, body, hash)
       VALUES (4, 'late/node', 1, 'NodeRetired', 1, now(), '2199-12-01T11:00:00Z', '{}', '\\x00')`,
    );
    expect((await readAfter(3n)).events.map(({ stream }) => stream)).toEqual(['late/node']);
  });

  it('equal the parent: the same columns, compression, indexes and guards', async () => {
    await new LogPartitions(dataSource, new SystemClock()).ensure('2199-12-31T23:59:59Z');
    const columns = (table: string) =>
      dataSource.query(
        `SELECT attname, atttypid, attnotnull, attcompression, attstorage FROM pg_attribute
          WHERE attrelid = $1::regclass AND attnum > 0 ORDER BY attnum`,
        [table],
      );
    expect(await columns('event_2199_12')).toEqual(await columns('event'));
    const indexes = await dataSource.query(
      `SELECT i.inhparent::regclass::text AS parent FROM pg_index x JOIN pg_inherits i ON i.inhrelid = x.indexrelid
        WHERE x.indrelid = 'event_2199_12'::regclass ORDER BY parent`,
    );
    expect(indexes).toEqual([{ parent: 'event_position_idx' }, { parent: 'event_stream_idx' }]);
    // The triggers also apply to a role that was given the rights.
    await dataSource.query('GRANT ALL ON event_2199_12 TO CURRENT_USER');
    await turnTo('2199-12-31T23:59:59Z');
    await append('a/node');
    for (const sql of [
      "UPDATE event_2199_12 SET type = 'x'",
      'DELETE FROM event_2199_12',
      'TRUNCATE event_2199_12',
    ]) {
      await expect(dataSource.query(sql)).rejects.toThrow(/append-only/);
    }
  });

  it('that were created or detached, and are not attached, are put back with their rows', async () => {
    await turnTo('2199-12-01T00:00:01Z');
    await append('a/node');
    await dataSource.query('ALTER TABLE event DETACH PARTITION event_2199_12');
    // This process knew the partition: one append may fail because of that, and no later one.
    await append('b/node').catch(() => undefined);
    expect(await append('c/node')).toEqual({ won: true, version: 1n });
    expect((await store.readStreamBack('a/node', [], 1)).map(({ version }) => version)).toEqual([1n]);
    await dataSource.query('CREATE TABLE event_2200_01 (LIKE event)');
    await turnTo('2200-01-31T00:00:01Z');
    expect(await append('d/node')).toEqual({ won: true, version: 1n });
    expect(await getPartitions()).toEqual(expect.arrayContaining(['event_2199_12', 'event_2200_01']));
  });

  it('say what blocks them if their lock cannot be had, and delay no append of an existing month', async () => {
    const holder = dataSource.createQueryRunner();
    await holder.query('BEGIN');
    await holder.query('LOCK TABLE event IN SHARE UPDATE EXCLUSIVE MODE');
    // A clock that does not wait between the tries.
    const hasty = Object.assign(new SystemClock(), { sleep: () => Promise.resolve() });
    const refusal = expect(
      new LogPartitions(dataSource, hasty).ensure('2199-12-01T00:00:01Z'),
    ).rejects.toThrow(/lock timeout/);
    expect(await append('a/node')).toEqual({ won: true, version: 1n });
    await refusal;
    await holder.query('ROLLBACK');
    await holder.release();
    await new LogPartitions(dataSource, hasty).ensure('2199-12-01T00:00:01Z');
    expect(await getPartitions()).toContain('event_2199_12');
  });

  const append = (stream: string) => store.append({ stream, expectedVersion: 0n, events: [retired] });

  /** Makes the log believe that this is the time: times of the log never go back. */
  const turnTo = (time: string) => dataSource.query('UPDATE log_head SET recorded_at = $1', [time]);

  async function getPartitions(): Promise<string[]> {
    const rows = await dataSource.query<{ name: string }[]>(
      `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'event'::regclass ORDER BY name`,
    );
    return rows.map(({ name }) => name);
  }

  /** Like pg_dump: one snapshot, and a shared lock on the log for as long as it takes. */
  function whileSomebodyReads(work: () => Promise<void>): Promise<void> {
    return onConnection(dataSource, async (query) => {
      await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await query('SELECT count(*) FROM event');
      await work();
      await query('COMMIT');
    });
  }
});
