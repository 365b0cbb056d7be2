import type { NewEvent } from '../../src/domain/events.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { ProjectionRunner } from '../../src/projections/projection-runner.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { ProjectedRecord, type Way } from '../support/decided/projected-record.js';
import { STORIES as MADE_UP } from '../support/decided/stories.js';
import { emptyTables } from '../support/empty-tables.js';
import { readModelSet, rebuildNow } from '../support/rebuild.js';
import { appendTo } from '../support/record-log.js';
import { seededRandom } from '../support/seeded-random.js';
import { SmallLog } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';
import { projectAll } from '../support/read-models.js';

const dataSource = useDatabase();

/** All tables except the change numbers, which count transactions. */
const TABLES = new RecordProjection().tables.filter((table) => table !== 'record_change');
const MANY = 60;
/** DA heights of rows before the event that touches all of them. */
const FIRST_DA = 1_000;

const IN_TURNS: readonly (Way & { readonly batchSize: number })[] = [
  { pageSize: 1, mostAtOnce: 0, batchSize: 1, killEvery: 3 },
  { pageSize: 7, mostAtOnce: 0, batchSize: 13, killEvery: 1 },
  { mostAtOnce: 0, batchSize: 2 },
  { pageSize: 7, mostAtOnce: 7, batchSize: 3 },
];
/** Each story is tested in some of these ways; `npm run test:long` tests each in all. */
const TELLS_ALL = Number(process.env['RANDOM_LOGS'] ?? 1) > 1;

/** The given number of ways to test a story; the next story has other ways. */
function waysOf(story: number, some: number, among = IN_TURNS): typeof IN_TURNS {
  return TELLS_ALL
    ? among
    : Array.from({ length: some }, (_, n) => among[(story * some + n) % among.length] ?? among[0]!);
}

/** The tables that a log makes, and the number of its deferred tasks. */
async function project(log: SmallLog['events'], { batchSize, ...way }: Way & { batchSize: number }) {
  const record = new ProjectedRecord(dataSource, way);
  await record.begin();
  expect(await record.apply(log, batchSize)).toEqual(log);
  await record.workOff();
  return { tables: await dump(), marks: await dumpMarks(), turns: record.turns, waits: record.waits };
}

async function dump(): Promise<Record<string, string[]>> {
  const tables: Record<string, string[]> = {};
  for (const table of TABLES) {
    const rows = await dataSource.query<{ row: string }[]>(
      `SELECT (to_jsonb(t) - 'change')::text COLLATE "C" AS row FROM ${table} t ORDER BY 1`,
    );
    tables[table] = rows.map(({ row }) => row);
  }
  return tables;
}

/** Rows that only one of two dumps has, up to a limit. */
function differ(
  mine: Readonly<Record<string, string[]>>,
  theirs: Readonly<Record<string, string[]>>,
): string[] {
  return TABLES.flatMap((table) => {
    const [a, b] = [new Set(mine[table]), new Set(theirs[table])];
    const [more, less] = [[...a].filter((row) => !b.has(row)), [...b].filter((row) => !a.has(row))];
    return [...more.map((row) => `${table} + ${row}`), ...less.map((row) => `${table} - ${row}`)];
  }).slice(0, 10);
}

async function dumpMarks(): Promise<Set<string>> {
  const rows = await dataSource.query<{ row: string }[]>(
    "SELECT DISTINCT concat_ws(' ', node_key, chain, quarter_at) AS row FROM roll_up_mark",
  );
  return new Set(rows.map(({ row }) => row));
}

/** A chain with an unreadable list of one node, and with blocks that show a submission at each DA height. */
function blocksOf(log: SmallLog, node: string, many = MANY): SmallLog {
  for (let height = 1; height <= many; height += 20) {
    log.now += 1_000;
    log.blocks(
      node,
      'c1',
      Array.from({ length: 20 }, (_, index) => ({
        height: height + index,
        headerDa: FIRST_DA + height + index,
        dataDa: FIRST_DA + height + index,
        dataBytes: 200,
        at: height + index,
      })),
    );
  }
  return log;
}

