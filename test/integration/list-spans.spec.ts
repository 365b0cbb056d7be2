import { BlocksQuery } from '../../src/api/blocks/blocks.query.js';
import type { BlockFilter, BlockOrder } from '../../src/api/blocks/block.type.js';
import type { Page, PagingArgs } from '../../src/api/graphql/connection.js';
import type { ExportReaders } from '../../src/api/export/export-readers.js';
import { submissionsTable } from '../../src/api/export/tables/submissions.table.js';
import { codecFor, encodeCursor } from '../../src/api/graphql/keyed-list.js';
import type { TravelArgs } from '../../src/api/graphql/time-travel.js';
import {
  FilterKeysQuery,
  type SubmissionFilter,
  type SubmissionOrder,
} from '../../src/api/submissions/submission-filter.js';
import { type OrderedRow, SUBMISSION_CURSORS } from '../../src/api/submissions/submission-order.js';
import { SubmissionsQuery } from '../../src/api/submissions/submissions.query.js';
import { parseTime } from '../../src/domain/time.js';
import { selectList } from '../../src/platform/rows/row-columns.js';
import type { Database } from '../../src/platform/sql.js';
import { ChangesReader } from '../../src/projections/record/readers/changes.reader.js';
import { type BlockEntity, SubmissionEntity } from '../../src/tables/record.entities.js';
import { insertRows, nodeRow, submissionRow } from '../support/read-model-rows.js';
import { seededRandom } from '../support/seeded-random.js';
import { uncoveredBySpans } from '../support/spans.js';
import { useDatabase } from '../support/use-database.js';

const SUBMISSIONS = 130_000;
/** The number of heights in each line of blocks. */
const HEIGHTS = 25_000;
/** The most rows that a page may touch: one or two spans of each list that it is made of. Half of a list takes twice as many. */
const FEW = 22_000;

const START = "'2026-01-01T00:00:00Z'::timestamptz";
const MIDDLE = '2026-07-02T00:00:00Z';
const LATE = '2026-10-01T00:00:00Z';
/** The position up to which the log is known. */
const KNOWN = 2_000_000n;

const at = (text: string): bigint => {
  const time = parseTime(text);
  if (time === undefined) throw new Error(`${text} is no time`);
  return time;
};
const TO_MIDDLE = { to: at(MIDDLE) };
const FROM_MIDDLE = { from: at(MIDDLE) };
const KNOWN_AT = { knownAt: at(LATE) };

/** A number in [0, 1) that depends on an expression alone. */
const dice = (sql: string): string => `((hashint8(${sql}) & 65535) / 65536.0)`;

/**
 * A year of rows in events of three: two thirds of node 1, few of node 3, and some that only blocks prove. The first half is dense; in the
 * second half, a span holds about sixty rows. Some rows come months late, some are dated ahead of their time.
 */
