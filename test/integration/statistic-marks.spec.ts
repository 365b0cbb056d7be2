import type { RecordedEvent } from '../../src/domain/events.js';
import { inTransaction, type Query } from '../../src/platform/sql.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { emptyTables } from '../support/empty-tables.js';
import { recordLog } from '../support/record-log.js';
import { seededRandom } from '../support/seeded-random.js';
import { SmallLog } from '../support/small-log.js';
import { changedInputs, readStatisticInputs, takeMarks } from '../support/statistic-inputs.js';
import { twinLog } from '../support/twin-log.js';
import { useDatabase } from '../support/use-database.js';
import { takeEvents } from '../support/read-models.js';

const dataSource = useDatabase();

/** More logs find rarer cases. */
const RANDOM_LOGS = Number(process.env['RANDOM_LOGS'] ?? 1);
const TABLES = [...new RecordProjection().tables, 'roll_up_mark'].join(', ');

function apply(log: readonly RecordedEvent[], projection = new RecordProjection()): Promise<void> {
  return takeEvents(dataSource, projection, log);
}

function readOnly<T>(work: (query: Query) => Promise<T>): Promise<T> {
  return inTransaction(dataSource, work);
}

/** Applies a log in batches of changing sizes, and returns what changed without a mark, and the number of marks. */
async function findUnmarked(log: readonly RecordedEvent[], sizes: readonly number[]) {
  await emptyTables(dataSource, [TABLES]);
  const projection = new RecordProjection();
  const unmarked: string[] = [];
  const counts = { marks: 0, changed: 0 };
  let before = await readOnly(readStatisticInputs);
  for (let from = 0, batch = 0; from < log.length; batch++) {
    const size = sizes[batch % sizes.length] ?? 1;
    const events = log.slice(from, from + size);
    await apply(events, projection);
    if (batch % 11 === 10) projection.reset();
    const after = await readOnly(readStatisticInputs);
    const marks = await readOnly(takeMarks);
    expect(marks).toHaveLength(new Set(marks).size);
    const changed = changedInputs(before, after);
    const missing = changed.filter((key) => !marks.includes(key));
    unmarked.push(...missing.map((key) => `${key} by ${events.map(({ type }) => type).join(', ')}`));
    counts.marks += marks.length;
    counts.changed += changed.length;
    before = after;
    from += size;
  }
  return { unmarked, ...counts };
}

describe('every change that can alter a figure is marked', () => {
  it.each(Array.from({ length: RANDOM_LOGS }, (_, index) => index + 1))(
    'in synthetic log %d',
    async (seed) => {
      const log = twinLog(seededRandom(seed), 90);
      const { unmarked, marks, changed } = await findUnmarked(log, [1, 1, 2, 1, 5, 1, 9]);
      expect({ seed, unmarked }).toEqual({ seed, unmarked: [] });
      expect(changed).toBeGreaterThan(20);
      expect(marks).toBeLessThan(4 * changed);
    },
  );

  it('in the recording', async () => {
    const log = recordLog({ nodes: ['aggregator', 'follower'], cut: { from: 40_000, to: 160_000 } });
    const { unmarked, changed } = await findUnmarked(log, [150]);
    expect(unmarked).toEqual([]);
    expect(changed).toBe(24);
  });
});

describe('the mark of an event', () => {
  const HOUR = 3_600_000;
  const FIRST = BigInt(SmallLog.START) / 900_000n;

  /** Marks of the events after a given one, as `<node key or 0> <chain> <quarters since the log began>`. */
  async function marksOf(log: SmallLog, after: number): Promise<string[]> {
    await emptyTables(dataSource, [TABLES]);
    await apply(log.events.slice(0, after));
    await readOnly(takeMarks);
    await apply(log.events.slice(after));
    const marks = await readOnly(takeMarks);
    return marks.map((key) => key.replace(/\d+$/, (quarter) => String(BigInt(quarter) - FIRST))).sort();
  }

  it('is absent for polls that find nothing, and when a node is retired', async () => {
    const log = new SmallLog()
      .register('a', 'one')
      .describe('a', 'one')
      .rows('a', [{ da: 100 }]);
    const { length } = log.events;
    log.now = HOUR;
    log.watch('a').describe('a', 'one').retire('a');
    expect(await marksOf(log, length)).toEqual([]);
  });

  it('is the quarter hour of a row, of its node and of its chain once that is known', async () => {
    const log = new SmallLog().register('a').rows('a', [{ da: 100 }]);
    log.now = HOUR;
    log.rows('a', [{ da: 101 }, { da: 102, at: HOUR - 1 }]);
    expect(await marksOf(log, 2)).toEqual(['1  3', '1  4']);
    log.describe('a', 'one');
    expect(await marksOf(log, 3)).toEqual(['0 one 0', '0 one 3', '0 one 4', '1  0', '1  3', '1  4']);
  });

  it('is the time of a block and of the submission that carried it when its inclusion becomes known', async () => {
    const log = new SmallLog().register('a').describe('a', 'one');
    log.blocks('a', 'one', [{ height: 1 }]);
    log.now = HOUR;
    log.rows('a', [{ da: 100 }]);
    log.now = 2 * HOUR;
    log.include('a', 'one', [{ height: 1, headerDa: 100, dataDa: 100 }]);
    expect(await marksOf(log, 4)).toEqual(['0 one 0', '0 one 4', '1  0', '1  4']);
  });

  it('covers no other row if a node shows a row that was shown before', async () => {
    const log = new SmallLog().register('a', 'one').register('b', 'one');
    log.now = HOUR;
    log.rows('a', [{ da: 100, at: 0 }], false).rows('b', [{ da: 100, at: 0 }]);
    expect(await marksOf(log, 3)).toEqual(['0 one 0', '2  0']);
  });

  it('covers both chains, and equal rows in them, for rows whose node names another chain than the settings', async () => {
    const log = new SmallLog().register('a', 'one').register('b', 'two').register('c', 'one');
    log.now = HOUR;
    log.rows('a', [{ da: 100 }]);
    log.now = 2 * HOUR;
    log.rows('b', [{ da: 100, at: HOUR }], false);
    log.now = 3 * HOUR;
    log.rows('c', [{ da: 100, at: HOUR }], false);
    log.now = 4 * HOUR;
    const { length } = log.events;
    log.describe('a', 'two');
    expect(await marksOf(log, length)).toEqual([
      '0 one 12',
      '0 one 4',
      '0 two 4',
      '0 two 8',
      '1  4',
      // At the same DA height, so imported fees may be distributed differently.
      '2  8',
      '3  12',
    ]);
  });

  it('covers only what is new once a node names another chain', async () => {
    const log = new SmallLog()
      .register('a')
      .describe('a', 'one')
      .rows('a', [{ da: 100 }]);
    log.blocks('a', 'one', [{ height: 1 }]).rows('a', [{ da: 101 }]);
    log.now = HOUR;
    const { length } = log.events;
    log.describe('a', 'two').blocks('a', 'two', [{ height: 1 }]);
    expect(await marksOf(log, length)).toEqual(['0 two 4', '1  4']);
  });
});
