import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { appendLog } from '../support/append-log.js';
import { SmallLog } from '../support/small-log.js';
import { useApi } from '../support/use-database.js';

const api = useApi();
const HAS_DATE = true;
const [FIRST_LIST, SECOND_LIST] = [0, 1];
const ONE_DAY = 'bucket: DAY, from: "2026-11-21T00:00:00Z", to: "2026-11-22T00:00:00Z"';

/** The chains' figures from each reader, by chain. */
async function readFigures(): Promise<{ graphql: unknown; views: unknown; lists: unknown }> {
  const { statistics, costReport } = await api.read<Record<string, { chain: string; decided: boolean }[]>>(
    `{ statistics(${ONE_DAY}, groupBy: [CHAIN]) { chain attempts decided } costReport(${ONE_DAY}, groupBy: [CHAIN]) { chain decided } }`,
  );
  const views = await api.dataSource.query(
    `SELECT s.chain, sum(s.attempts)::int AS attempts, bool_and(s.decided) AS decided, bool_and(c.decided) AS "costDecided"
       FROM reporting.statistics_daily s JOIN reporting.cost_daily c USING (time, chain, kind, status) GROUP BY 1 ORDER BY 1`,
  );
  const lists = await api.dataSource.query('SELECT node, chain FROM reporting.unnamed_lists');
  return { graphql: { statistics, costReport }, views, lists };
}

it('figures of a chain are undecided while one of its nodes shows a list without a chain', async () => {
  const log = new SmallLog().register('n').describe('n', 'c1').describe('n', 'c1', FIRST_LIST);
  log.rows('n', [{ da: 3, at: 1 }], HAS_DATE, FIRST_LIST).describe('n', 'c1', FIRST_LIST);
  log.now = 60_000;
  log.lose('n', 'SubmissionRingReset', SECOND_LIST).rows('n', [{ da: 4, at: 61 }], HAS_DATE, SECOND_LIST);
  await appendLog(api.dataSource, log.events);
  await new RollUp(api.dataSource).run();
  expect(await readFigures()).toMatchObject({
    graphql: {
      statistics: [
        { chain: null, attempts: '1' },
        { chain: 'c1', attempts: '1', decided: false },
      ],
      costReport: [{ chain: null }, { chain: 'c1', decided: false }],
    },
    views: [{ chain: 'c1', attempts: 1, decided: false, costDecided: false }],
    lists: [{ node: 'n', chain: 'c1' }],
  });

  log.now = 61_000;
  const before = log.events.length;
  log.describe('n', 'c2', SECOND_LIST);
  await appendLog(api.dataSource, log.events.slice(before));
  await new RollUp(api.dataSource).run();
  expect(await readFigures()).toEqual({
    graphql: {
      statistics: [
        { chain: 'c1', attempts: '1', decided: true },
        { chain: 'c2', attempts: '1', decided: true },
      ],
      costReport: [
        { chain: 'c1', decided: true },
        { chain: 'c2', decided: true },
      ],
    },
    views: [
      { chain: 'c1', attempts: 1, decided: true, costDecided: true },
      { chain: 'c2', attempts: 1, decided: true, costDecided: true },
    ],
    lists: [],
  });
});