const FILL_SUBMISSIONS = `
  INSERT INTO submission (node_key, sequence, lineage_key, chain_id, ring, status, kind, evidence, wild_time, unreadable, da_height,
                          observed_at, time_at, from_position, to_position, evidence_from_position, message)
  SELECT node_key, CASE WHEN node_key IS NULL THEN NULL WHEN node_key = 2 THEN 3 * n
                        WHEN n > 30000 THEN n + 100000 ELSE n END, 1, 'lab-1', 0,
         CASE WHEN ${dice('i * 4')} < 0.02 THEN 4 ELSE 0 END, CASE WHEN ${dice('i * 4 + 1')} < 0.001 THEN 3 ELSE i % 2 END,
         CASE WHEN node_key IS NULL THEN CASE WHEN i % 5 = 0 THEN 5 ELSE 4 END WHEN ${dice('i * 4 + 2')} < 0.001 THEN 3 ELSE 1 END, wild, false, 1000 + i, seen,
         CASE WHEN wild THEN seen WHEN event % 4000 < 6 THEN seen - interval '200 days' * ${dice('i * 4 + 3')}
              WHEN event % 4000 > 3990 THEN seen + interval '100 days' ELSE seen - interval '2 s' END,
         position, CASE WHEN node_key IS NULL AND i % 2 = 0 THEN position + 500000 END, position,
         CASE WHEN i % 20000 = 7 THEN 'A fee too low' WHEN ${dice('i * 4')} < 0.02 THEN 'socket closed' END
    FROM (SELECT *, row_number() OVER (PARTITION BY node_key ORDER BY i) AS n, ${dice('i * 4 + 5')} < 0.01 AS wild,
                 ${START} + interval '365 days' * (i / ${SUBMISSIONS}.0) AS seen,
                 CASE WHEN i < ${SUBMISSIONS} / 2 THEN event ELSE 30000 + (i - ${SUBMISSIONS} / 2) / 3 * 210 END AS position
            FROM (SELECT i, i / 3 AS event, CASE WHEN ${dice('i / 3')} < 0.66 THEN 1 WHEN ${dice('i / 3')} < 0.98 THEN 2
                                                 WHEN ${dice('i / 3')} < 0.99 THEN 3 END AS node_key
                    FROM generate_series(0, ${SUBMISSIONS - 1}) i) events) rows`;

/**
 * Four lines of a year, with gaps. The line of node 2 was recorded from its end, that of node 3 in no order, and its data were never
 * included. A few blocks have odd times.
 */
const FILL_BLOCKS = `
  INSERT INTO block (node_key, lineage_key, height, time_ns, header_da_height, data_da_height, tx_bytes, from_position, proposer_key,
                     tx_count, checks)
  SELECT node_key, lineage_key, CASE lineage_key WHEN 2 THEN 3 * h ELSE h + h / 10000 * 6000 END,
         (extract(epoch FROM ${START} + interval '365 days' * (h / ${HEIGHTS}.0)
           + interval '150 days' * CASE WHEN h % 9000 < 9 AND h < 10000 OR node_key = 3 AND h > ${HEIGHTS - 9} THEN h % 3 - 1 ELSE 0 END) * 1000000)::bigint * 1000 + h,
         CASE WHEN ${dice('h * 8 + node_key')} > 0.001 THEN h END, CASE WHEN node_key < 3 AND ${dice('h * 8 + 5')} < 0.7 THEN h END, 0,
         CASE node_key WHEN 1 THEN h * 160 WHEN 2 THEN (${HEIGHTS} - h) * 160 ELSE (${dice('h')} * 4000000)::bigint END, 1, 0, 0
    FROM generate_series(1, ${HEIGHTS}) h, (VALUES (1, 1), (1, 2), (2, 1), (3, 1)) line (node_key, lineage_key)`;

/** The data of the other lines were included soon, a few by the end of the year. */
const INCLUDE_BLOCKS = `
  UPDATE block SET data_da_height = height, data_included_position = late
    FROM (SELECT node_key AS n, lineage_key AS l, height AS h,
                 from_position + CASE WHEN height BETWEEN 9000 AND 9030 THEN 1500000 ELSE (${dice('height * 8 + 7')} * 500)::bigint END AS late
            FROM block WHERE node_key < 3 AND data_da_height IS NULL) b
   WHERE (node_key, lineage_key, height) = (n, l, h)`;

/** The columns that place a row in the list. */
const PLACED = ['sequence', 'lineageKey', 'kind', 'daHeight', 'fromPosition', 'timeAt'] as const;

interface SubmissionCase {
  readonly filter?: SubmissionFilter;
  readonly travel?: TravelArgs;
  /** The same condition in SQL. */
  readonly where: string;
}

