import type { DataSource } from 'typeorm';
import type { NewEvent } from '../src/domain/events.js';
import { EventStore } from '../src/event-log/event-store.js';
import { SystemClock } from '../src/platform/clock.js';
import { ProjectionRunner } from '../src/projections/projection-runner.js';
import type { ReadModelSet } from '../src/projections/rebuild/read-model-set.js';
import { rebuildSet } from '../src/projections/rebuild/rebuild.js';
import { findReadModelSet } from '../src/statistics/read-model-sets.js';
import { RollUp } from '../src/statistics/roll-up/roll-up.js';
import { SmallLog } from '../test/support/small-log.js';
import { startBenchServer } from './support/bench-database.js';
import { round, type Bench, type Figure } from './support/figures.js';
import { medianOf, playRounds, ratioOf, wallMs } from './support/rounds.js';

/** Steps of five seconds each, for a node with a block a second that submits headers and data every time. */
const STEPS = 8_000;
const STEP_MS = 5_000;
const ROUNDS = 3;

export const bench: Bench = {
  about: `rebuild of the record, prices and statistics from ${(STEPS * STEP_MS) / 3_600_000} hours of a node's log`,
  run: async () => {
    const server = await startBenchServer();
    try {
      const dataSource = await server.createDatabase();
      const store = new EventStore(dataSource);
      const events = await fill(store);
      await replayInPlace(dataSource, store);
      const costs = await playRounds(
        [
          { name: 'rebuild', run: () => wallMs(() => rebuild(dataSource, store)) },
          { name: 'in place', run: () => wallMs(() => replayInPlace(dataSource, store)) },
        ],
        ROUNDS,
        0,
      );
      return [toFigure(costs, events)];
    } finally {
      await server.stop();
    }
  },
};

async function fill(store: EventStore): Promise<number> {
  const log = liveLog();
  const versions = new Map<string, bigint>();
  const appends = log.events.map(({ stream, type, body, observedAt }) => {
    const event = { type, body, observedAt: Number(observedAt / 1000n) } as NewEvent;
    const expectedVersion = versions.get(stream) ?? 0n;
    versions.set(stream, expectedVersion + 1n);
    return store.append({ stream, expectedVersion, events: [event] });
  });
  await Promise.all(appends);
  return log.events.length;
}

function liveLog(): SmallLog {
  const log = new SmallLog().register('n').describe('n', 'c1');
  for (let step = 0; step < STEPS; step++) {
    log.now = step * STEP_MS;
    const first = step * 5 + 1;
    const da = 1_000 + step;
    const heights = Array.from({ length: 5 }, (_, index) => first + index);
    log.blocks(
      'n',
      'c1',
      heights.map((height, index) => ({ height, dataBytes: 200, at: log.now + index * 1_000 })),
    );
    log.rows('n', [
      { da, blobs: 5, bytes: 5 * 331 },
      { da, blobs: 5, bytes: 1_000, kind: 'data' },
    ]);
    log.include(
      'n',
      'c1',
      heights.map((height) => ({ height, headerDa: da, dataDa: da })),
    );
    if (step % 12 === 0) log.watch('n');
  }
  return log;
}

function recordSet(): ReadModelSet {
  const set = findReadModelSet('record');
  if (!set) throw new Error('there is no set of the record');
  return set;
}

function rebuild(dataSource: DataSource, store: EventStore): Promise<void> {
  return rebuildSet({ dataSource, store, clock: new SystemClock() }, recordSet(), {
    signal: new AbortController().signal,
    isGentle: false,
    announce: () => undefined,
    report: () => undefined,
  });
}

/** The minimum work: replay the log into emptied tables, and compute the figures from them. */
async function replayInPlace(dataSource: DataSource, store: EventStore): Promise<void> {
  const projections = recordSet().createProjections();
  const tables = projections.flatMap((projection) => projection.tables);
  await dataSource.query(
    `TRUNCATE ${tables.join(', ')}, statistic, block_statistic, statistic_state, roll_up_mark`,
  );
  await dataSource.query('DELETE FROM projection_checkpoint');
  const runner = new ProjectionRunner(dataSource, store);
  const end = await store.lastPosition();
  for (const projection of projections) await runner.catchUp(projection, end);
  await new RollUp(dataSource).run();
}

function toFigure(costs: ReadonlyMap<string, number[]>, events: number): Figure {
  const perSecond = events / (medianOf(costs, 'rebuild') / 1_000);
  return {
    what: `rebuild of the record with its statistics, ${round(events)} events, against a replay in place`,
    ours: `${round(perSecond)} events/s`,
    peer: `${round(events / (medianOf(costs, 'in place') / 1_000))} events/s`,
    value: ratioOf(costs, 'rebuild', 'in place'),
    limit: { atMost: 1.5 },
    detail: `${round(1_000_000 / perSecond / 60)} min for a million events at full speed, twice that next to a service`,
  };
}
