import { types } from 'pg';
import { Equal, In, LessThanOrEqual, type DataSource } from 'typeorm';
import { createDataSource } from '../../src/platform/database.js';
import { openQueue } from '../../src/platform/queues/bullmq.js';
import { insertRows, upsertRows } from '../../src/platform/rows/write-rows.js';
import { inTransaction, onConnection, type Query } from '../../src/platform/sql.js';
import { EventEntity, StreamHeadEntity } from '../../src/tables/log.entities.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import { compareCatalogues, readDeclared, readFound } from '../support/table-catalogue.js';

let database: TestDatabase;
let dataSource: DataSource;

beforeAll(async () => {
  database = await startTestDatabase();
  const first = await createDataSource({ url: database.url, poolSize: 1 }).initialize();
  // The settings that a role may have for its sessions must not change what is read.
  await first.query(`DO $$ BEGIN
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET TimeZone TO %L', current_user, current_database(), 'Asia/Kolkata');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET DateStyle TO %s', current_user, current_database(), 'SQL, DMY');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET bytea_output TO %L', current_user, current_database(), 'escape');
  END $$`);
  await first.destroy();
  dataSource = await createDataSource({ url: database.url, poolSize: 3 }).initialize();
});

afterAll(async () => {
  await dataSource?.destroy();
  await database?.stop();
});

describe('the declared tables', () => {
  const compare = async (query: Query) =>
    compareCatalogues(await readDeclared(dataSource, query), await readFound(query));

  it('match the migrated database, column by column, and it has no others', async () => {
    expect(await onConnection(dataSource, compare)).toEqual([]);
    expect(await onConnection(dataSource, async (query) => (await readFound(query)).size)).toBeGreaterThan(
      30,
    );
  });

  class Undo extends Error {}

  it.each([
    ['a column is missing', 'ALTER TABLE lineage DROP COLUMN n', ['lineage.n is not in the database']],
    ['one is added', 'ALTER TABLE loss ADD COLUMN stray int', ['loss.stray is not declared']],
    [
      'one has another type',
      'ALTER TABLE loss ALTER COLUMN min_lost TYPE numeric',
      ['loss.min_lost: type is declared as "bigint", and is "numeric"'],
    ],
    [
      'one has another precision',
      'ALTER TABLE imported_fee ALTER COLUMN fee_utia TYPE numeric(20, 0)',
      ['imported_fee.fee_utia: type is declared as "numeric", and is "numeric(20,0)"'],
    ],
    [
      'one may be null',
      'ALTER TABLE loss ALTER COLUMN min_lost DROP NOT NULL',
      ['loss.min_lost: isNullable is declared as false, and is true'],
    ],
    [
      'one means something else',
      "COMMENT ON COLUMN loss.min_lost IS 'Most rows.'",
      [expect.stringMatching(/^loss\.min_lost: comment is declared as ".+", and is "Most rows\."$/)],
    ],
    [
      'one begins with something else',
      'ALTER TABLE roll_up_fault ALTER COLUMN since DROP DEFAULT',
      ['roll_up_fault.since: initial is declared as "clock_timestamp()", and is null'],
    ],
    [
      'one is not numbered any more',
      'ALTER TABLE api_key ALTER COLUMN api_key_id DROP IDENTITY',
      ['api_key.api_key_id: isIdentity is declared as true, and is false'],
    ],
    [
      'another key names the rows',
      'ALTER TABLE price DROP CONSTRAINT price_pkey; ALTER TABLE price ADD PRIMARY KEY (from_position)',
      [expect.stringMatching(/^price: key is declared as \[.+\], and is \["from_position"\]$/)],
    ],
    [
      'a table means something else',
      "COMMENT ON TABLE loss IS 'Rows.'",
      [expect.stringMatching(/^loss: comment is declared as ".+", and is "Rows\."$/)],
    ],
    ['a table is missing', 'DROP TABLE health_fold', ['health_fold is not in the database']],
    ['one is added that is none of ours', 'CREATE TABLE stray (n int)', ['stray is not declared']],
  ])('are distinguished from a database in which %s', async (_, change, told) => {
    await expect(
      inTransaction(dataSource, async (query) => {
        // Views hold on to the columns that they show.
        await query('DROP SCHEMA reporting CASCADE');
        for (const statement of change.split('; ')) await query(statement);
        expect(await compare(query)).toEqual(told);
        throw new Undo();
      }),
    ).rejects.toThrow(Undo);
  });
});

