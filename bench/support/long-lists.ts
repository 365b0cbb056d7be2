import { ChangesReader } from '../../src/projections/record/changes.reader.js';
import type { DataSource } from 'typeorm';
import { BlocksQuery } from '../../src/api/blocks/blocks.query.js';
import { BlockOrder } from '../../src/api/blocks/block.type.js';
import { FilterKeysQuery } from '../../src/api/submissions/filter-keys.query.js';
import { SubmissionOrder, type SubmissionFilter } from '../../src/api/submissions/submission-filter.js';
import { SubmissionsQuery } from '../../src/api/submissions/submissions.query.js';
import { millisToNanos } from '../../src/domain/time.js';
import type { BenchServer } from './bench-database.js';
import { round, type Figure } from './figures.js';
import { medianOf, playRounds, ratioOf, wallMs } from './rounds.js';
import { fill, fillNodes, fillYearOfBlocks, fillYearOfSubmissions, nodeId } from './statistics-world.js';

const ROUNDS = 9;
/** Pages in a round, since each is over so soon. */
const TIMES = 20;
const START_MS = Date.UTC(2026, 0, 1);
const END_MS = Date.UTC(2027, 0, 1);
const DAY_MS = 86_400_000;
/** Of each rare kind: less than a page, so that a walk would go to the end of the list. */
const RARE = 40;

type Lists = Readonly<{ submissions: SubmissionsQuery; blocks: BlocksQuery }>;

interface Page {
  readonly what: string;
  readonly read: (lists: Lists, rows: number) => Promise<{ readonly nodes: readonly unknown[] }>;
}

/** Pages of lists above two numbers of rows: reading them may not take longer above the larger. */
export async function measureLists(
  server: BenchServer,
  nodes: number,
  sizes: readonly [number, number],
): Promise<Figure[]> {
  const lists = new Map<number, Lists>();
  for (const rows of sizes) lists.set(rows, listsOf(await createLists(server, nodes, rows)));
  const figures: Figure[] = [];
  for (const page of PAGES) figures.push(await compare(page, lists, sizes));
  return figures;
}

const submissions = (what: string, filter: SubmissionFilter): Page => ({
  what: `submissions ${what}`,
  read: ({ submissions: list }) => list.getSubmissions(filter, SubmissionOrder.OBSERVED_DESC, {}),
});
const blocks = (
  what: string,
  filter: { fromMs?: number; spanMs?: (rows: number) => number; included?: boolean; nodes?: string[] },
  order: BlockOrder = BlockOrder.HEIGHT_DESC,
): Page => ({
  what: `blocks ${what}`,
  read: ({ blocks: list }, rows) => {
    const { fromMs, spanMs, ...more } = filter;
    const from = fromMs === undefined ? undefined : millisToNanos(fromMs);
    const to = fromMs === undefined || !spanMs ? undefined : millisToNanos(fromMs + spanMs(rows));
    return list.getBlocks({ ...more, from, to }, order, {});
  },
});

const MIDDLE_MS = (START_MS + END_MS) / 2;
/** As long a time as holds so many blocks. */
const holding = (count: number) => (rows: number) => Math.ceil(((END_MS - START_MS) / rows) * count);

const PAGES: readonly Page[] = [
  submissions('of a rare status', { statuses: ['TOO_BIG'] }),
  submissions('of two rare statuses', { statuses: ['TOO_BIG', 'NOT_FOUND'] }),
  submissions('of a rare status of a node', { statuses: ['TOO_BIG'], nodes: [nodeId(1)] }),
  submissions('that are UNREFERENCED', { evidence: ['UNREFERENCED'] }),
  submissions('that are UNCONFIRMED', { evidence: ['UNCONFIRMED'] }),
  submissions('that are RECONSTRUCTED or UNREFERENCED', { evidence: ['RECONSTRUCTED', 'UNREFERENCED'] }),
  blocks('of 10,000 in a time', { fromMs: MIDDLE_MS, spanMs: holding(10_000) }),
  blocks('of half of all', { fromMs: MIDDLE_MS }),
  blocks('of half of all of a node', { fromMs: MIDDLE_MS, nodes: [nodeId(1)] }),
  blocks('of the last day of the record on, none', { fromMs: END_MS + DAY_MS }),
  blocks('that are not included', { included: false }),
  blocks('that are not included, of a node', { included: false, nodes: [nodeId(1)] }),
];

function listsOf(dataSource: DataSource): Lists {
  return {
    submissions: new SubmissionsQuery(
      dataSource,
      new FilterKeysQuery(dataSource),
      new ChangesReader(dataSource),
    ),
    blocks: new BlocksQuery(dataSource, new ChangesReader(dataSource)),
  };
}

async function createLists(server: BenchServer, nodes: number, rows: number): Promise<DataSource> {
  const dataSource = await server.createDatabase();
  await fill(dataSource, async (query) => {
    await fillNodes(query, nodes);
    await fillYearOfSubmissions(query, { nodes, rows, startMs: START_MS });
    await fillYearOfBlocks(query, { nodes, rows, startMs: START_MS });
    const some = (n: number) =>
      `node_key = 1 + ${n} AND sequence = ANY (SELECT (k * ${Math.floor(rows / nodes / RARE)})::bigint FROM generate_series(1, ${RARE}) k)`;
    await query(`UPDATE submission SET status = 4, evidence = 0 WHERE ${some(0)}`);
    await query(`UPDATE submission SET status = 1, evidence = 0 WHERE ${some(1)}`);
    await query(`UPDATE submission SET status = 0, evidence = 2 WHERE ${some(2)}`);
    await query(`UPDATE submission SET status = 0, evidence = 3 WHERE ${some(3)}`);
    await query(`UPDATE submission SET evidence = 4, node_key = NULL, sequence = NULL WHERE ${some(4)}`);
    // The walk of each node stands at a block that was never included.
    await query(
      `UPDATE block SET header_da_height = NULL, data_da_height = NULL
        WHERE height = ANY (SELECT (k * ${Math.floor(rows / nodes / RARE)})::bigint FROM generate_series(0, 3) k) OR height = 2`,
    );
  });
  await dataSource.query('VACUUM ANALYZE submission, block');
  return dataSource;
}

async function compare(
  { what, read }: Page,
  lists: ReadonlyMap<number, Lists>,
  [fewer, more]: readonly [number, number],
): Promise<Figure> {
  const contestants = [...lists].map(([rows, list]) => ({
    name: String(rows),
    run: () =>
      wallMs(async () => {
        for (let time = 0; time < TIMES; time++) await read(list, rows);
      }),
  }));
  const costs = await playRounds(contestants, ROUNDS);
  const { nodes } = await read(lists.get(more) as Lists, more);
  return {
    what: `a page of ${what}, above ${more.toLocaleString('en')} rows instead of ${fewer.toLocaleString('en')}`,
    ours: `${round(medianOf(costs, String(more)) / TIMES)} ms`,
    peer: `${round(medianOf(costs, String(fewer)) / TIMES)} ms`,
    value: ratioOf(costs, String(more), String(fewer)),
    limit: { atMost: 1.3 },
    detail: `${nodes.length} rows`,
  };
}
