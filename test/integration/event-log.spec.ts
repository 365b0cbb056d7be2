import type { DataSource } from 'typeorm';
import { randomBytes } from 'node:crypto';
import type { EventType, NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { verifyLog } from '../../src/event-log/verify-log.js';
import { createDataSource } from '../../src/platform/database.js';
import { startTestDatabase } from '../support/database.js';

describe('the event log', () => {
  let database: Awaited<ReturnType<typeof startTestDatabase>>;
  let dataSource: DataSource;
  let store: EventStore;

  beforeAll(async () => {
    database = await startTestDatabase();
    dataSource = await createDataSource({ url: database.url }).initialize();
    store = new EventStore(dataSource);
  });

  afterAll(async () => {
    await dataSource?.destroy();
    await database?.stop();
  });

  it('appends to a stream only at the version that the observer decided on', async () => {
    expect(await store.append({ stream: 'a/node', expectedVersion: 0n, events: [retired(1)] })).toEqual({
      won: true,
      version: 1n,
    });
    expect(await store.append({ stream: 'a/node', expectedVersion: 0n, events: [retired(2)] })).toEqual({
      won: false,
    });
    expect(
      await store.append({ stream: 'a/node', expectedVersion: 1n, events: [retired(3), retired(4)] }),
    ).toEqual({
      won: true,
      version: 3n,
    });
    const events = await store.readStreamBack('a/node', [], 10);
    expect(events.map((event) => [event.version, event.observedAt])).toEqual([
      [3n, 4000n],
      [2n, 3000n],
      [1n, 1000n],
    ]);
  });

  it('lets one of two waiting appends lose without spoiling the other streams', async () => {
    const results = await Promise.all([
      store.append({ stream: 'b/node', expectedVersion: 0n, events: [retired(1)], state: { n: 1 } }),
      store.append({ stream: 'b/node', expectedVersion: 0n, events: [retired(2)], state: { n: 2 } }),
      store.append({ stream: 'c/node', expectedVersion: 0n, events: [retired(3)] }),
    ]);
    expect(results.map((result) => result.won)).toEqual([true, false, true]);
    expect(await store.loadStream('b/node')).toEqual({ version: 1n, state: { n: 1 } });
    expect(await store.loadStream('nobody/node')).toEqual({ version: 0n, state: undefined });
  });

  it('rejects an append that the database refuses and records the other ones', async () => {
    const poison = { type: 'NodeRetired', observedAt: 1, body: {} } as const;
    const results = await Promise.allSettled([
      store.append({ stream: 'd/node', expectedVersion: 0n, events: [retired(1)] }),
      store.append({ stream: 'nul\u0000/node', expectedVersion: 0n, events: [poison] }),
      store.append({ stream: 'e/node', expectedVersion: 0n, events: [retired(1)] }),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  });

  it('shows a reader every position in order, whichever process appends', async () => {
    const other = await createDataSource({ url: database.url }).initialize();
    const stores = [store, new EventStore(other)];
    const from = await store.lastPosition();
    let writing = true;
    const seen: bigint[] = [];
    const reader = (async () => {
      let position = from;
      for (;;) {
        const last = !writing;
        const { events } = await store.readRange(position, 1n << 62n, ['NodeRetired'], 1000);
        for (const event of events) seen.push((position = event.position));
        if (last && events.length === 0) return;
      }
    })();
    await Promise.all(
      stores.map(async (appender, index) => {
        for (let round = 0; round < 150; round += 1) {
          const streams = [`race-${index}-${round % 7}/node`, 'race-shared/node'];
          await Promise.all(
            streams.map(async (stream) => {
              const { version } = await appender.loadStream(stream);
              await appender.append({
                stream,
                expectedVersion: version,
                events: [retired(round), retired(round)],
              });
            }),
          );
        }
      }),
    );
    writing = false;
    await reader;
    const { events: all } = await store.readRange(from, 1n << 62n, ['NodeRetired'], 1_000_000);
    expect(seen).toEqual(all.map((event) => event.position));
    expect(seen).toEqual(seen.map((_, index) => from + BigInt(index) + 1n));
    expect(isOrdered(all.map((event) => event.recordedAt))).toBe(true);
    const versions = all.filter((event) => event.stream === 'race-shared/node').map((event) => event.version);
    expect(versions).toEqual(versions.map((_, index) => BigInt(index) + 1n));
    await other.destroy();
  });

  it('never lets recorded_at go back, even when the database clock does', async () => {
    await dataSource.query("UPDATE log_head SET recorded_at = now() + interval '10 minutes'");
    await store.append({ stream: 'ahead/node', expectedVersion: 0n, events: [retired(1)] });
    const [first, second] = await store.readStreamBack('ahead/node', [], 2).then(async ([event]) => {
      await store.append({ stream: 'ahead/node', expectedVersion: 1n, events: [retired(2)] });
      return [event as RecordedEvent, (await store.readStreamBack('ahead/node', [], 1))[0] as RecordedEvent];
    });
    expect(second?.recordedAt).toBeGreaterThanOrEqual(first?.recordedAt ?? 0n);
  });

  it('keeps rows exactly as sent, even those that Postgres or JSON would not accept', async () => {
    const rows = [
      '{"id":"x", "height":12345678901234567890,"big":1e400 , "message":"tab\\t \\u0041"}',
      '{"message":"nul \\u0000 and a lone \\ud800 surrogate"}',
      'not { json',
      '{"id":1,"id":2}',
      '"a string"',
      '{"pair":"\\ud83d\\ude00"}',
    ];
    const looks = { first: 1, last: 2, count: 1, longestGapMs: 0 };
    const body = {
      looks,
      overlap: 0,
      anchored: true,
      source: 0,
      ring: 0,
      newestFirst: true,
      ringSize: 100,
      firstSequence: 1,
      rows,
    };
    const event = { type: 'SubmissionsObserved', observedAt: 5, body } as const;
    await store.append({ stream: 'raw/submissions', expectedVersion: 0n, events: [event] });
    const [read] = await store.readStreamBack('raw/submissions', ['SubmissionsObserved'], 1);
    expect(read?.type === 'SubmissionsObserved' ? read.body.rows : []).toEqual(rows);
    expect(read?.body).toMatchObject({ overlap: 0, firstSequence: 1, looks });
    const [stored] = await dataSource.query(
      "SELECT body->'rows'->1->>'message' AS message FROM event WHERE stream = 'raw/submissions'",
    );
    expect(stored.message).toBe('nul \ufffd and a lone \ufffd surrogate');
  });

  it('reads a page at a time, by number and by bytes, and says how far it came', async () => {
    const from = await store.lastPosition();
    const wide = (observedAt: number): NewEvent => ({
      type: 'DaStatsClaimed',
      observedAt,
      body: {
        looks: { first: 1, last: 1, count: 1, longestGapMs: 0 },
        body: randomBytes(1_500_000).toString('hex'),
      },
    });
    for (let version = 0n; version < 5n; version += 1n) {
      await store.append({
        stream: 'wide/claims',
        expectedVersion: version,
        events: [wide(Number(version))],
      });
    }
    const end = await store.lastPosition();
    const read = async (after: bigint, types: readonly EventType[], limit: number) => {
      const { events, position } = await store.readRange(after, end, types, limit);
      return [events.length, position - from];
    };
    expect(await read(from, ['DaStatsClaimed'], 100)).toEqual([2, 2n]);
    expect(await read(from + 3n, ['DaStatsClaimed'], 100)).toEqual([2, 5n]);
    expect(await read(from, ['DaStatsClaimed'], 2)).toEqual([2, 2n]);
    expect(await read(from, ['NodeRetired'], 2)).toEqual([0, 5n]);
  });

  it('refuses every change of an event in the database', async () => {
    for (const sql of ["UPDATE event SET type = 'x'", 'DELETE FROM event', 'TRUNCATE event']) {
      await expect(dataSource.query(sql)).rejects.toThrow(/append-only|permission denied/);
    }
    const [partition] = await dataSource.query(
      "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'event'::regclass",
    );
    for (const sql of [
      `UPDATE ${partition.name} SET type = 'x'`,
      `DELETE FROM ${partition.name}`,
      `TRUNCATE ${partition.name}`,
    ]) {
      await expect(dataSource.query(sql)).rejects.toThrow(/append-only|permission denied/);
    }
  });

  describe('verification', () => {
    it('accepts everything that was recorded above', async () => {
      const result = await verifyLog(dataSource, () => undefined);
      expect(result.fault).toBeUndefined();
      expect(result.events).toBe(Number(await store.lastPosition()));
    });

    it.each([
      ['a changed body', `UPDATE event SET body = '{"x":1}' WHERE position = $1`, /hash/],
      [
        'a changed time',
        "UPDATE event SET observed_at = observed_at + interval '1 microsecond' WHERE position = $1",
        /hash/,
      ],
      ['a removed event', 'DELETE FROM event WHERE position = $1', /missing/],
    ])('names the first event after %s', async (_, sql, what) => {
      const position = (await store.lastPosition()) / 2n;
      const fault = await tamper(sql, position);
      expect(fault?.what).toMatch(what);
      expect([position, position + 1n]).toContain(fault?.position);
    });

    it('notices that the end of the log is gone', async () => {
      const fault = await tamper('DELETE FROM event WHERE position = $1', await store.lastPosition());
      expect(fault?.what).toMatch(/gone/);
    });

    /** Does what only a malicious superuser could do, in a copy of the log. */
    async function tamper(sql: string, position: bigint) {
      const copy = `${new URL(database.url).pathname.slice(1)}_tampered`;
      await dataSource.destroy();
      const admin = await createDataSource({ url: withDatabase(database.url, 'postgres') }).initialize();
      try {
        await admin.query(`CREATE DATABASE "${copy}" TEMPLATE "${new URL(database.url).pathname.slice(1)}"`);
        const tampered = await createDataSource({ url: withDatabase(database.url, copy) }).initialize();
        await tampered.query('ALTER TABLE event DISABLE TRIGGER ALL');
        const parts = await tampered.query<{ name: string }[]>(
          "SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'event'::regclass",
        );
        for (const { name } of parts) {
          await tampered.query(`ALTER TABLE ${name} DISABLE TRIGGER ALL`);
          await tampered.query(`GRANT ALL ON ${name} TO CURRENT_USER`);
        }
        await tampered.query('GRANT ALL ON event TO CURRENT_USER');
        await tampered.query(sql, [position.toString()]);
        const { fault } = await verifyLog(tampered, () => undefined);
        await tampered.destroy();
        return fault;
      } finally {
        await admin.query(`DROP DATABASE IF EXISTS "${copy}" WITH (FORCE)`);
        await admin.destroy();
        dataSource = await createDataSource({ url: database.url }).initialize();
        store = new EventStore(dataSource);
      }
    }
  });
});

function retired(observedAt: number): NewEvent {
  return { type: 'NodeRetired', observedAt, body: {} };
}

function isOrdered(values: readonly bigint[]): boolean {
  return values.every((value, index) => index === 0 || value >= (values[index - 1] ?? value));
}

function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.toString();
}