const INFINITE = 2n ** 63n - 1n;
/** Today, around 1970, when the offset of the zone had odd seconds, before Christ, in a year of five digits, never. */
const TIMES = [
  1_795_323_600_123_457n,
  0n,
  -1n,
  -1_234_567_890_123_456n,
  -2_500_000_000_000_001n,
  -62_200_000_000_000_001n,
  300_000_000_000_000_001n,
  INFINITE,
];
const LARGE = [2n ** 53n + 1n, 2n ** 63n - 1n];
const HASH = '00ff5c27de';
const RECORDED_AT = 1_795_323_600_000_001n;

describe('values of columns', () => {
  /** Events of a stream, in the order of positions. */
  const rowsOf = (stream: string, n: number): EventEntity[] =>
    [...TIMES.entries()]
      .map(([index, observedAt]) => {
        const position = (LARGE[index] ?? BigInt(index)) - BigInt(100 * n);
        const body = { text: "it's", nothing: null };
        const type = 'NodeRetired';
        return {
          position,
          stream,
          version: 1n,
          type,
          schema: 1,
          observedAt,
          recordedAt: RECORDED_AT,
          body,
          hash: HASH,
        };
      })
      .sort((a, b) => (a.position < b.position ? -1 : 1));

  const WAYS: [string, (rows: EventEntity[]) => Promise<unknown>][] = [
    ['a repository', (rows) => dataSource.getRepository(EventEntity).insert(rows as never)],
    [
      'the query builder',
      (rows) =>
        dataSource
          .createQueryBuilder()
          .insert()
          .into(EventEntity)
          .values(rows as never)
          .execute(),
    ],
    [
      'the writer of rows',
      (rows) => onConnection(dataSource, (query) => insertRows(query, EventEntity, rows)),
    ],
  ];

  beforeAll(() => dataSource.query("SELECT ensure_event_partition('2026-11-22T05:00:00Z')"));

  it('come from sessions that write them in one form, whatever their role has', async () => {
    const [row] = await dataSource.query(
      "SELECT current_setting('TimeZone') AS zone, current_setting('DateStyle') AS style, now()::text AS now",
    );
    expect(row).toEqual({ zone: 'UTC', style: 'ISO, MDY', now: expect.stringMatching(/\+00$/) });
  });

  it.each(WAYS)('enter the database unchanged by %s, and come back unchanged', async (way, insert) => {
    const rows = rowsOf(
      way,
      WAYS.findIndex(([name]) => name === way),
    );
    await insert(rows);
    // As numbers and text, which do not depend on zone or style.
    const stored = await dataSource.query(
      `SELECT position::text,
              CASE WHEN isfinite(observed_at) THEN (extract(epoch FROM observed_at) * 1000000)::bigint::text END AS observed,
              (extract(epoch FROM recorded_at) * 1000000)::bigint::text AS recorded, encode(hash, 'hex') AS hash,
              body ->> 'text' AS text FROM event WHERE stream = $1 ORDER BY event.position`,
      [way],
    );
    expect(stored).toEqual(
      rows.map(({ position, observedAt }) => ({
        position: String(position),
        observed: observedAt === INFINITE ? null : String(observedAt),
        recorded: String(RECORDED_AT),
        hash: HASH,
        text: "it's",
      })),
    );

    const events = dataSource.getRepository(EventEntity);
    const order = { position: 'ASC' } as const;
    expect(await events.find({ where: { stream: way }, order })).toEqual(rows);
    for (const row of rows) {
      const { observedAt, position } = row;
      for (const part of [
        { observedAt },
        { observedAt: Equal(observedAt) },
        { position },
        { hash: HASH, position },
      ]) {
        const where = { stream: way, ...part };
        expect(await events.find({ where })).toEqual([row]);
        expect(await events.createQueryBuilder('e').where(where).getMany()).toEqual([row]);
      }
    }
    expect(await events.countBy({ stream: way, observedAt: In(TIMES.slice(0, 2)) })).toBe(2);
    expect(await events.countBy({ stream: way, observedAt: LessThanOrEqual(-1n) })).toBe(4);
    expect(await events.countBy({ stream: way, hash: 'ff' })).toBe(0);
  });

  it('are replaced by the declared key', async () => {
    const head = (stream: string, version: bigint) => ({
      stream,
      version,
      hash: HASH,
      state: { n: Number(version) },
    });
    const upsert = (...heads: readonly StreamHeadEntity[]) =>
      onConnection(dataSource, (query) => upsertRows(query, StreamHeadEntity, heads));
    await upsert(head('a', 1n), head('b', 1n));
    await upsert(head('a', 2n));
    const heads = await dataSource.getRepository(StreamHeadEntity).find({ order: { stream: 'ASC' } });
    expect(heads).toEqual([head('a', 2n), head('b', 1n)]);
  });

  it('are infinite if the database says so, and null if there is none', async () => {
    const [row] = await dataSource.query(
      `SELECT 'infinity'::timestamptz AS never, '-infinity'::timestamptz AS always, NULL::timestamptz AS unknown,
              ARRAY[1, NULL]::int8[] AS list, NULL::bytea AS none, ''::bytea AS empty`,
    );
    expect(row).toEqual({
      never: INFINITE,
      always: -INFINITE - 1n,
      unknown: null,
      list: [1n, null],
      none: null,
      empty: '',
    });
  });
});