const BEFORE_MIDDLE = `time_at < '${MIDDLE}'`;
const KNOWN_THEN = `from_position <= ${KNOWN} AND coalesce(to_position > ${KNOWN}, true)`;
const NOW = 'to_position IS NULL';
const SUBMISSION_CASES: Readonly<Record<string, SubmissionCase>> = {
  'until a time': { filter: TO_MIDDLE, where: `${NOW} AND ${BEFORE_MIDDLE}` },
  'from a time on': { filter: FROM_MIDDLE, where: `${NOW} AND NOT ${BEFORE_MIDDLE}` },
  'of most of a year': {
    filter: { from: at('2026-02-01T00:00:00Z'), to: at(LATE) },
    where: `${NOW} AND time_at >= '2026-02-01' AND time_at < '${LATE}'`,
  },
  'as of a moment': { travel: { asOf: at(MIDDLE) }, where: `${NOW} AND ${BEFORE_MIDDLE}` },
  'as known at a moment, until a time': {
    filter: { to: at(LATE) },
    travel: KNOWN_AT,
    where: `${KNOWN_THEN} AND time_at < '${LATE}'`,
  },
  'of a node until a time': {
    filter: { nodes: ['alpha'], ...TO_MIDDLE },
    where: `${NOW} AND node_key = 1 AND ${BEFORE_MIDDLE}`,
  },
  'of a node from a time on': {
    filter: { nodes: ['beta'], ...FROM_MIDDLE },
    where: `${NOW} AND node_key = 2 AND NOT ${BEFORE_MIDDLE}`,
  },
  'of a node as known at a moment': {
    filter: { nodes: ['alpha'] },
    travel: KNOWN_AT,
    where: `${KNOWN_THEN} AND node_key = 1`,
  },
  'of a node with few rows as known at one, as of another': {
    filter: { nodes: ['gamma'] },
    travel: { ...KNOWN_AT, asOf: at(LATE) },
    where: `${KNOWN_THEN} AND node_key = 3 AND time_at < '${LATE}'`,
  },
  'of two nodes as of a moment': {
    filter: { nodes: ['beta', 'gamma'] },
    travel: { asOf: at(MIDDLE) },
    where: `${NOW} AND node_key IN (2, 3) AND ${BEFORE_MIDDLE}`,
  },
  'of a common and a rare status until a time': {
    filter: { statuses: ['SUCCESS', 'TOO_BIG'], ...TO_MIDDLE },
    where: `${NOW} AND status IN (0, 4) AND ${BEFORE_MIDDLE}`,
  },
  'of a rare status of a node as known at a moment': {
    filter: { statuses: ['TOO_BIG'], nodes: ['alpha'] },
    travel: KNOWN_AT,
    where: `${KNOWN_THEN} AND status = 4 AND node_key = 1`,
  },
  'that only blocks prove, until a time': {
    filter: { evidence: ['RECONSTRUCTED'], ...TO_MIDDLE },
    where: `${NOW} AND evidence = 4 AND ${BEFORE_MIDDLE}`,
  },
  'that some attempt may have posted, until a time': {
    filter: { evidence: ['UNDECIDED'], ...TO_MIDDLE },
    where: `${NOW} AND evidence = 5 AND ${BEFORE_MIDDLE}`,
  },
  'that some attempt may have posted as known at a moment': {
    filter: { evidence: ['UNDECIDED'] },
    travel: KNOWN_AT,
    where: `${KNOWN_THEN} AND evidence = 5`,
  },
  'of two nodes as known at a moment': {
    filter: { nodes: ['alpha', 'gamma'] },
    travel: KNOWN_AT,
    where: `${KNOWN_THEN} AND node_key IN (1, 3)`,
  },
  'of two nodes from a time on': {
    filter: { nodes: ['alpha', 'beta'], ...FROM_MIDDLE },
    where: `${NOW} AND node_key IN (1, 2) AND NOT ${BEFORE_MIDDLE}`,
  },
  'of half of the DA heights until a time': {
    filter: { daHeightFrom: 31_000n, ...TO_MIDDLE },
    where: `${NOW} AND da_height >= 31000 AND ${BEFORE_MIDDLE}`,
  },
  'of the first half of the DA heights': {
    filter: { daHeightTo: 65_000n },
    where: `${NOW} AND da_height <= 65000`,
  },
  'of many DA heights of a node, behind the time': {
    filter: { daHeightFrom: 70_000n, nodes: ['alpha'], ...TO_MIDDLE },
    where: `${NOW} AND da_height >= 70000 AND ${BEFORE_MIDDLE} AND node_key = 1`,
  },
  'of half of the DA heights as known at a moment': {
    filter: { daHeightFrom: 31_000n },
    travel: KNOWN_AT,
    where: `${KNOWN_THEN} AND da_height >= 31000`,
  },
  'with a message that many have': {
    filter: { message: 'SOCKET' },
    where: `${NOW} AND message ILIKE '%socket%'`,
  },
  'with a message that few have, some of them successes': {
    filter: { message: 'fee' },
    where: `${NOW} AND message ILIKE '%fee%'`,
  },
  'with a message that few have, of successes until a time': {
    filter: { message: 'fee', statuses: ['SUCCESS'], ...TO_MIDDLE },
    where: `${NOW} AND message ILIKE '%fee%' AND status = 0 AND ${BEFORE_MIDDLE}`,
  },
  'with a message, of two nodes as of a moment': {
    filter: { message: 'socket', nodes: ['alpha', 'gamma'] },
    travel: { asOf: at(MIDDLE) },
    where: `${NOW} AND message ILIKE '%socket%' AND node_key IN (1, 3) AND ${BEFORE_MIDDLE}`,
  },
  'of no node': { filter: { nodes: ['nobody'] }, travel: KNOWN_AT, where: 'false' },
};