function tellSource(log: SmallLog, node: string, state: 'NOT_AGGREGATOR' | 'DISABLED' | 'AVAILABLE'): void {
  const observedAt = SmallLog.START + log.now;
  const looks = { first: observedAt, last: observedAt, count: 1, longestGapMs: 0, nodeClock: observedAt };
  const body = { looks, state, detail: '' };
  appendTo(log.events, `${node}/submissions`, [{ type: 'SubmissionSourceChanged', observedAt, body }]);
}

/** Each story makes the log before an event that touches very much, and that event. */
const STORIES: Record<string, () => SmallLog> = {
  'an aggregator joins a chain of which only a follower was watched': () => {
    const log = new SmallLog().register('follower', 'c1').describe('follower', 'c1');
    tellSource(log, 'follower', 'NOT_AGGREGATOR');
    blocksOf(log, 'follower').watch('follower');
    log.now += 10_000;
    log.register('aggregator', 'c1').describe('aggregator', 'c1');
    return log.lose('aggregator', 'SubmissionHistoryMissing').rows('aggregator', [{ da: FIRST_DA + MANY }]);
  },
  'one of two nodes with a list starts again': () => {
    const log = new SmallLog();
    for (const id of ['a', 'b'])
      log.register(id, 'c1').describe(id, 'c1').lose(id, 'SubmissionHistoryMissing');
    for (const id of ['a', 'b']) log.rows(id, [{ da: FIRST_DA }]);
    blocksOf(log, 'a');
    log.now += 1_000;
    log.watch('a').watch('b').watch('a');
    log.now += 1_000;
    return log.lose('a', 'SubmissionWindowLost').watch('b');
  },
  'a second hole begins behind the first, and both end': () => {
    const log = new SmallLog()
      .register('n', 'c1')
      .describe('n', 'c1')
      .rows('n', [{ da: FIRST_DA }]);
    log.lose('n', 'SubmissionWindowLost');
    blocksOf(log, 'n').watch('n');
    for (let n = 0; n < 2; n++) {
      log.now += 1_000;
      log.watch('n').lose('n', 'SubmissionWindowLost');
    }
    return log.rows('n', [{ da: FIRST_DA + 20 }]);
  },
  'another list of a chain whose losses are known is seen for the first time': () => {
    const log = new SmallLog()
      .register('n', 'c1')
      .describe('n', 'c1')
      .rows('n', [{ da: FIRST_DA }]);
    log.lose('n', 'SubmissionWindowLost').rows('n', [{ da: FIRST_DA + MANY }]);
    blocksOf(log, 'n').watch('n');
    log.now += 1_000;
    log.watch('n').register('m', 'c1').lose('m', 'SubmissionHistoryMissing');
    return log.rows('m', [{ da: FIRST_DA + 20 }]);
  },
  'the blocks of a node appear late': () => {
    const log = new SmallLog().register('n');
    for (let from = 0; from < MANY; from += 20) {
      log.now += 1_000;
      const rows = Array.from({ length: 20 }, (_, index) => ({
        da: FIRST_DA + from + index,
        at: from + index,
      }));
      log.rows('n', [...rows, { status: 'Error', bytes: 5 }, { da: FIRST_DA + from, bytes: 7 }]);
    }
    log.now += 1_000;
    log.blocks('n', 'c1', [
      { height: 1, headerDa: FIRST_DA },
      { height: 2, headerDa: FIRST_DA + 5 },
      { height: 3 },
    ]);
    return blocksOf(log, 'n').watch('n');
  },
  'a node tells its namespaces late': () => {
    const log = new SmallLog().register('n', 'c1');
    blocksOf(log, 'n');
    const rows = Array.from({ length: MANY }, (_, index) => ({ da: FIRST_DA + 1 + index, at: index }));
    log.rows('n', [...rows, { status: 'Error' }, { kind: 'none', da: FIRST_DA + 3 }]).watch('n');
    log.now += 1_000;
    return log.describe('n', 'c1').watch('n');
  },
  'the list of a node is there at last': () => {
    const log = new SmallLog().register('n', 'c1').describe('n', 'c1');
    tellSource(log, 'n', 'DISABLED');
    blocksOf(log, 'n').watch('n');
    log.now += 60_000;
    tellSource(log, 'n', 'AVAILABLE');
    return log
      .lose('n', 'SubmissionHistoryMissing')
      .rows('n', [{ da: FIRST_DA + MANY }])
      .watch('n');
  },
  'a list is looked at after days': () => {
    const log = new SmallLog().register('agg', 'c1').describe('agg', 'c1');
    log.lose('agg', 'SubmissionHistoryMissing').rows('agg', [{ da: FIRST_DA - 1 }]);
    log.register('fol', 'c1').describe('fol', 'c1');
    tellSource(log, 'fol', 'NOT_AGGREGATOR');
    blocksOf(log, 'fol');
    log.now += 1_000;
    return log.watch('agg').watch('fol');
  },
  'a walk goes on that a block had held': () => {
    const log = new SmallLog().register('n', 'c1').describe('n', 'c1');
    log.lose('n', 'SubmissionHistoryMissing').rows('n', [{ da: FIRST_DA }]);
    log.now += 1_000;
    log.blocks('n', 'c1', [{ height: 1 }]);
    const blocks = Array.from({ length: 1_200 }, (_, index) => ({
      height: 2 + index,
      headerDa: FIRST_DA + 1 + Math.floor(index / 10),
    }));
    log.blocks('n', 'c1', blocks);
    log.rows('n', [
      { da: FIRST_DA + 3, blobs: 10, bytes: 1 },
      { da: FIRST_DA + 9, bytes: 10 },
    ]);
    log.now += 1_000;
    return log.include('n', 'c1', [{ height: 1, headerDa: FIRST_DA + 1 }]).watch('n');
  },
  'rows come late that may be much of what was reconstructed': () => {
    const log = new SmallLog().register('n', 'c1').describe('n', 'c1');
    log.lose('n', 'SubmissionHistoryMissing').rows('n', [{ da: FIRST_DA }]);
    blocksOf(log, 'n').watch('n');
    log.now += 1_000;
    log.watch('n').lose('n', 'SubmissionWindowLost');
    log.rows('n', [{ da: 0 }, { status: 'Context Deadline', kind: 'data', bytes: 200 }]);
    log.now += 1_000;
    return log.watch('n');
  },
  'much was left undecided until the next success': () => {
    const log = new SmallLog().register('n', 'c1').describe('n', 'c1');
    log.rows('n', [{ da: FIRST_DA }, { da: 0 }]);
    blocksOf(log, 'n').watch('n');
    log.now += 1_000;
    log.watch('n').rows('n', [{ da: FIRST_DA + 1 }]).now += 1_000;
    return log.watch('n');
  },
  'a node names another chain while much of the one that the settings named is left': () => {
    const log = new SmallLog()
      .register('n', 'c1')
      .describe('n', 'c1')
      .rows('n', [{ da: FIRST_DA }]);
    log.register('m', 'c1').register('o', 'c2').describe('o', 'c2');
    blocksOf(log, 'n').watch('n').watch('m').now += 1_000;
    const some = [1, 20, 40, MANY].map((da) => ({ da: FIRST_DA + da }));
    log.rows('m', [
      ...some,
      { status: 'Context Deadline', kind: 'data', bytes: 200 },
      { da: FIRST_DA + 500 },
    ]);
    log.watch('n').watch('m').now += 1_000;
    log.lose('n', 'SubmissionWindowLost').watch('n').watch('m').now += 1_000;
    log.describe('m', 'c2').watch('m').watch('n').now += 1_000;
    log.blocks('o', 'c2', [
      { height: 1, headerDa: FIRST_DA + 1 },
      { height: 2, headerDa: FIRST_DA + 2 },
    ]);
    log.watch('n').watch('m').watch('o').now += 1_000;
    return log
      .rows('n', [{ da: FIRST_DA + MANY + 5 }])
      .watch('m')
      .watch('o');
  },
  'a node names another chain than the settings, and moves on': () => {
    const log = new SmallLog().register('n', 'c1');
    const rows = Array.from({ length: MANY }, (_, index) => ({
      da: FIRST_DA + 1 + index,
      at: index * 60_000,
    }));
    log.rows('n', rows);
    log.now += 60_000 * MANY;
    log
      .describe('n', 'c2')
      .watch('n')
      .blocks('n', 'c2', [{ height: 1, headerDa: FIRST_DA + 7 }]);
    log.rows('n', [{ da: FIRST_DA + 500 }]);
    return log.blocks('n', 'c3', [{ height: 1 }]).watch('n');
  },
  'a walk passes what nothing explains, behind much that is settled': () => {
    const log = new SmallLog().register('n', 'c1').describe('n', 'c1').list('n', 'AVAILABLE');
    const heights = Array.from({ length: 20 }, (_, index) => FIRST_DA + index);
    for (const da of heights) log.rows('n', [{ da }]);
    [...heights, FIRST_DA + 30, FIRST_DA + 40].forEach((headerDa, index) => {
      log.blocks('n', 'c1', [{ height: index + 1, headerDa }]);
    });
    log.watch('n').now += 1_000;
    return log.watch('n').watch('n').watch('n').watch('n');
  },
};

