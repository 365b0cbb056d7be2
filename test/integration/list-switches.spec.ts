import { differencesOf } from '../support/decided/compare.js';
import { decideLog } from '../support/decided/decide-log.js';
import { readHeld } from '../support/decided/held.js';
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

it.each<[string, readonly (readonly SmallRow[])[], readonly number[]]>([
  ['a failure', [[FAILURE], [NEXT]], [900, 901, 950, 960]],
  ['a refusal, then a failure', [[REFUSAL], [FAILURE], [NEXT]], [900, 901, 950, 960]],
  ['a success and a failure', [[{ da: 930 }, FAILURE], [NEXT]], [900, 901, 930, 950, 960]],
  ['a success alone', [[NEXT]], [900, 901, 950, 960]],
])(
  'after a switch to the list of another chain, %s is decided as by the oracle',
  async (_, answers, shown) => {
    const { events } = switching(answers, shown);
    for (const size of [1, 50]) {
      const record = new ProjectedRecord(dataSource, {});
      await record.begin();
      await record.apply(events, size);
      await record.workOff();
      const held = await readHeld(dataSource, events.at(-1)?.position ?? 0n);
      expect(held.rows).toHaveLength(4 + answers.flat().length);
      expect(differencesOf(held, decideLog(events))).toEqual([]);
    }
  },
);
