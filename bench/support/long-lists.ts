import { createHash } from 'node:crypto';
import type { DataSource } from 'typeorm';
import { BlocksQuery } from '../../src/api/blocks/blocks.query.js';
import { IncidentsQuery } from '../../src/api/incidents/incidents.query.js';
import { type BlockFilter, BlockOrder } from '../../src/api/blocks/block.type.js';
import { DEFAULT_PAGE } from '../../src/api/graphql/connection.js';
import { encodeCursor, nameOfQuestion } from '../../src/api/graphql/keyed-list.js';
import type { TravelArgs } from '../../src/api/graphql/time-travel.js';
import { SearchQuery } from '../../src/api/search/search.query.js';
import { SubmissionSearch } from '../../src/api/search/submission-search.query.js';
import {
  FilterKeysQuery,
  SubmissionOrder,
  type SubmissionFilter,
} from '../../src/api/submissions/submission-filter.js';
import { SentRowsQuery } from '../../src/api/submissions/sent-rows.query.js';
import { type OrderedRow, SUBMISSION_CURSORS } from '../../src/api/submissions/submission-order.js';
import { SubmissionsQuery } from '../../src/api/submissions/submissions.query.js';
import { millisToNanos } from '../../src/domain/time.js';
import { SystemClock } from '../../src/platform/clock.js';
import { selectList } from '../../src/platform/rows/row-columns.js';
import { ChangesReader } from '../../src/projections/record/readers/changes.reader.js';
import { SubmissionEntity } from '../../src/tables/record.entities.js';
import type { BenchServer } from './bench-database.js';
import { round, type Figure } from './figures.js';
import { medianOf, playRounds, ratioOf, wallMs } from './rounds.js';
import {
  fill,
  fillNodes,
  fillYearOfBlocks,
  fillYearOfChanges,
  fillYearOfSubmissions,
  nodeId,
} from './statistics-world.js';

const NODES = 10;
const ROUNDS = 9;
/** At most this many pages per round, since a page is fast, and the milliseconds that a round should take. */
const TIMES = 20;
const TURN_MS = 100;
const START_MS = Date.UTC(2026, 0, 1);
const END_MS = Date.UTC(2027, 0, 1);
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
const DEEP_PAGE = 10_000;
/** Hits of a search. */
const HITS = 20;
/** Rows of each rare kind: fewer than a page, so that a walk would go to the end of the list. */
const RARE = 40;

/** One node's headers were never included, and another node's data never were. */
const NEVER_HEADERS = 9;
const NEVER_DATA = 10;

interface Lists {
  readonly rows: number;
  readonly submissions: SubmissionsQuery;
  readonly blocks: BlocksQuery;
  readonly search: SearchQuery;
  /** The row before the deep page; it belongs to node 1. */
  readonly deep: { readonly submissions: string; readonly blocks: string };
}

interface Page {
  readonly what: string;
  /** Reads the rows that are found. */
  readonly read: (lists: Lists) => Promise<readonly unknown[]>;
  /** The page is searched for along the list, so it takes longer with more rows. */
  readonly isSearched?: true;
}

/** A page by its cursor; the first page has no cursor. */
interface DeepPage {
  readonly what: string;
  readonly list: keyof Lists['deep'];
  readonly read: (lists: Lists, after: string | undefined) => Promise<readonly unknown[]>;
}

/** Reads pages of lists with two numbers of rows: reading must not take longer with more rows, nor far from the first row. */
export async function measureLists(server: BenchServer, sizes: readonly [number, number]): Promise<Figure[]> {
  const [fewer, more] = [await createLists(server, sizes[0]), await createLists(server, sizes[1])];
  const count = ({ rows }: Lists): string => rows.toLocaleString('en');
  const figures: Figure[] = [];
  for (const { what, read, isSearched } of PAGES) {
    const named = `${what}, above ${count(more)} rows instead of ${count(fewer)}`;
    const { limit, ...figure } = await compare(named, [() => read(more), () => read(fewer)]);
    figures.push({ ...figure, ...(!isSearched && limit && { limit }) });
  }
  for (const { what, list, read } of DEEP_PAGES) {
    const named = `page ${DEEP_PAGE.toLocaleString('en')} of ${what} instead of page 1, of ${count(more)} rows`;
    figures.push(await compare(named, [() => read(more, more.deep[list]), () => read(more, undefined)]));
  }
  return figures;
}