describe('an event that touches very much', () => {
  it.each(Object.entries(STORIES).map(([name, tell], story) => [name, tell, story] as const))(
    'makes the same rows in deferred tasks of any size: %s',
    async (_, tell, story) => {
      const log = tell().events;
      const { tables, marks } = await project(log, { batchSize: 1_000 });
      for (const way of waysOf(story, 1)) {
        const inTurns = await project(log, way);
        expect({ way, found: differ(inTurns.tables, tables) }).toEqual({ way, found: [] });
        expect([...marks].filter((mark) => !inTurns.marks.has(mark))).toEqual([]);
        if (way.mostAtOnce === 0) expect(inTurns.turns).toBeGreaterThan(0);
      }
    },
  );

  // `oracle.spec.ts` compares each of them, in deferred tasks, with the oracle.
  const told = Object.entries(MADE_UP).map(([name, tell], story) => [name, tell, story] as const);
  it.each(told.filter(([name]) => TELLS_ALL || /twins that|with forks$/.test(name)))(
    'makes the same rows in deferred tasks of any size: a synthetic log %s',
    async (_, tell, story) => {
      const log = tell(seededRandom(1)).events;
      const { tables } = await project(log, { batchSize: 1_000 });
      for (const way of waysOf(story, 1, IN_TURNS.slice(0, 2))) {
        const inTurns = await project(log, way);
        expect({ way, found: differ(inTurns.tables, tables) }).toEqual({ way, found: [] });
        expect(inTurns.turns).toBeGreaterThan(0);
      }
    },
  );
});