interface BlockCase {
  readonly filter?: BlockFilter;
  readonly travel?: TravelArgs;
  readonly where: string;
}

const PENDING = '(header_da_height IS NULL OR data_da_height IS NULL)';
const PENDING_THEN = `(${PENDING} OR coalesce(data_included_position, 0) > ${KNOWN})`;
const BLOCK_BEFORE = `time_ns < ${at(MIDDLE)}`;
const BLOCK_CASES: Readonly<Record<string, BlockCase>> = {
  'until a time': { filter: TO_MIDDLE, where: BLOCK_BEFORE },
  'from a time on': { filter: FROM_MIDDLE, where: `NOT ${BLOCK_BEFORE}` },
  'as of a moment': { travel: { asOf: at(MIDDLE) }, where: BLOCK_BEFORE },
  'as known at a moment': { travel: KNOWN_AT, where: `from_position <= ${KNOWN}` },
  'as known at one, as of another, between two heights': {
    filter: { heightFrom: 3_000n, heightTo: 20_000n },
    travel: { ...KNOWN_AT, asOf: at(LATE) },
    where: `from_position <= ${KNOWN} AND time_ns < ${at(LATE)} AND height BETWEEN 3000 AND 20000`,
  },
  'of a node as known at a moment': {
    filter: { nodes: ['beta'] },
    travel: KNOWN_AT,
    where: `from_position <= ${KNOWN} AND node_key = 2`,
  },
  'that are not included as of a moment': {
    filter: { included: false },
    travel: { asOf: at(MIDDLE) },
    where: `${BLOCK_BEFORE} AND ${PENDING}`,
  },
  'that are not included': { filter: { included: false }, where: PENDING },
  'that are not included, of a node': {
    filter: { included: false, nodes: ['beta'] },
    where: `${PENDING} AND node_key = 2`,
  },
  'that were not included as known at a moment': {
    filter: { included: false },
    travel: KNOWN_AT,
    where: `from_position <= ${KNOWN} AND ${PENDING_THEN}`,
  },
  'that were not included as known at one, as of another, of a node': {
    filter: { included: false, nodes: ['alpha'] },
    travel: { ...KNOWN_AT, asOf: at(MIDDLE) },
    where: `from_position <= ${KNOWN} AND ${PENDING_THEN} AND ${BLOCK_BEFORE} AND node_key = 1`,
  },
  'that are included': { filter: { included: true }, where: `NOT ${PENDING}` },
  'that are included, from a time on': {
    filter: { included: true, ...FROM_MIDDLE },
    where: `NOT ${PENDING} AND NOT ${BLOCK_BEFORE}`,
  },
  'that were included as known at a moment': {
    filter: { included: true },
    travel: KNOWN_AT,
    where: `from_position <= ${KNOWN} AND NOT ${PENDING_THEN}`,
  },
  'that are included, of a node of which none is': {
    filter: { included: true, nodes: ['gamma'] },
    where: 'false',
  },
  'of a short time': {
    filter: { from: at(MIDDLE), to: at('2026-07-09T00:00:00Z') },
    where: `NOT ${BLOCK_BEFORE} AND time_ns < ${at('2026-07-09T00:00:00Z')}`,
  },
};

