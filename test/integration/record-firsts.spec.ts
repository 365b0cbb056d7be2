import { submissionsKnownAt } from '../../src/projections/record/readers/known-rows.reader.js';
import { RecordProjection } from '../../src/projections/record/projection.js';
import { MOST_EQUAL } from '../../src/projections/record/turns/attempts.js';
import { emptyTables } from '../support/empty-tables.js';
import { takeEvents } from '../support/read-models.js';
import { seededRandom } from '../support/seeded-random.js';
import { SmallLog } from '../support/small-log.js';
import { useDatabase } from '../support/use-database.js';

const dataSource = useDatabase();
const HOUR = 3_600_000;

/** `<node> <sequence> <chain>` of each row that counts for its chain, however the log is cut. */
async function countedOf(log: SmallLog, knownAt?: bigint): Promise<string[]> {
  const found = await countedIn(log, 1, knownAt);
  for (const size of [2, 3, Infinity]) expect(await countedIn(log, size, knownAt)).toEqual(found);
  return found;
}

async function countedIn({ events }: SmallLog, size: number, knownAt?: bigint): Promise<string[]> {
  await emptyTables(dataSource, new RecordProjection().tables);
  for (let from = 0; from < events.length; from += size) {
    await takeEvents(dataSource, new RecordProjection(), events.slice(from, from + size));
  }
  const rows = await dataSource.query<{ row: string }[]>(
    `SELECT concat_ws(' ', n.id, s.sequence, s.chain_id) AS row FROM ${submissionsKnownAt(knownAt)} JOIN node n USING (node_key)
      WHERE s.counts_for_chain AND s.to_position IS NULL ORDER BY s.node_key, s.sequence`,
  );
  return rows.map(({ row }) => row);
}

const FIRST = { da: 100, at: 0 };
const SECOND = { da: 101, at: 1 };

describe('the rows that count for their chain', () => {
  it('are, among equal rows of several nodes, those recorded first: the k-th row of one equals the k-th of another', async () => {
    const log = new SmallLog().register('a', 'one').register('b', 'one').register('c', 'one');
    log.rows('b', [FIRST, SECOND]).rows('a', [FIRST, FIRST, SECOND]).rows('c', [FIRST, FIRST, FIRST]);
    expect(await countedOf(log)).toEqual(['a 2 one', 'b 1 one', 'b 2 one', 'c 3 one']);
  });

  it('include all rows of nodes of other chains, and of a node that is alone', async () => {
    const log = new SmallLog().register('a', 'one').register('b', 'two').register('c', 'one');
    log.rows('a', [FIRST, FIRST]).rows('b', [FIRST]);
    expect(await countedOf(log)).toEqual(['a 1 one', 'a 2 one', 'b 1 two']);
  });

  it('include those that another node of the chain has shown only for another chain', async () => {
    const log = new SmallLog()
      .register('a', 'two')
      .describe('a', 'two')
      .register('b', 'one')
      .describe('b', 'one');
    const [list, hasDate] = [1, true];
    log.rows('a', [FIRST]).describe('a', 'one').rows('a', [SECOND], hasDate, list).rows('b', [FIRST, SECOND]);
    expect(await countedOf(log)).toEqual(['a 1 two', 'a 2 one', 'b 1 one']);
  });

  it('include all rows that differ in anything, and those that have no time', async () => {
    const log = new SmallLog().register('a', 'one').register('b', 'one');
    const timeless = log.rowText(FIRST).replace(/"timestamp":"[^"]*"/, '"timestamp":"0001-01-01T00:00:00Z"');
    log.rows('a', [FIRST, timeless]).rows('b', [{ ...FIRST, bytes: 332 }, timeless]);
    expect(await countedOf(log)).toEqual(['a 1 one', 'a 2 one', 'b 1 one', 'b 2 one']);
  });

  it('are the first ones even if the time of one is not believed', async () => {
    const log = new SmallLog().register('a', 'one').register('b', 'one').register('c', 'one');
    log.now = HOUR;
    log.rows('a', [FIRST], false).rows('b', [FIRST]).rows('c', [FIRST], false);
    expect(await countedOf(log)).toEqual(['a 1 one']);
  });

  it('change once rows leave for another chain, but not by what was known before', async () => {
    const log = new SmallLog().register('a', 'one').register('b', 'one').register('c', 'two');
    log.rows('a', [FIRST, SECOND]).rows('b', [FIRST]).rows('c', [SECOND]).rows('b', [SECOND]);
    const before = ['a 1 one', 'a 2 one', 'c 1 two'];
    expect(await countedOf(log)).toEqual(before);
    const position = BigInt(log.events.length);
    log.describe('a', 'two');
    expect(await countedOf(log)).toEqual(['a 1 two', 'a 2 two', 'b 1 one', 'b 2 one']);
    expect(await countedOf(log, position)).toEqual(before);
  });

  it.each([1, 2, 3])(
    'are as many as the largest number that any one node shows, in any order (%d)',
    async (seed) => {
      const random = seededRandom(seed);
      const log = new SmallLog();
      const shown = ['a', 'b', 'c'].map((node) => ({ node, count: 0 }));
      for (const { node } of shown) log.register(node, 'one');
      for (let row = 0; row < 12; row++) {
        const each = shown[Math.floor(random() * shown.length)]!;
        each.count += 1;
        log.rows(each.node, [FIRST]);
      }
      expect(await countedOf(log)).toHaveLength(Math.max(...shown.map(({ count }) => count)));
    },
  );

  it('include all rows that two nodes show beyond the limit of distinguishable equal rows', async () => {
    const log = new SmallLog().register('a', 'one').register('b', 'one');
    const many = Array.from({ length: MOST_EQUAL }, () => FIRST);
    log.rows('a', many).rows('b', many).rows('a', [FIRST, FIRST]).rows('b', [FIRST]);
    const counted = await countedOf(log);
    expect([counted.length, counted.at(-1)]).toEqual([MOST_EQUAL + 3, `b ${MOST_EQUAL + 1} one`]);
  });

  it('include all rows of a node that shows more equal rows than the limit', async () => {
    const log = new SmallLog().register('a', 'one').register('b', 'one');
    log
      .rows(
        'a',
        Array.from({ length: MOST_EQUAL + 2 }, () => FIRST),
      )
      .rows('b', [FIRST]);
    const counted = await countedOf(log);
    expect([counted.length, counted.at(-1)]).toEqual([MOST_EQUAL + 2, `a ${MOST_EQUAL + 2} one`]);
  });
});
