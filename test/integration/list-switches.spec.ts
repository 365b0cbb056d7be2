import { differencesOf } from '../support/decided/compare.js';
import { decideLog } from '../support/decided/decide-log.js';
import { readHeld, type Held } from '../support/decided/held.js';
import { ProjectedRecord } from '../support/decided/projected-record.js';
import { SmallLog, type SmallRow } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();
const HAS_DATE = true;
const [OF_TWO, OF_ONE] = [0, 1];

/** An address behind which processes of two chains take turns. The list of chain "two" is seen again, and shows these answers. */
function switching(answers: readonly (readonly SmallRow[])[], shown: readonly number[]): SmallLog {
  const log = new SmallLog().register('n').lose('n', 'SubmissionHistoryMissing', OF_TWO);
  const rows = (list: number, ...few: SmallRow[]) => {
    log.now += 1_000;
    log.rows('n', few, HAS_DATE, list);
  };
  rows(OF_TWO, { da: 900 });
  log.describe('n', 'two', OF_TWO);
  rows(OF_TWO, { da: 901 });
  log.lose('n', 'SubmissionRingReset', OF_ONE);
  rows(OF_ONE, { da: 1_000 });
  log.describe('n', 'one', OF_ONE);
  rows(OF_ONE, { da: 1_001 });
  for (const answer of answers) rows(OF_TWO, ...answer);
  log.now += 1_000;
  log.blocks(
    'n',
    'two',
    shown.map((headerDa, index) => ({ height: index + 1, headerDa })),
  );
  log.now += 3_600_000;
  return log.watch('n');
}

const FAILURE: SmallRow = { status: 'Context Deadline' };
const REFUSAL: SmallRow = { status: 'Too Big' };
const NEXT: SmallRow = { da: 960 };

async function project({ events }: SmallLog, batchSize: number): Promise<Held> {
  const record = new ProjectedRecord(dataSource, {});
  await record.begin();
  await record.apply(events, batchSize);
  await record.workOff();
  return readHeld(dataSource, events.at(-1)?.position ?? 0n);
}

/** Decides a log event by event and at once, and compares both with the oracle. @returns the evidence of groups, by DA height */
async function decide(log: SmallLog): Promise<Record<string, string>> {
  const decided = decideLog(log.events);
  expect(differencesOf(await project(log, 1), decided)).toEqual([]);
  const held = await project(log, 50);
  expect(differencesOf(held, decided)).toEqual([]);
  return evidenceOf(held);
}

function evidenceOf({ groups }: Held): Record<string, string> {
  return Object.fromEntries(groups.map(({ daHeight, evidence }) => [daHeight, evidence]));
}

it.each<[string, readonly (readonly SmallRow[])[], readonly number[], Record<string, string>]>([
  ['a failure', [[FAILURE], [NEXT]], [900, 901, 950, 960], { 950: 'UNDECIDED' }],
  ['a refusal, then a failure', [[REFUSAL], [FAILURE], [NEXT]], [900, 901, 950, 960], { 950: 'UNDECIDED' }],
  ['a success and a failure', [[{ da: 930 }, FAILURE], [NEXT]], [900, 901, 930, 950, 960], {}],
  ['a success alone', [[NEXT]], [900, 901, 950, 960], { 950: 'RECONSTRUCTED' }],
])(
  'after a switch to the list of another chain, %s is decided as by the oracle',
  async (_, answers, shown, groups) => {
    expect(await decide(switching(answers, shown))).toEqual(groups);
  },
);

describe('a success in a list that was replaced before its process named a chain', () => {
  const BLOCKS = [3, 7, 10].map((headerDa, index) => ({ height: index + 1, headerDa, at: 0 }));

  function replaced(log = new SmallLog(), row: SmallRow = { da: 3 }): SmallLog {
    log.register('n').lose('n', 'SubmissionHistoryMissing').rows('n', [row]);
    log.now += 1_000;
    log
      .lose('n', 'SubmissionRingReset', 1)
      .rows('n', [{ da: 10 }], HAS_DATE, 1)
      .describe('n', 'c', 1);
    log.now += 1_000;
    return log;
  }

  function settled(log: SmallLog): SmallLog {
    log.now += 3_600_000;
    return log.watch('n');
  }

  it('leaves the blobs that it may have posted undecided, and no others', async () => {
    const log = settled(replaced().blocks('n', 'c', BLOCKS));
    expect(await decide(log)).toEqual({ 3: 'UNDECIDED', 7: 'RECONSTRUCTED' });
  });

  it('does so above all DA heights that its chain had shown, and not if it posted nothing', async () => {
    const blocks = [10, 30, 40].map((headerDa, index) => ({ height: index + 1, headerDa, at: 0 }));
    const above = replaced(new SmallLog(), { da: 30 }).blocks('n', 'c', blocks);
    expect(await decide(settled(above))).toMatchObject({ 30: 'UNDECIDED' });
    const empty = replaced(new SmallLog(), { da: 30, blobs: 0, bytes: 0 }).blocks('n', 'c', blocks);
    expect(evidenceOf(await project(settled(empty), 50))).toMatchObject({ 30: 'RECONSTRUCTED' });
  });

  it('does so where another node had shown the blocks before', async () => {
    const log = new SmallLog()
      .register('f')
      .describe('f', 'c')
      .list('f', 'NOT_AGGREGATOR')
      .blocks('f', 'c', BLOCKS);
    log.now += 1_000;
    log.watch('f');
    log.now += 1_000;
    settled(replaced(log));
    expect(await decide(log)).toMatchObject({ 3: 'RECONSTRUCTED' });
    // Only its last block: the others are as the other node showed them.
    settled(log.blocks('n', 'c', BLOCKS.slice(2)));
    expect(await decide(log)).toEqual({ 3: 'UNDECIDED', 7: 'RECONSTRUCTED' });
  });

  it('carried them if its process is seen again and names the chain', async () => {
    const log = settled(replaced().blocks('n', 'c', BLOCKS));
    log.rows('n', [{ da: 12 }], HAS_DATE, 0).describe('n', 'c', 0);
    expect(await decide(settled(log))).toEqual({ 7: 'RECONSTRUCTED' });
  });

  it('did not carry them if its process is seen again and names another chain', async () => {
    const log = settled(replaced().blocks('n', 'c', BLOCKS));
    log.rows('n', [{ da: 12 }], HAS_DATE, 0).describe('n', 'other', 0);
    expect(await decide(settled(log))).toEqual({ 3: 'RECONSTRUCTED', 7: 'RECONSTRUCTED' });
  });
});