/** Each case in one of two orders, alternately: pages are read from both of their ends, so the other order takes the same paths. */
function inEitherOrder<Case, Order>(
  cases: Readonly<Record<string, Case>>,
  ...orders: readonly [Order, Order]
): [name: string, order: Order, asked: Case][] {
  return Object.entries(cases).map(([name, asked], index) => [name, orders[index % 2 === 0 ? 0 : 1], asked]);
}

describe('long lists', () => {
  const dataSource = useDatabase();
  let statement: { readonly sql: string; readonly parameters: unknown[] };
  /** Remembers the last statement. */
  const source: Database = {
    createQueryRunner: () => dataSource.createQueryRunner(),
    query: (sql, parameters = []) => {
      statement = { sql, parameters };
      return dataSource.query(sql, parameters);
    },
  };
  const changes = new ChangesReader(source);
  const filterKeys = new FilterKeysQuery(source);
  const submissions = new SubmissionsQuery(source, filterKeys, changes);
  const blocks = new BlocksQuery(source, changes);

  const readSubmissions = (
    { filter = {}, travel = {} }: SubmissionCase,
    order: SubmissionOrder,
    args: PagingArgs = {},
  ) => submissions.getSubmissions(filter, order, args, travel);
  const readBlocks = ({ filter = {}, travel = {} }: BlockCase, order: BlockOrder, args: PagingArgs = {}) =>
    blocks.getBlocks(filter, order, args, travel);

  beforeAll(async () => {
    await insertRows(dataSource, 'node', [nodeRow(1, 'alpha'), nodeRow(2, 'beta'), nodeRow(3, 'gamma')]);
    await dataSource.query("INSERT INTO lineage VALUES (1, 'lab-1', 1, 1), (2, 'lab-1', 2, 1)");
    await dataSource.query("INSERT INTO proposer VALUES (1, '', '', 1, 1)");
    await dataSource.query(FILL_SUBMISSIONS);
    await dataSource.query(FILL_BLOCKS);
    await dataSource.query(INCLUDE_BLOCKS);
    // There are no events whose times would be compared.
    await dataSource.query('UPDATE log_head SET position = $1', [KNOWN]);
    await dataSource.query('VACUUM ANALYZE submission, block');
  });

  it('have spans of many rows and of few rows, which contain all rows', async () => {
    expect(await uncoveredBySpans(dataSource)).toBe(0);
    const [row] = await dataSource.query(
      `SELECT (SELECT count(*) FROM submission_span WHERE node_key = 0)::int AS "ofAll",
              (SELECT count(*) FROM submission_span WHERE node_key > 0)::int AS "ofNodes",
              (SELECT count(*) FROM block_span)::int AS "ofBlocks"`,
    );
    expect(row).toEqual({ ofAll: expect.any(Number), ofNodes: 55, ofBlocks: 49 });
    expect(row.ofAll).toBeGreaterThan(1_000);
  });

  it.each(inEitherOrder<SubmissionCase, SubmissionOrder>(SUBMISSION_CASES, 'OBSERVED_DESC', 'OBSERVED_ASC'))(
    'of submissions %s are read as by a plain SELECT, %s',
    async (_, order, asked) => {
      const direction = order.split('_')[1];
      const columns = ['from_position', 'sequence', 'kind', 'da_height'];
      const rows = await dataSource.query<OrderedRow[]>(
        `SELECT ${selectList(SubmissionEntity, 's', PLACED)}, s.kind AS "kindCode" FROM submission s WHERE ${asked.where}
            ORDER BY ${columns.map((column) => `${column} ${direction}`).join(', ')}`,
      );
      const { filter: wished = {}, travel } = asked;
      const codec = codecFor(SUBMISSION_CURSORS, { order, wished }, travel);
      await comparePages(
        rows,
        (row) => codec.encode(row),
        (args) => readSubmissions(asked, order, args),
      );
    },
  );

  it.each(inEitherOrder<BlockCase, BlockOrder>(BLOCK_CASES, 'HEIGHT_DESC', 'HEIGHT_ASC'))(
    'of blocks %s are read as by a plain SELECT, %s',
    async (_, order, asked) => {
      const direction = order.split('_')[1];
      const rows = await dataSource.query<BlockEntity[]>(
        `SELECT height, node_key AS "nodeKey", lineage_key AS "lineageKey" FROM block WHERE ${asked.where}
          ORDER BY height ${direction}, node_key ${direction}, lineage_key ${direction}`,
      );
      const { filter: wished = {}, travel } = asked;
      const codec = codecFor(
        {
          encode: ({ height, nodeKey, lineageKey }: BlockEntity) =>
            encodeCursor('blocks', [height, nodeKey, lineageKey].map(String)),
          decode: () => undefined,
        },
        { order, wished },
        travel,
      );
      await comparePages(
        rows,
        (row) => codec.encode(row),
        (args) => readBlocks(asked, order, args),
      );
    },
  );

  it.each([
    'until a time',
    'as of a moment',
    'of a node until a time',
    'of a node as known at a moment',
    'of two nodes as of a moment',
    'that some attempt may have posted, until a time',
    'of half of the DA heights until a time',
    'of the first half of the DA heights',
  ])('of submissions %s are not scanned', async (name) => {
    const { nodes } = await readSubmissions(SUBMISSION_CASES[name] as SubmissionCase, 'OBSERVED_DESC');
    expect(nodes).toHaveLength(50);
    expect(await countTouched()).toBeLessThan(FEW);
  });

  it('of submissions with a rare message are found by that message', async () => {
    const name = 'with a message that few have, some of them successes';
    expect(
      (await readSubmissions(SUBMISSION_CASES[name] as SubmissionCase, 'OBSERVED_DESC')).nodes,
    ).toHaveLength(7);
    expect(await countTouched()).toBeLessThan(50);
  });

  it.each(['until a time', 'as of a moment', 'as known at a moment'])(
    'of blocks %s are not scanned',
    async (name) => {
      const { nodes } = await readBlocks(BLOCK_CASES[name] as BlockCase, 'HEIGHT_DESC');
      expect(nodes).toHaveLength(50);
      expect(await countTouched()).toBeLessThan(FEW);
    },
  );

  // The index of blocks that are not included skips the other blocks, which are not read. This leaves the blocks of one span of a line. The
  // ends of a short time may lie in two spans.
  it.each([
    ['that are not included as of a moment', 1],
    ['that are included, of a node of which none is', 1],
    ['of a short time', 2],
  ])('of blocks %s are found without the others', async (name, spans) => {
    await readBlocks(BLOCK_CASES[name] as BlockCase, 'HEIGHT_DESC');
    expect(await countTouched()).toBeLessThan(4 * spans * 4_096);
  });

  it.each([
    [
      'a time',
      { from: at(MIDDLE), to: at('2026-07-09T00:00:00Z') },
      `time_at >= '${MIDDLE}' AND time_at < '2026-07-09'`,
    ],
    ['DA heights', { daHeightTo: 3_000n }, 'da_height <= 3000'],
  ])('are files of %s', async (_, values, where) => {
    const readers = { source, changes, filterKeys } as unknown as ExportReaders;
    const opened = await submissionsTable(readers).open(values, { question: '' });
    if (opened.by !== 'SERVER') throw new Error('the server can write these rows itself');
    const rows = await source.query<{ position: bigint }[]>(
      `SELECT s.from_position AS position ${opened.from}`,
    );
    expect(rows).toEqual(
      await dataSource.query(
        `SELECT from_position AS position FROM submission WHERE to_position IS NULL AND ${where}
          ORDER BY from_position, sequence, kind, da_height`,
      ),
    );
    expect(rows.length).toBeGreaterThan(1_000);
  });

  it('that end with late rows show these first', async () => {
    const late = { time_at: '2026-01-01T00:00:00Z', from_position: 9_000_000, evidence: 1 };
    await insertRows(dataSource, 'submission', [submissionRow(900_000, late)]);
    const { nodes } = await readSubmissions(
      SUBMISSION_CASES['of a node until a time'] as SubmissionCase,
      'OBSERVED_DESC',
      { first: 1 },
    );
    expect(nodes.map(({ sequence }) => sequence)).toEqual([900_000n]);
    expect(await uncoveredBySpans(dataSource)).toBe(0);
  });

  it('have spans of DA heights that become known later', async () => {
    const dataHeight = 5_000_000;
    await dataSource.query(
      `UPDATE submission SET da_height = $1 WHERE (node_key, sequence) = (SELECT node_key, sequence FROM submission WHERE node_key = 1 ORDER BY sequence LIMIT 1)`,
      [dataHeight],
    );
    const { nodes } = await readSubmissions(
      { filter: { daHeightFrom: 80_000n, ...TO_MIDDLE }, where: '' },
      'OBSERVED_ASC',
      { first: 1 },
    );
    expect(nodes.map(({ daHeight }) => daHeight)).toEqual([BigInt(dataHeight)]);
    expect(await uncoveredBySpans(dataSource)).toBe(0);
  });

  /** Compares pages from both ends, and random ranges from either end, with a plain SELECT. */
  async function comparePages<Row>(
    expected: readonly Row[],
    encode: (row: Row) => string,
    read: (args: PagingArgs) => Promise<Page<unknown>>,
  ): Promise<void> {
    const random = seededRandom(expected.length);
    const dealt = () => Math.floor(random() * expected.length);
    const compare = async (args: PagingArgs, part: readonly Row[]) =>
      expect((await read(args)).edges.map(({ cursor }) => cursor)).toEqual(part.map(encode));
    await compare({ first: 60 }, expected.slice(0, 60));
    await compare({ last: 60 }, expected.slice(-60));
    for (let n = 0; n < 3 && expected.length > 0; n += 1) {
      const [low = 0, high = 0] = [dealt(), dealt()].sort((a, b) => a - b);
      const [after, before] = [low, high].map((n) => encode(expected[n] as Row));
      await compare({ after, first: 40 }, expected.slice(low + 1, low + 41));
      await compare({ before, last: 40 }, expected.slice(Math.max(high - 40, 0), high));
      await compare({ after, before, first: 30 }, expected.slice(low + 1, high).slice(0, 30));
      await compare({ after, before, last: 30 }, expected.slice(low + 1, Math.max(high, low + 1)).slice(-30));
    }
  }

  /** Rows of submissions and blocks that the previous statement reads or passes over. */
  async function countTouched(): Promise<number> {
    const [row] = await dataSource.query(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${statement.sql}`,
      statement.parameters,
    );
    const count = (node: Record<string, unknown>): number => {
      const own = ['Actual Rows', 'Rows Removed by Filter', 'Rows Removed by Index Recheck']
        .map((name) => Number(node[name] ?? 0))
        .reduce((a, b) => a + b);
      const isRead = node['Relation Name'] === 'submission' || node['Relation Name'] === 'block';
      const parts = (node['Plans'] ?? []) as Record<string, unknown>[];
      return parts.reduce((sum, part) => sum + count(part), isRead ? own * Number(node['Actual Loops']) : 0);
    };
    return count(row['QUERY PLAN'][0].Plan);
  }
});