describe('bytes in the format before Postgres 9', () => {
  it('are refused, and not read as hex digits', async () => {
    await onConnection(dataSource, async (query) => {
      await query("SET bytea_output = 'escape'");
      await expect(query("SELECT 'abcd'::bytea AS bytes")).rejects.toThrow('not hex digits');
      await query("SET bytea_output = 'hex'");
      expect(await query("SELECT 'abcd'::bytea AS bytes")).toEqual([{ bytes: '61626364' }]);
    });
  });
});

describe('the values that the job queue reads', () => {
  const VALUES = `SELECT 1::int8 AS count, '2026-11-22 10:30:00+05:30'::timestamptz AS time, '\\x00ff'::bytea AS bytes`;

  it('have the default types of its driver, in this process and on its connections', async () => {
    const other = await startTestDatabase();
    const ours = await createDataSource({ url: other.url }).initialize();
    expect(await ours.query(VALUES)).toEqual([{ count: 1n, time: 1_795_323_600_000_000n, bytes: '00ff' }]);
    const time = new Date('2026-11-22T05:00:00Z');
    expect([types.getTypeParser(20)('1'), types.getTypeParser(1184)('2026-11-22 05:00:00+00')]).toEqual([
      '1',
      time,
    ]);
    expect(types.getTypeParser(17)('\\x00ff')).toEqual(Buffer.from([0, 255]));

    const queue = openQueue({ backend: 'postgres', url: other.url });
    try {
      await queue.waitUntilReady();
      const backend = queue.getBackend() as unknown as { query(sql: string): Promise<{ rows: unknown[] }> };
      const { rows } = await backend.query(VALUES);
      expect(rows).toEqual([{ count: '1', time: expect.any(Date), bytes: expect.any(Buffer) }]);
    } finally {
      await queue.close();
      await ours.destroy();
      await other.stop();
    }
  });
});
