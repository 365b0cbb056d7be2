import type { EventType, NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { SystemClock } from '../../src/platform/clock.js';
import { createLogger, type Logger } from '../../src/platform/logger.js';
import type { DeadLetter } from '../../src/projections/faults.js';
import { PROJECTION_FACTORIES } from '../../src/projections/all-projections.js';
import type { Projection, Query } from '../../src/projections/projection.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { ProjectionsService } from '../../src/projections/projections.service.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { emptyTables } from '../support/empty-tables.js';
import { newLoops } from '../support/loops.js';
import { appendToLog, appendRawBody } from '../support/poisoned-log.js';
import { randomLog } from '../support/random-log.js';
import { seededRandom } from '../support/seeded-random.js';
import { waitFor } from '../support/service-process.js';
import { CONTENT, contentTables } from '../support/table-content.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();
const store = new EventStore(dataSource);

beforeAll(async () => {
  await dataSource.query('CREATE TABLE taken (position bigint PRIMARY KEY, stream text, nth int NOT NULL)');
});

/** Blocks whose columns are valid, but which cannot be unpacked. */
const UNPACKABLE = JSON.stringify({
  chain: 'made-up',
  lineage: 1,
  from: '1',
  to: '1',
  count: 1,
  chainId: 'c',
  versionBlock: '1',
  txHashes: { 0: 7 },
  times: ['1'],
  dataHashes: 0,
  appHashes: null,
  signatures: '',
  signerKeys: '',
  txCounts: 0,
  txBytes: 0,
  dataBlobBytes: 0,
});

type Failure = (event: RecordedEvent, query: Query) => Promise<unknown> | undefined;

/** Records each event with its number within its stream, which it remembers, and fails on request. */
class TakingProjection implements Projection {
  readonly name: string;
  readonly version = 1;
  readonly tables = ['taken'];
  readonly handles: readonly EventType[] = ['NodeRetired'];
  tries = 0;
  private numbers: Map<string, number> | undefined;

  constructor(
    name: string,
    private readonly fail: Failure,
  ) {
    this.name = name;
  }

  async apply(events: readonly RecordedEvent[], query: Query): Promise<void> {
    this.tries += 1;
    const stored = () =>
      query<{ stream: string; n: number }>('SELECT stream, max(nth) AS n FROM taken GROUP BY stream');
    const numbers = (this.numbers ??= new Map((await stored()).map(({ stream, n }) => [stream, n])));
    for (const event of events) {
      const nth = (numbers.get(event.stream) ?? 0) + 1;
      numbers.set(event.stream, nth);
      await query('INSERT INTO taken VALUES ($1, $2, $3)', [String(event.position), event.stream, nth]);
      await this.fail(event, query);
    }
  }

  reset(): void {
    this.numbers = undefined;
  }
}

const outOfRange: Failure = (_, query) => query("SELECT int8 '9223372036854775807' + 1");
const notNull: Failure = (_, query) => query("INSERT INTO taken VALUES (-1, 'x', NULL)");
const rangeError: Failure = () => Promise.reject(new RangeError('far out'));

/** The rows and dead letters that a projection has made from the whole log, and its steps. */
async function run(projection: TakingProjection, batchSize = 1_000) {
  await emptyTables(dataSource, ['taken']);
  await dataSource.query('DELETE FROM projection_fault WHERE projection = $1', [projection.name]);
  await dataSource.query('DELETE FROM projection_checkpoint WHERE name = $1', [projection.name]);
  const told: DeadLetter[] = [];
  const end = await store.lastPosition();
  const runner = new ProjectionRunner(dataSource, store, batchSize);
  await runner.catchUp(projection, end, undefined, (fault) => told.push(fault));
  const rows = await dataSource.query<{ position: bigint; stream: string; nth: number }[]>(
    'SELECT position, stream, nth FROM taken ORDER BY position',
  );
  const faults = await dataSource.query<DeadLetter[]>(
    `SELECT position, stream, type, error FROM projection_fault WHERE projection = $1 AND version = 1 ORDER BY position`,
    [projection.name],
  );
  return { rows, faults, told, end };
}

describe('an event that a projection cannot process', () => {
  let positions: Record<string, bigint[]>;

  beforeAll(async () => {
    positions = await appendToLog(store, { good: 40, bad: 40, worse: 40 });
  });

  const isAt = (event: RecordedEvent, stream: string, ...nth: number[]) =>
    nth.some((n) => event.position === positions[stream]?.[n]);

  it.each([
    ['a value that the database cannot hold', outOfRange, 'bigint out of range'],
    ['a row that the tables refuse', notNull, /null value in column "nth"/],
    ['a number out of range', rangeError, 'far out'],
  ])('is quarantined, and all others are processed: %s', async (_, failure, error) => {
    const projection = new TakingProjection('taking', (event, query) =>
      isAt(event, 'bad', 3, 20) ? failure(event, query) : undefined,
    );
    const { rows, faults, told, end } = await run(projection);
    expect(faults.map(({ position }) => position)).toEqual([positions['bad']?.[3], positions['bad']?.[20]]);
    expect(faults[0]).toMatchObject({ stream: 'bad/node', type: 'NodeRetired' });
    expect(faults[0]?.error).toEqual(typeof error === 'string' ? error : expect.stringMatching(error));
    expect(told.map(({ position }) => position)).toEqual(faults.map(({ position }) => position));
    expect(rows).toHaveLength(118);
    expect(rows.filter(({ stream }) => stream === 'bad/node').map(({ nth }) => nth)).toEqual(
      Array.from({ length: 38 }, (__, index) => index + 1),
    );
    const [checkpoint] = await dataSource.query(
      "SELECT position FROM projection_checkpoint WHERE name = 'taking'",
    );
    expect(BigInt(checkpoint.position)).toBe(end);
  });

  it('makes the same rows and dead letters however the log is cut into batches', async () => {
    const projection = () =>
      new TakingProjection('taking', (event, query) =>
        isAt(event, 'bad', 0, 1, 2, 9, 11, 12, 17, 18, 19, 21, 30, 31) || isAt(event, 'worse', 39)
          ? outOfRange(event, query)
          : undefined,
      );
    const expected = await run(projection(), 1);
    expect(expected.faults).toHaveLength(11);
    for (const size of [2, 3, 7, 32, 1_000]) expect(await run(projection(), size)).toEqual(expected);
  });

  it('quarantines its whole stream if it is the tenth, and leaves the rows of the stream as they were', async () => {
    const projection = new TakingProjection('taking', (event, query) =>
      positions['bad']?.slice(5, 15).includes(event.position) || isAt(event, 'worse', ...Array(9).keys())
        ? outOfRange(event, query)
        : undefined,
    );
    const { rows, faults } = await run(projection);
    const count = (stream: string, list: readonly { stream: string }[]) =>
      list.filter((each) => each.stream === `${stream}/node`).length;
    expect([count('bad', faults), count('worse', faults)]).toEqual([10, 9]);
    expect([count('good', rows), count('bad', rows), count('worse', rows)]).toEqual([40, 5, 31]);
    // Later events of the stream are left out too, in this process and in the next.
    await appendToLog(store, { bad: 3, good: 1 });
    for (const each of [projection, new TakingProjection('taking', () => undefined)]) {
      await new ProjectionRunner(dataSource, store).catchUp(each, await store.lastPosition());
    }
    const [after] = await dataSource.query('SELECT count(*)::int AS n FROM taken');
    expect(after.n).toBe(rows.length + 1);
  });

  it('is no dead letter if the server, the connection or our own mistake is to blame', async () => {
    const failures: readonly [Failure, RegExp][] = [
      [(_, query) => query("DO $$ BEGIN RAISE SQLSTATE '40001'; END $$"), /40001/],
      [(_, query) => query("DO $$ BEGIN RAISE SQLSTATE '53200'; END $$"), /53200/],
      [(_, query) => query('SET LOCAL statement_timeout = 1; SELECT pg_sleep(1)'), /statement timeout/],
      [(_, query) => query('SELECT pg_terminate_backend(pg_backend_pid())'), /terminat|Connection/i],
      [() => Promise.reject(new TypeError('a bug')), /a bug/],
      [() => Promise.reject(new RangeError('Array buffer allocation failed')), /allocation/],
    ];
    for (const [failure, message] of failures) {
      const projection = new TakingProjection('failing', (event, query) =>
        isAt(event, 'bad', 3) ? failure(event, query) : undefined,
      );
      await expect(run(projection)).rejects.toThrow(message);
      expect(await dataSource.query("SELECT * FROM projection_fault WHERE projection = 'failing'")).toEqual(
        [],
      );
    }
  });
});

describe('the log of the service', () => {
  it('reports each dead letter once, not at every tick or restart', async () => {
    const { sick = [] } = await appendToLog(store, { sick: 12 });
    const lines: { readonly fields: Record<string, unknown>; readonly text: string }[] = [];
    const note = (fields: Record<string, unknown>, text: string) => lines.push({ fields, text });
    const logger = { ...createLogger('silent'), error: note } as unknown as Logger;
    for (let restart = 0; restart < 2; restart++) {
      const projection = new TakingProjection('logging', (event, query) =>
        event.stream === 'sick/node' ? outOfRange(event, query) : undefined,
      );
      const options = { clock: new SystemClock(), logger, projections: [projection] };
      const service = new ProjectionsService(
        store,
        new ProjectionRunner(dataSource, store),
        newLoops(),
        options,
      );
      const { signal } = new AbortController();
      await emptyTables(dataSource, ['taken']);
      for (let tick = 0; tick < 3; tick++) {
        await appendToLog(store, { sick: 1, well: 1 });
        const end = await store.lastPosition();
        await waitFor('the projection to be at the end', async () => {
          await service.catchUp(signal);
          const [row] = await dataSource.query(
            "SELECT position FROM projection_checkpoint WHERE name = 'logging'",
          );
          return BigInt(row?.position ?? 0) >= end || undefined;
        });
      }
      expect(service.getFailures()).toEqual([]);
      await service.onApplicationShutdown();
    }
    expect(lines.map(({ fields }) => fields['position'])).toEqual(sick.slice(0, 10).map(String));
    expect(lines[0]?.fields).toMatchObject({
      projection: 'logging',
      stream: 'sick/node',
      type: 'NodeRetired',
    });
  });
});

describe('the record of a log with unreadable events', () => {
  it('is the same however the log is cut into batches', async () => {
    const log = randomLog(seededRandom(7), 400);
    const from = await store.lastPosition();
    for (const [index, event] of log.entries()) {
      const { version } = await store.loadStream(event.stream);
      const { type, observedAt } = event;
      const added = { type, observedAt: Number(observedAt / 1000n), body: event.body } as NewEvent;
      await store.append({ stream: event.stream, expectedVersion: version, events: [added] });
      // Twelve of them are more than a stream may have.
      if (index % 15 === 14 && index < 180) {
        await appendRawBody(dataSource, {
          stream: 'follower/blocks',
          type: 'BlocksObserved',
          body: UNPACKABLE,
        });
      }
    }
    const results: unknown[] = [];
    for (const size of [1_000, 13, 1]) results.push(await project(from, size));
    expect(results[0]).toHaveProperty('faults', 10);
    expect(results[1]).toEqual(results[0]);
    expect(results[2]).toEqual(results[0]);
  });

  async function project(from: bigint, batchSize: number): Promise<Record<string, unknown>> {
    const projection = new RecordProjection();
    await emptyTables(dataSource, ['projection_fault', ...projection.tables]);
    await dataSource.query("DELETE FROM projection_checkpoint WHERE name = 'record'");
    await dataSource.query("INSERT INTO projection_checkpoint VALUES ('record', $1, $2)", [
      String(from),
      projection.version,
    ]);
    await new ProjectionRunner(dataSource, store, batchSize).catchUp(projection, await store.lastPosition());
    const tables: Record<string, unknown> = {};
    for (const table of contentTables(projection.tables)) {
      tables[table] = await dataSource.query(
        `SELECT ${CONTENT} AS row FROM ${table} t ORDER BY ${CONTENT} COLLATE "C"`,
      );
    }
    const faults = await dataSource.query('SELECT position FROM projection_fault');
    return { ...tables, faults: faults.length };
  }
});

describe('a large number of dead letters', () => {
  it('in one stream or in ten costs a few tries for each that is counted', async () => {
    const names = Array.from({ length: 10 }, (_, index) => `storm-${index}`);
    await appendToLog(store, { flood: 1_000, ...Object.fromEntries(names.map((name) => [name, 100])) });
    const projection = new TakingProjection('storm', (event, query) =>
      /^(flood|storm)/.test(event.stream) ? outOfRange(event, query) : undefined,
    );
    const { faults } = await run(projection);
    expect(faults).toHaveLength(110);
    expect(projection.tries).toBeLessThan(110 * 5);
  });
});

describe('an event whose stored body has a wrong shape', () => {
  const BODIES: readonly [EventType, string][] = [
    ['NodeRegistered', '[]'],
    ['NodeRegistered', '{"url":7}'],
    ['NodeDescribed', '{"chain":{}}'],
    ['NodeWatched', '{"looks":{"submissions":{"first":"x"}}}'],
    ['ChainSettingsChanged', '{"reportingTimeZone":"UTC","thresholds":5,"da":{}}'],
    ['ChainLineageOpened', '{}'],
    ['SubmissionsObserved', '{}'],
    ['SubmissionsObserved', '{"looks":null,"rows":[]}'],
    ['SubmissionWindowLost', '{"looks":{"first":1,"last":1,"count":1,"longestGapMs":0},"after":0.5}'],
    ['SubmissionRingSwitched', '{}'],
    ['SubmissionSourceChanged', 'null'],
    ['BlocksObserved', '{"chain":"c","lineage":1}'],
    ['BlocksObserved', '{"chain":"c","lineage":1,"from":"1","to":"1","count":1,"times":["x"],"txCounts":0}'],
    ['BlocksObserved', UNPACKABLE],
    ['BlockUnreadable', '{"chain":"c","lineage":1,"height":"high"}'],
    ['BlockInclusionObserved', '{"chain":"c","lineage":1,"heights":[["1",2,null]]}'],
    ['BlocksPruned', '{"chain":"c","lineage":1,"from":1,"to":2}'],
    ['NodeProgressObserved', '{"head":"h"}'],
    ['ProbeChanged', '{"looks":{}}'],
    [
      'ProbesSummarised',
      '{"looks":{"first":1,"last":1,"count":1,"longestGapMs":0},"from":0,"to":0,"probes":[]}',
    ],
    ['DaHealthClaimed', '{"status":"HEALTHY"}'],
    ['DaStatsClaimed', '"stats"'],
    ['PriceSet', '{"entries":{}}'],
    ['FeesImported', '{"source":"s","fees":[{"daHeight":"1"}]}'],
  ];

  it('stops no read model: later events are processed', async () => {
    for (const [index, [type, body]] of BODIES.entries()) {
      await appendRawBody(dataSource, { stream: `poison-${index}/x`, type, body });
    }
    await appendToLog(store, { healthy: 1 });
    const end = await store.lastPosition();
    const faulty: string[] = [];
    for (const create of Object.values(PROJECTION_FACTORIES)) {
      const projection = create();
      const note = ({ stream }: DeadLetter) => {
        if (stream.startsWith('poison-')) faulty.push(stream);
      };
      await new ProjectionRunner(dataSource, store).catchUp(projection, end, undefined, note);
    }
    expect([...new Set(faulty)].sort()).toEqual(BODIES.map((_, index) => `poison-${index}/x`).sort());
  });
});
