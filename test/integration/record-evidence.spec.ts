import { readHeld } from '../support/oracle/held.js';
import { judge } from '../support/oracle/judge.js';
import { ProjectedRecord } from '../support/oracle/projected-record.js';
import { SmallLog } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();

/** The rows in their order as `node DA evidence`, and groups as `lineage DA`; the same however the log is cut. */
async function outcomeOf({ events }: SmallLog): Promise<string[]> {
  const outcomes: string[][] = [];
  for (const batchSize of [events.length, 1, 2, 3, 5]) {
    const record = new ProjectedRecord(dataSource);
    await record.begin();
    expect(await record.apply(events, batchSize)).toEqual(events);
    const held = await readHeld(dataSource, events.at(-1)?.position ?? 0n);
    expect(judge(events, held)).toEqual([]);
    outcomes.push([
      ...held.rows.map(({ node, daHeight, evidence }) => `${node} ${daHeight} ${evidence}`),
      ...held.groups.map(({ lineage, daHeight }) => `${lineage} ${daHeight}`),
    ]);
    expect(outcomes.at(-1)).toEqual(outcomes[0]);
  }
  return outcomes[0] ?? [];
}

function look(log: SmallLog, node: string): SmallLog {
  for (let times = 0; times < 3; times++) {
    log.now += 1_000;
    log.watch(node);
  }
  return log;
}

const FAILED = { status: 'Context Deadline' };

describe('attempts that failed, and are alike', () => {
  const begin = () =>
    new SmallLog()
      .register('a')
      .describe('a', 'one')
      .rows('a', [{ da: 3 }, FAILED, FAILED, FAILED]);

  it('landed in the order of their list, whichever DA height is decided first', async () => {
    const log = begin();
    log.now += 1_000;
    log.blocks('a', 'one', [
      { height: 1, headerDa: 3 },
      { height: 2, headerDa: 7 },
      { height: 3, headerDa: 8 },
      { height: 4 },
      { height: 5 },
    ]);
    const [, ...early] = await outcomeOf(look(log, 'a'));
    expect(early).toEqual(['a null OBSERVED', 'a null OBSERVED', 'a 7 CONFIRMED']);
    look(log.include('a', 'one', [{ height: 4, headerDa: 9 }]), 'a');
    const [, ...then] = await outcomeOf(log);
    expect(then).toEqual(['a null OBSERVED', 'a 7 CONFIRMED', 'a 8 CONFIRMED']);
    look(log.include('a', 'one', [{ height: 5, headerDa: 10 }]), 'a');
    const [, ...late] = await outcomeOf(log);
    expect(late).toEqual(['a 7 CONFIRMED', 'a 8 CONFIRMED', 'a 9 CONFIRMED']);
  });

  it('and of which a success may be the batch, are not told to have landed', async () => {
    const log = new SmallLog()
      .register('a')
      .describe('a', 'one')
      .rows('a', [{ da: 3 }, FAILED, { blobs: 1 }]);
    log.now += 1_000;
    log.blocks('a', 'one', [
      { height: 1, headerDa: 3 },
      { height: 2, headerDa: 7 },
      { height: 3, headerDa: 12 },
    ]);
    const open = ['a 3 CONFIRMED', 'a null OBSERVED', 'a null OBSERVED'];
    expect(await outcomeOf(look(log, 'a'))).toEqual(open);
    expect(await outcomeOf(look(log.rows('a', [{ da: 12 }]), 'a'))).toEqual([...open, 'a 12 CONFIRMED']);
  });

  it('are told to have landed beside a success that was another batch', async () => {
    const log = new SmallLog()
      .register('a')
      .describe('a', 'one')
      .rows('a', [{ da: 3 }, FAILED, { blobs: 2, bytes: 662 }]);
    log.now += 1_000;
    log.blocks('a', 'one', [
      { height: 1, headerDa: 3 },
      { height: 2, headerDa: 7 },
      { height: 3, headerDa: 12 },
    ]);
    expect(await outcomeOf(look(log, 'a'))).toEqual(['a 3 CONFIRMED', 'a 7 CONFIRMED', 'a null OBSERVED']);
  });
});

describe('what the walks of a chain have not passed', () => {
  it('is asked again when one passes it that began later', async () => {
    const log = new SmallLog()
      .register('a')
      .describe('a', 'one')
      .rows('a', [{ da: 3 }, { da: 5 }, { da: 12 }]);
    log.blocks('a', 'one', [
      { height: 1, headerDa: 3 },
      { height: 3, headerDa: 9 },
      { height: 4, headerDa: 12 },
      { height: 5, headerDa: 14 },
    ]);
    look(log.unreadable('a', 'one', 2), 'a');
    const known = ['a 3 CONFIRMED', 'a 5 OBSERVED', 'a 12 CONFIRMED'];
    expect(await outcomeOf(log)).toEqual(known);
    log.register('b').describe('b', 'one').list('b', 'NOT_AGGREGATOR');
    log.blocks('b', 'one', [
      { height: 1, headerDa: 3 },
      { height: 2, headerDa: 7 },
      { height: 3, headerDa: 9 },
      { height: 4, headerDa: 12 },
      { height: 5, headerDa: 14 },
    ]);
    expect(await outcomeOf(look(log, 'a'))).toEqual([
      'a 3 CONFIRMED',
      'a 5 UNREFERENCED',
      'a 12 CONFIRMED',
      'one/1 7',
      'one/1 9',
    ]);
  });
});

describe('blocks of a chain that no node says it is of', () => {
  it('prove what was posted, whatever stands in the lists of another one', async () => {
    const log = new SmallLog().register('a').describe('a', 'one');
    log.blocks('a', 'one', [{ height: 1, headerDa: 3 }, { height: 2, headerDa: 7 }, { height: 3 }]);
    log.describe('a', 'two').blocks('a', 'two', [{ height: 1, headerDa: 2 }]);
    log.rows('a', [{ da: 2 }, FAILED]);
    expect(await outcomeOf(log)).toEqual(['a 2 CONFIRMED', 'a null OBSERVED']);
    log.include('a', 'one', [{ height: 3, headerDa: 9 }]);
    expect(await outcomeOf(log)).toEqual(['a 2 CONFIRMED', 'a null OBSERVED', 'one/1 3', 'one/1 7']);
  });
});

describe('a failure that landed, of which two nodes tell', () => {
  it('is the one that was told in time, though it came after', async () => {
    const log = new SmallLog().register('a').register('b').describe('a', 'one').describe('b', 'one');
    log.blocks('a', 'one', [{ height: 1, headerDa: 3 }]).blocks('b', 'one', [{ height: 1, headerDa: 3 }]);
    const rows = [log.rowText({ da: 3 }), log.rowText(FAILED)];
    log.rows('a', rows, false);
    log.now += 1_000;
    log.blocks('a', 'one', [
      { height: 2, headerDa: 7 },
      { height: 3, headerDa: 12 },
    ]);
    look(log.list('b', 'NOT_AGGREGATOR'), 'a');
    expect(await outcomeOf(log)).toEqual(['a 3 CONFIRMED', 'a 7 CONFIRMED']);
    log.rows('b', rows);
    expect(await outcomeOf(log)).toEqual([
      'a 3 CONFIRMED',
      'a null OBSERVED',
      'b 3 CONFIRMED',
      'b 7 CONFIRMED',
    ]);
  });
});
