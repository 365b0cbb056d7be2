import type { DataSource } from 'typeorm';
import { startBenchServer } from './support/bench-database.js';
import { Contest } from './support/contest.js';
import { readRows, type Bench } from './support/figures.js';
import { fill, fillNodes, nodeId } from './support/statistics-world.js';
import { fillYearOfLists } from './support/year-of-lists.js';

const LIST = `/nodes/${nodeId(1)}/da/submissions`;
const MINUTE_MS = 60_000;
const NEARLY_A_YEAR_MS = 360 * 86_400_000;

export const bench: Bench = {
  about: "a node's list from the record",
  run: async () => {
    const server = await startBenchServer();
    try {
      const dataSource = await server.createDatabase();
      const endMs = Date.now();
      await fillList(dataSource, readRows('HINDSIGHT_BENCH_LIST_EVENTS', 50_000), endMs);
      const contest = await Contest.start(String((dataSource.options as { url?: string }).url));
      try {
        const at = (ms: number) => ({ path: `${LIST}?at=${new Date(endMs - ms).toISOString()}` });
        return [
          await contest.compare(
            "a node's list of 100 submissions",
            { path: LIST },
            { statements: [{ sql: NEWEST_ROWS, parameters: [] }], form: 'texts' },
            { requests: 200, atLeast: 0.5, isSame: true },
          ),
          await contest.compareTimes(
            "a node's list a year back instead of a minute",
            [at(NEARLY_A_YEAR_MS), at(MINUTE_MS)],
            { requests: 100, atMost: 1.3 },
          ),
        ];
      } finally {
        await contest.stop();
      }
    } finally {
      await server.stop();
    }
  },
};

const NEWEST_ROWS = 'SELECT text FROM bare_row ORDER BY sequence DESC LIMIT 100';

async function fillList(dataSource: DataSource, events: number, endMs: number): Promise<void> {
  await fill(dataSource, async (query) => {
    await fillNodes(query, 1);
    await fillYearOfLists(query, { node: nodeId(1), events, endMs });
  });
  await dataSource.query('VACUUM ANALYZE event, bare_row');
}