const submissions = (what: string, filter: SubmissionFilter, travel: TravelArgs = {}): Page => ({
  what: `a page of submissions ${what}`,
  read: async ({ submissions: list }) =>
    (await list.getSubmissions(filter, SubmissionOrder.OBSERVED_DESC, {}, travel)).nodes,
});
const blocks = (
  what: string,
  wanted: BlockFilter & { readonly fromMs?: number; readonly spanMs?: (rows: number) => number },
  travel: TravelArgs = {},
): Page => ({
  what: `a page of blocks ${what}`,
  read: async ({ blocks: list, rows }) => {
    const { fromMs, spanMs, ...filter } = wanted;
    const from = fromMs === undefined ? undefined : millisToNanos(fromMs);
    const to = fromMs === undefined || !spanMs ? undefined : millisToNanos(fromMs + spanMs(rows));
    return (await list.getBlocks({ ...filter, from, to }, BlockOrder.HEIGHT_DESC, {}, travel)).nodes;
  },
});
const searched = (page: Page): Page => ({ ...page, isSearched: true });
const one = (what: string, read: (lists: Lists) => Promise<object | undefined>): Page => ({
  what,
  read: async (lists) => [await read(lists)].filter((found) => found !== undefined),
});
const search = (what: string, textOf: (rows: number) => string): Page => ({
  what: `a search for ${what}`,
  read: ({ search: query, rows }) => query.search(textOf(rows), HITS),
});

const MIDDLE_MS = (START_MS + END_MS) / 2;
/** The time span that holds this many blocks. */
const holding = (count: number) => (rows: number) => Math.ceil(((END_MS - START_MS) / rows) * count);

const MIDDLE = millisToNanos(MIDDLE_MS);
/** A node's middle row or block. */
const middleOf = (rows: number): bigint => BigInt(Math.floor(rows / NODES / 2));
/** The hash of node 1's block at that height, as the fill computes it. */
const hashAt = (rows: number): Buffer => {
  const number = Buffer.alloc(8);
  number.writeBigInt64BE((middleOf(rows) - 1n) * BigInt(NODES));
  return createHash('sha256').update(number).digest();
};
const blobIdAt = (rows: number): string => {
  const height = Buffer.alloc(8);
  height.writeBigInt64LE(1_000n + middleOf(rows));
  return height.toString('hex') + 'ab'.repeat(32);
};

