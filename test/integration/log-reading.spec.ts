import type { DataSource } from 'typeorm';
import type { EventType, NewEvent } from '../../src/domain/events.js';
import { EventStore, type StreamEnd } from '../../src/event-log/event-store.js';
import { verifyLog } from '../../src/event-log/verify-log.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createDataSource } from '../../src/platform/database.js';
import { onConnection } from '../../src/platform/sql.js';
import { startTestDatabase } from '../support/database.js';

/** A text of one repeated letter: a hundred times smaller where it is stored. */
const WIDE_BYTES = 20_000_000;

const WIDE: NewEvent = {
  type: 'DaStatsClaimed',
  observedAt: 1,
  body: { looks: { first: 1, last: 1, count: 1, longestGapMs: 0 }, body: 'a'.repeat(WIDE_BYTES) },
};
const RETIRED: NewEvent = { type: 'NodeRetired', observedAt: 1, body: {} };

describe('reading the log', () => {
  let database: Awaited<ReturnType<typeof startTestDatabase>>;
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

  it('bounds a page by the text that comes out, not by the stored size', async () => {
    for (let version = 0n; version < 3n; version += 1n) await append('wide/claims', version, WIDE);
    await append('wide/claims', 3n, RETIRED);
    const [stored] = await dataSource.query('SELECT sum(pg_column_size(body))::int AS bytes FROM event');
    expect(stored.bytes).toBeLessThan(WIDE_BYTES / 10);
    const forward: number[] = [];
    for (let position = 0n; position < 4n;) {
      const page = await store.readRange(position, 4n, ['DaStatsClaimed', 'NodeRetired'], 100);
      forward.push(page.events.length);
      position = page.position;
    }
    expect(forward).toEqual([1, 1, 1, 1]);
    const back: (bigint | undefined)[] = [];
    for (let before: bigint | undefined; ;) {
      const events = await store.readStreamBack('wide/claims', [], 100, before);
      if (events.length === 0) break;
      before = events.at(-1)?.version;
      back.push(before);
    }
    // The small event and the first wide one are a page; each other wide one is too large to share it.
    expect(back).toEqual([3n, 2n, 1n]);
    expect(await verifyLog(dataSource, () => undefined)).toEqual({
      events: 4,
      streams: 1,
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
    });
  });

  it('keeps readers of one pool from waiting for those of another, while both append together', async () => {
    const busy = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
    try {
      const observers = store.readOver(busy);
      let waiting: Promise<StreamEnd> | undefined;
      await onConnection(busy, async (query) => {
        await query('SELECT 1');
        waiting = observers.loadStream('n/node');
        const append = { stream: 'n/node', expectedVersion: 0n, events: [RETIRED] };
        expect(
          (await Promise.all([store, observers].map((log) => log.append(append)))).map(({ won }) => won),
        ).toEqual([true, false]);
        expect((await store.loadStream('n/node')).version).toBe(1n);
        expect(await Promise.race([waiting, Promise.resolve('waits')])).toBe('waits');
      });
      expect((await waiting)?.version).toBe(1n);
      expect(observers.health).toBe(store.health);
    } finally {
      await busy.destroy();
    }
  });

  describe('for rare types', () => {
    const END = 50_000n;
    const RARE = [7n, 31_234n, 49_999n];

    beforeEach(async () => {
      await dataSource.query('SELECT ensure_event_partition(now())');
      await dataSource.query(
        `INSERT INTO event (position, stream, version, type, schema, observed_at, recorded_at, body, hash)
         SELECT p, 'n/probes', p, CASE WHEN p = ANY ($2::bigint[]) THEN 'NodeRetired' ELSE 'ProbesSummarised' END,
                1, now(), now(), '{}', '\\x00' FROM generate_series(1, $1::bigint) p`,
        [END.toString(), RARE.map(String)],
      );
    });

    it('returns how far it read if it took too long, so that a checkpoint skips nothing', async () => {
      // On each call, this clock is a second later.
      let ms = 0;
      const hasty = Object.assign(new SystemClock(), { monotonic: () => (ms += 1_000) });
      const slow = new EventStore(dataSource, { clock: hasty });
      const { found, steps } = await readAll(slow, ['NodeRetired']);
      expect(found).toEqual(RARE);
      expect(steps).toEqual([10_000n, 20_000n, 30_000n, 40_000n, 50_000n]);
      expect((await readAll(slow, ['PriceSet'])).steps).toHaveLength(5);
    });

    it('reaches the end at once where that is fast, in spans that grow', async () => {
      const frozen = Object.assign(new SystemClock(), { monotonic: () => 0 });
      const { found, steps } = await readAll(new EventStore(dataSource, { clock: frozen }), ['NodeRetired']);
      expect({ found, steps }).toEqual({ found: RARE, steps: [END] });
    });

    it('reads as many events as requested, over several spans', async () => {
      const frozen = Object.assign(new SystemClock(), { monotonic: () => 0 });
      const eager = new EventStore(dataSource, { clock: frozen });
      const { events, position } = await eager.readRange(0n, END, ['NodeRetired'], 2);
      expect([events.map((event) => event.position), position]).toEqual([RARE.slice(0, 2), RARE[1]]);
    });

    async function readAll(reader: EventStore, types: readonly EventType[]) {
      const [found, steps]: [bigint[], bigint[]] = [[], []];
      for (let position = 0n; position < END;) {
        const page = await reader.readRange(position, END, types, 1_000);
        found.push(...page.events.map((event) => event.position));
        steps.push((position = page.position));
      }
      return { found, steps };
    }
  });

  describe('to verify it', () => {
    beforeEach(async () => {
      for (let version = 0n; version < 6n; version += 2n) {
        await append('a/node', version, RETIRED, RETIRED);
        await append('b/node', version / 2n, RETIRED);
      }
    });

    it('continues while the log grows, and holds no transaction open', async () => {
      const meanwhile: Promise<unknown>[] = [];
      let version = 6n;
      const verifying = await createDataSource({
        url: database.url,
        poolSize: 2,
        applicationName: 'verifying',
      }).initialize();
      const result = await verifyLog(verifying, () => {
        meanwhile.push(append('a/node', version++, RETIRED), append(`new-${version}/node`, 0n, RETIRED));
        meanwhile.push(
          dataSource
            .query(
              `SELECT count(*)::int AS open FROM pg_stat_activity
                WHERE application_name = 'verifying' AND state LIKE 'idle in transaction%'`,
            )
            .then(([row]) => expect(row).toEqual({ open: 0 })),
        );
      });
      await Promise.all(meanwhile);
      await verifying.destroy();
      expect(result).toEqual({
        events: 9,
        streams: 2,
        hash: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
      });
      expect(meanwhile.length).toBeGreaterThan(0);
      expect((await verifyLog(dataSource, () => undefined)).fault).toBeUndefined();
    });

    it.each([
      [
        'a stream whose head was set back',
        "UPDATE stream_head SET version = 5 WHERE stream = 'a/node'",
        /its hash is not/,
      ],
      [
        'a stream without a head',
        "DELETE FROM stream_head WHERE stream = 'b/node'",
        /missing from the head of its stream/,
      ],
      [
        'a head that speaks of more than there is',
        "UPDATE stream_head SET version = 7 WHERE stream = 'a/node'",
        /ended at version 7; the events after it are gone/,
      ],
      ['an end that was set back', 'UPDATE log_head SET position = 8', /gone|before this event/],
      [
        'an end that speaks of more than there is',
        'UPDATE log_head SET position = 12',
        /ended at position 12/,
      ],
    ])('finds %s', async (_, sql, what) => {
      await dataSource.query(sql);
      expect((await verifyLog(dataSource, () => undefined)).fault?.what).toMatch(what);
    });
  });

  const append = (stream: string, expectedVersion: bigint, ...events: NewEvent[]) =>
    store.append({ stream, expectedVersion, events });
});
