import type { DataSource } from 'typeorm';
import type { NewEvent } from '../src/domain/events.js';
import { EventStore } from '../src/event-log/event-store.js';
import { SystemClock } from '../src/platform/clock.js';
import { ProjectionRunner } from '../src/projections/projection-runner.js';
import { rebuildSet } from '../src/projections/rebuild/rebuild.js';
import { findReadModelSet } from '../src/statistics/read-model-sets.js';
import { RollUp } from '../src/statistics/roll-up/roll-up.js';
import { randomLog } from '../test/support/random-log.js';
import { seededRandom } from '../test/support/seeded-random.js';
import { startBenchServer } from './support/bench-database.js';
import { round, type Bench, type Figure } from './support/figures.js';
import { medianOf, playRounds, ratioOf, wallMs } from './support/rounds.js';

const STEPS = 40_000;
const ROUNDS = 3;

export const bench: Bench = {
  about: `rebuild of the record, prices and statistics from a log of ${STEPS} steps`,
  run: async () => {
    const server = await startBenchServer();
    try {
      const dataSource = await server.createDatabase();
      const store = new EventStore(dataSource);
      const events = await fill(store);
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
  const log = randomLog(seededRandom(1), STEPS);
  const versions = new Map<string, bigint>();
  const appends = log.map(({ stream, type, body, observedAt }) => {
    const event = { type, body, observedAt: Number(observedAt / 1000n) } as NewEvent;
    const expectedVersion = versions.get(stream) ?? 0n;
    versions.set(stream, expectedVersion + 1n);
    return store.append({ stream, expectedVersion, events: [event] });
  });
  await Promise.all(appends);
  return log.length;
}

function recordSet() {
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

/** The least that must be done: the log into emptied tables, and the figures from them. */
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
  const ms = medianOf(costs, 'rebuild');
  const perSecond = events / (ms / 1_000);
  return {
    what: `rebuild of the record with its statistics, ${round(events)} events, against a replay in place`,
    ours: `${round(perSecond)} events/s`,
    peer: `${round(events / (medianOf(costs, 'in place') / 1_000))} events/s`,
    value: ratioOf(costs, 'rebuild', 'in place'),
    limit: { atMost: 1.5 },
    detail: `${round(1_000_000 / perSecond / 60)} min for a million events at full speed, twice that beside a service`,
  };
}