it('an event about earlier rows waits for as many transactions as are left', async () => {
  const log = STORIES['a node tells its namespaces late']?.().events ?? [];
  const { waits } = await project(log, { pageSize: 7, mostAtOnce: 0, batchSize: 13 });
  expect(waits).toBe(18);
});

describe('the runner', () => {
  const LOST = 'one of two nodes with a list starts again';
  const store = new EventStore(dataSource);
  let whole: Record<string, string[]>;

  beforeAll(async () => {
    for (const { stream, type, observedAt, body } of STORIES[LOST]?.().events ?? []) {
      const { version } = await store.loadStream(stream);
      const event = { type, observedAt: Number(observedAt / 1_000n), body } as NewEvent;
      await store.append({ stream, expectedVersion: version, events: [event] });
    }
    await forget();
    await projectAll(dataSource, ['record']);
    whole = await dump();
  });

  async function forget(): Promise<void> {
    await emptyTables(dataSource, ['projection_checkpoint', 'projection_fault', ...TABLES]);
  }

  it('applies other events meanwhile, and has finished only when nothing is left', async () => {
    await forget();
    const end = await store.lastPosition();
    let isMeanwhile = false;
    let steps = 0;
    // A process of its own runs each step, and is killed then.
    for (let isAtEnd = false; !isAtEnd; steps += 1) {
      isAtEnd = true;
      await new ProjectionRunner(dataSource, store, 1).catchUp(
        new RecordProjection(7, 0),
        end,
        (position) => {
          isAtEnd = position >= end;
          return false;
        },
      );
      const [left] = await dataSource.query<{ position: bigint; applied: bigint }[]>(
        'SELECT t.position, c.position AS applied FROM decision_turn t, projection_checkpoint c ORDER BY 1 LIMIT 1',
      );
      if (left && left.applied > left.position) isMeanwhile = true;
      if (left) isAtEnd = false;
    }
    expect(isMeanwhile).toBe(true);
    expect(steps).toBeGreaterThan(20);
    expect(await dump()).toEqual(whole);
  });

  it('does a part of the deferred work of an event in each step, even if the process is killed after it', async () => {
    await forget();
    const end = await store.lastPosition();
    const reached: bigint[] = [];
    while (reached.at(-1) !== end && reached.length < 20)
      await new ProjectionRunner(dataSource, store, 13).catchUp(
        new RecordProjection(7, 0),
        end,
        (position) => {
          reached.push(position);
          return false;
        },
      );
    expect(reached.length).toBeLessThan(20);
    expect(reached.filter((position, index) => index > 0 && position === reached[index - 1]).length).toBe(4);
    await projectAll(dataSource, ['record']);
    expect(await dump()).toEqual(whole);
  });

  it('makes the same rows in a rebuild', async () => {
    await forget();
    const set = readModelSet('record');
    const createProjections = () =>
      set.createProjections().map((each) => (each.name === 'record' ? new RecordProjection(3, 0) : each));
    await rebuildNow(dataSource, { ...set, createProjections });
    expect(await dump()).toEqual(whole);
  });

  it('quarantines what cannot be done, and continues', async () => {
    const poison = FIRST_DA + 31;
    await dataSource.query(
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF NEW.da_height = ${poison} AND NEW.loss_position IS NOT NULL THEN RAISE SQLSTATE '22003'; END IF;
         RETURN NEW; END $$`,
    );
    await forget();
    await dataSource.query(
      'CREATE TRIGGER refuse BEFORE INSERT OR UPDATE ON submission FOR EACH ROW EXECUTE FUNCTION refuse()',
    );
    const told: bigint[] = [];
    const end = await store.lastPosition();
    const projection = new RecordProjection(8, 0);
    await new ProjectionRunner(dataSource, store, 2).catchUp(
      projection,
      end,
      () => true,
      ({ position }) => told.push(position),
    );
    await dataSource.query('DROP TRIGGER refuse ON submission');
    expect(told).toHaveLength(1);
    const [fault] = await dataSource.query<{ type: string; position: bigint }[]>(
      'SELECT * FROM projection_fault',
    );
    expect(fault).toMatchObject({ type: 'SubmissionWindowLost', position: told[0] });
    const isPoisoned = (row: string) => row.includes(`"da_height": ${poison},`);
    const { submission, loss, ...others } = await dump();
    const { submission: expected = [], loss: _, ...rest } = whole;
    expect(others).toEqual(rest);
    expect(submission?.filter((row) => !isPoisoned(row))).toEqual(expected.filter((row) => !isPoisoned(row)));
    expect(submission).not.toEqual(expected);
    expect(loss).toHaveLength(whole['loss']?.length ?? 0);
  });
});