const PAGES: readonly Page[] = [
  one('a submission by its id', ({ submissions: list, rows }) =>
    list.findSubmission({ node: nodeId(1), sequence: middleOf(rows) }),
  ),
  one('a block by its height', ({ blocks: list, rows }) => list.findBlockByHeight(nodeId(1), middleOf(rows))),
  one('a block by its hash', ({ blocks: list, rows }) => list.findBlockByHash(nodeId(1), hashAt(rows))),
  submissions('without a filter', {}),
  submissions('of a node', { nodes: [nodeId(1)] }),
  submissions('of a chain', { chains: ['chain-1'] }),
  submissions('of a namespace', { namespaces: ['1'.padStart(58, '0')] }),
  submissions('of a kind', { kinds: ['DATA'] }),
  submissions('of a kind that no row has', { kinds: ['MIXED'] }),
  submissions('that succeeded', { statuses: ['SUCCESS'] }),
  submissions('of a rare status', { statuses: ['TOO_BIG'] }),
  submissions('of two rare statuses', { statuses: ['TOO_BIG', 'NOT_FOUND'] }),
  submissions('of a rare status of a node', { statuses: ['TOO_BIG'], nodes: [nodeId(1)] }),
  submissions('that are CONFIRMED', { evidence: ['CONFIRMED'] }),
  submissions('that are UNREFERENCED', { evidence: ['UNREFERENCED'] }),
  submissions('that are UNCONFIRMED', { evidence: ['UNCONFIRMED'] }),
  submissions('that are RECONSTRUCTED or UNREFERENCED', { evidence: ['RECONSTRUCTED', 'UNREFERENCED'] }),
  submissions('of the first half of the year', { to: MIDDLE }),
  submissions('of a node of the first half of the year', { nodes: [nodeId(1)], to: MIDDLE }),
  submissions('of an hour', { from: MIDDLE, to: MIDDLE + millisToNanos(HOUR_MS) }),
  submissions('at the first DA heights', { daHeightTo: 1_100n }),
  {
    what: 'a page of submissions of the first half of the DA heights',
    read: async ({ submissions: list, rows }) => {
      const filter = { daHeightTo: 1_000n + middleOf(rows) };
      return (await list.getSubmissions(filter, SubmissionOrder.OBSERVED_DESC, {})).nodes;
    },
  },
  submissions('above all DA heights', { daHeightFrom: 1_000_000_000n }),
  submissions('with a part of most messages', { message: 'websocket' }),
  submissions('with a part of a rare message', { message: 'over the limit' }),
  submissions('with a part of no message', { message: 'nowhere' }),
  submissions('that changed since', { updatedSince: MIDDLE }),
  submissions('as of a moment', {}, { asOf: MIDDLE }),
  submissions('as known at a moment', {}, { knownAt: MIDDLE }),
  submissions('of a node as known at a moment', { nodes: [nodeId(1)] }, { knownAt: MIDDLE }),
  submissions('of a rare status as known at a moment', { statuses: ['TOO_BIG'] }, { knownAt: MIDDLE }),
  searched(
    submissions(
      'that are UNREFERENCED as known at a moment',
      { evidence: ['UNREFERENCED'] },
      { knownAt: MIDDLE },
    ),
  ),
  submissions('of two nodes as of a moment', { nodes: [nodeId(1), nodeId(2)] }, { asOf: MIDDLE }),
  submissions('of two nodes as known at a moment', { nodes: [nodeId(1), nodeId(2)] }, { knownAt: MIDDLE }),
  submissions('of half of the DA heights as of a moment', { daHeightFrom: 1_000n }, { asOf: MIDDLE }),
  submissions('with a part of most messages as of a moment', { message: 'websocket' }, { asOf: MIDDLE }),
  submissions(
    'with a part of a rare message as of a moment',
    { message: 'over the limit' },
    { asOf: MIDDLE },
  ),
  submissions('that are UNREFERENCED as of a moment', { evidence: ['UNREFERENCED'] }, { asOf: MIDDLE }),
  submissions('that are UNREFERENCED, of a node, from a moment on', {
    evidence: ['UNREFERENCED'],
    nodes: [nodeId(3 + 1)],
    from: MIDDLE,
  }),
  submissions(
    'of a rare status of a node as of a moment',
    { statuses: ['TOO_BIG'], nodes: [nodeId(1)] },
    { asOf: MIDDLE },
  ),
  blocks('without a filter', {}),
  blocks('of a node', { nodes: [nodeId(1)] }),
  blocks('of a chain', { chains: ['chain-1'] }),
  blocks('of the first heights', { heightTo: 100n }),
  blocks('above all heights', { heightFrom: 1_000_000_000n }),
  blocks('that are included', { included: true }),
  blocks('of 10,000 in a time', { fromMs: MIDDLE_MS, spanMs: holding(10_000) }),
  blocks('of half of all', { fromMs: MIDDLE_MS }),
  blocks('of half of all of a node', { fromMs: MIDDLE_MS, nodes: [nodeId(1)] }),
  blocks('of the last day of the record on, none', { fromMs: END_MS + DAY_MS }),
  blocks('that are not included', { included: false }),
  blocks('that are not included, of a node', { included: false, nodes: [nodeId(1)] }),
  blocks('that changed since', { updatedSince: MIDDLE }),
  blocks('as of a moment', {}, { asOf: MIDDLE }),
  blocks('as known at a moment', {}, { knownAt: MIDDLE }),
  searched(blocks('that were not included as known at a moment', { included: false }, { knownAt: MIDDLE })),
  blocks('that are not included, as of a moment', { included: false }, { asOf: MIDDLE }),
  ...[NEVER_HEADERS, NEVER_DATA].flatMap((node) => {
    const nodes = [nodeId(node)];
    return [
      blocks(`that are not included, of node ${node}, of which none is`, { included: false, nodes }),
      blocks(
        `that are not included, of node ${node}, as of a moment`,
        { included: false, nodes },
        { asOf: MIDDLE },
      ),
      blocks(
        `that were not included, of node ${node}, as known at a moment`,
        { included: false, nodes },
        { knownAt: MIDDLE },
      ),
      blocks(`that are included, of node ${node}, none`, { included: true, nodes }),
    ];
  }),
  search('a part of most messages', () => 'websocket'),
  search('a part of a rare message', () => 'over the limit'),
  search('a part of no message', () => 'nowhere'),
  search('a submission', (rows) => `${nodeId(1)}~${middleOf(rows)}`),
  search('a height', (rows) => String(middleOf(rows))),
  search('a hash', (rows) => hashAt(rows).toString('hex')),
  search('a blob', blobIdAt),
];

const deepSubmissions = (what: string, order: SubmissionOrder, wished: SubmissionFilter): DeepPage => ({
  what,
  list: 'submissions',
  read: async ({ submissions: list }, place) =>
    (await list.getSubmissions(wished, order, { after: behind(place, order, wished) })).nodes,
});

/** The cursor of a position in a list, as a request names it. */
function behind(place: string | undefined, order: string, wished: object): string | null {
  return place === undefined ? null : nameOfQuestion({ conditions: { order, wished } }) + place;
}

const DEEP_PAGES: readonly DeepPage[] = [
  deepSubmissions('submissions', SubmissionOrder.OBSERVED_DESC, {}),
  deepSubmissions('submissions by time', SubmissionOrder.OCCURRED_DESC, {}),
  deepSubmissions('submissions of a node', SubmissionOrder.OBSERVED_DESC, { nodes: [nodeId(1)] }),
  {
    what: 'blocks',
    list: 'blocks',
    read: async ({ blocks: list }, place) => {
      const order = BlockOrder.HEIGHT_DESC;
      return (await list.getBlocks({}, order, { after: behind(place, order, {}) })).nodes;
    },
  },
];

async function createLists(server: BenchServer, rows: number): Promise<Lists> {
  const dataSource = await server.createDatabase();
  await fill(dataSource, async (query) => {
    await fillNodes(query, NODES);
    await fillYearOfChanges(query, { rows, startMs: START_MS });
    await fillYearOfSubmissions(query, { nodes: NODES, rows, startMs: START_MS });
    await fillYearOfBlocks(query, { nodes: NODES, rows, startMs: START_MS });
    const some = (n: number) =>
      `node_key = 1 + ${n} AND sequence = ANY (SELECT (k * ${Math.floor(rows / NODES / RARE)})::bigint FROM generate_series(1, ${RARE}) k)`;
    await query(
      `UPDATE submission SET status = 4, evidence = 0, message = 'a blob is over the limit' WHERE ${some(0)}`,
    );
    await query(`UPDATE submission SET status = 1, evidence = 0 WHERE ${some(1)}`);
    await query(`UPDATE submission SET status = 0, evidence = 2 WHERE ${some(2)}`);
    await query(`UPDATE submission SET status = 0, evidence = 3 WHERE ${some(3)}`);
    await query(`UPDATE submission SET evidence = 4, node_key = NULL, sequence = NULL WHERE ${some(4)}`);
    // The walk of each node is at a block that was never included.
    await query(
      `UPDATE block SET header_da_height = NULL, data_da_height = NULL
        WHERE height = ANY (SELECT (k * ${Math.floor(rows / NODES / RARE)})::bigint FROM generate_series(0, 3) k) OR height = 2`,
    );
    await query(
      `UPDATE block SET header_da_height = CASE WHEN node_key <> ${NEVER_HEADERS} THEN header_da_height END,
                        data_da_height = CASE WHEN node_key <> ${NEVER_DATA} THEN data_da_height END
        WHERE node_key IN (${NEVER_HEADERS}, ${NEVER_DATA})`,
    );
    // An included block remains included, so spans would not become narrower by themselves.
    await query(
      `UPDATE block_span SET first_included_position = NULL, last_included_position = NULL
        WHERE node_key IN (${NEVER_HEADERS}, ${NEVER_DATA})`,
    );
    // Requests for a past moment use a position; there are no events whose times would be compared.
    await query('UPDATE log_head SET position = $1::bigint / 2', [rows]);
  });
  await dataSource.query('VACUUM ANALYZE submission, block, record_change');
  return toLists(dataSource, rows);
}

async function toLists(dataSource: DataSource, rows: number): Promise<Lists> {
  const changes = new ChangesReader(dataSource);
  const list = new SubmissionsQuery(dataSource, new FilterKeysQuery(dataSource), changes);
  const ofBlocks = new BlocksQuery(dataSource, changes);
  const sent = new SentRowsQuery(dataSource);
  const inSubmissions = new SubmissionSearch(dataSource, { clock: new SystemClock() }, list, sent);
  const before = Math.min((DEEP_PAGE - 1) * DEFAULT_PAGE, Math.floor(rows / 2));
  const [place] = await dataSource.query<[OrderedRow]>(
    `SELECT ${selectList(SubmissionEntity, 's')} FROM submission s WHERE s.node_key = 1 ORDER BY s.sequence DESC OFFSET $1 LIMIT 1`,
    [Math.floor(before / NODES)],
  );
  return {
    rows,
    submissions: list,
    blocks: ofBlocks,
    search: new SearchQuery(dataSource, list, ofBlocks, inSubmissions, new IncidentsQuery(dataSource)),
    deep: {
      submissions: SUBMISSION_CURSORS.encode(place),
      blocks: encodeCursor('blocks', [String(Math.floor((rows - before) / NODES)), '1', '1']),
    },
  };
}

type Read = () => Promise<readonly unknown[]>;

async function compare(what: string, [ours, peer]: readonly [Read, Read]): Promise<Figure> {
  let length = 0;
  const onceMs = await wallMs(async () => ({ length } = await ours()));
  const times = Math.min(TIMES, Math.max(1, Math.round(TURN_MS / onceMs)));
  const contestant = (name: string, read: Read) => ({
    name,
    run: () =>
      wallMs(async () => {
        for (let time = 0; time < times; time++) await read();
      }),
  });
  const costs = await playRounds([contestant('ours', ours), contestant('peer', peer)], ROUNDS);
  return {
    what,
    ours: `${round(medianOf(costs, 'ours') / times)} ms`,
    peer: `${round(medianOf(costs, 'peer') / times)} ms`,
    value: ratioOf(costs, 'ours', 'peer'),
    limit: { atMost: 1.3 },
    detail: `${length} rows`,
  };
}
