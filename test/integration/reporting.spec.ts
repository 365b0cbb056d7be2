import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { DEFAULT_THRESHOLDS } from '../../src/domain/health/health-thresholds.js';
import { WRITTEN_WITHIN_MS } from '../../src/domain/health/unwatched.js';
import { Sketch } from '../../src/domain/statistics/sketch.js';
import {
  SUBMISSION_EVIDENCES,
  SUBMISSION_KINDS,
  SUBMISSION_STATUSES,
} from '../../src/domain/submissions/submission-codes.js';
import { addSqlRole, dropSqlRole, readRoleBounds, renewSqlRole } from '../../src/platform/sql-roles.js';
import { columnNameOf } from '../../src/tables/columns.js';
import { READ_MODEL_SETS } from '../../src/statistics/read-model-sets.js';
import { startApi, type ApiServer } from '../support/api-server.js';
import { startTestDatabase, type TestDatabase } from '../support/database.js';
import {
  blockRow,
  coverageFoldRow,
  coverageRow,
  healthRow,
  insertRows,
  lossRow,
  nodeRow,
  submissionRow,
  type TableRow,
} from '../support/read-model-rows.js';
import { rebuildNow } from '../support/rebuild.js';
import { StatisticsWorld } from '../support/statistics-world.js';

const VIEWS = [
  'accounts',
  'balances',
  'block_statistics_daily',
  'block_statistics_hourly',
  'block_statistics_monthly',
  'blocks',
  'chains',
  'cost_daily',
  'cost_hourly',
  'cost_monthly',
  'events',
  'health_intervals',
  'incidents',
  'losses',
  'node_block_statistics_daily',
  'node_block_statistics_hourly',
  'node_block_statistics_monthly',
  'node_cost_daily',
  'node_cost_hourly',
  'node_cost_monthly',
  'node_statistics_daily',
  'node_statistics_hourly',
  'node_statistics_monthly',
  'nodes',
  'reconciliation_daily',
  'statistics_daily',
  'statistics_hourly',
  'statistics_monthly',
  'submissions',
  'unnamed_lists',
  'unread',
];
interface TypeShape {
  readonly kind: string;
  readonly name: string | null;
  readonly ofType: TypeShape | null;
}

/** Views with the same content as rows of a GraphQL type. */
const VIEWS_OF: Readonly<Record<string, readonly string[]>> = {
  Node: ['nodes'],
  Chain: ['chains'],
  Submission: ['submissions'],
  Block: ['blocks'],
  Loss: ['losses'],
  HealthInterval: ['health_intervals'],
  Incident: ['incidents'],
  Event: ['events'],
  Account: ['accounts'],
  Balance: ['balances'],
  StatisticsRow: VIEWS.filter((view) => /^(?:node_)?statistics_/.test(view)),
  CostRow: VIEWS.filter((view) => view.includes('cost_')),
};
/** Views with the figures of blocks, which have no namespace, kind or status. */
const BLOCK_VIEWS = VIEWS.filter((view) => view.includes('block_statistics_'));
/** Objects whose fields have a column each, such as `checks_link`. Other objects have a column with their id. */
const TAKEN_APART = new Set(['BlockChecks', 'HealthInterval', 'Distribution']);

const OF_ALL_KINDS = 'null in rows of one namespace, kind and status, as those of the view are';
const OF_BLOCKS = 'the views of blocks have it';
const WALKED = 'found by walking the blocks up to the end of the bucket, which is not stored';
const COUNTED = 'the view of losses has them, by their times';
const OF_OTHERS = 'needs other rows than its own';
const RATIO = 'a ratio of two columns, which adds up only as such';
const SKETCHED = 'percentiles are merged from sketches, and those of several rows make no other one';
const IN_WORDS = 'GraphQL puts the rule into words';
const OF_CHAIN = 'the view of chains has them';
const ONCE = 'the node has it once';
const OF_INTERVALS = 'the view of health intervals has it';
const BY_ROWS = 'rows of the namespace `other` stand beside it';
const NAMES_THE_ROW = 'names the row in GraphQL; here its columns do';
const ALWAYS_NOW = 'the present ones have no end';
/** Fields without a column in any view, and the reason. */
const NOT_IN_VIEWS: Readonly<Record<string, string>> = {
  'Submission.raw': 'stands only in the log: the view of events has it',
  'Submission.rawText': 'stands only in the log, as `raw`',
  'Submission.occurredAtText': 'stands only in the log',
  'Submission.blobIds': 'stand only in the log',
  'Submission.blocks': 'block_from and block_to bound them',
  ...Object.fromEntries(
    [
      ...Object.keys(VIEWS_OF)
        .filter((type) => !['Balance', 'Chain', 'Event'].includes(type))
        .map((type) => `${type}.versionId`),
      ...['Account', 'Balance', 'Block', 'Event', 'HealthInterval', 'StatisticsRow', 'CostRow'].map(
        (type) => `${type}.id`,
      ),
      ...['Node.da', 'Node.node'].flatMap((field) => [`${field}.id`, `${field}.versionId`]),
    ].map((field) => [field, NAMES_THE_ROW]),
  ),
  'Incident.presentState': 'the open interval of its component in health_intervals has it',
  'Incident.means': IN_WORDS,
  'Incident.remedy': IN_WORDS,
  'Incident.runbook': IN_WORDS,
  'Incident.command': IN_WORDS,
  'Incident.acknowledgementCount': OF_OTHERS,
  'Incident.noteCount': OF_OTHERS,
  'Block.includedAt': OF_OTHERS,
  'Node.da.to': ALWAYS_NOW,
  'Node.node.to': ALWAYS_NOW,
  'Node.da.time': ALWAYS_NOW,
  'Node.node.time': ALWAYS_NOW,
  'Node.da.claim': ONCE,
  'Node.node.claim': ONCE,
  'Node.da.claimDiffers': ONCE,
  'Node.node.claimDiffers': ONCE,
  'Node.da.setting': OF_INTERVALS,
  'Node.node.setting': OF_INTERVALS,
  'Node.da.limit': OF_INTERVALS,
  'Node.node.limit': OF_INTERVALS,
  'StatisticsRow.nodes': OF_CHAIN,
  'CostRow.nodes': OF_CHAIN,
  'StatisticsRow.otherNamespaces': BY_ROWS,
  'CostRow.otherNamespaces': BY_ROWS,
  'StatisticsRow.inclusionLagMs.p50': SKETCHED,
  'StatisticsRow.inclusionLagMs.p90': SKETCHED,
  'StatisticsRow.inclusionLagMs.p99': SKETCHED,
  'StatisticsRow.submissionTimeMs.p50': SKETCHED,
  'StatisticsRow.submissionTimeMs.p90': SKETCHED,
  'StatisticsRow.submissionTimeMs.p99': SKETCHED,
  'StatisticsRow.blobBytes.p50': SKETCHED,
  'StatisticsRow.blobBytes.p90': SKETCHED,
  'StatisticsRow.blobBytes.p99': SKETCHED,
  'StatisticsRow.blobBytes.count': 'measured_blobs',
  'StatisticsRow.blocksProduced': OF_BLOCKS,
  'StatisticsRow.blocksMissing': WALKED,
  'StatisticsRow.blocksIncluded': OF_BLOCKS,
  'StatisticsRow.transactions': OF_BLOCKS,
  'StatisticsRow.transactionsIncluded': OF_BLOCKS,
  'StatisticsRow.transactionBytes': OF_BLOCKS,
  'StatisticsRow.transactionBytesIncluded': OF_BLOCKS,
  'StatisticsRow.pendingAtEnd': WALKED,
  'StatisticsRow.inclusionFrontierAtEnd': WALKED,
  'StatisticsRow.holes': COUNTED,
  'StatisticsRow.provenLost': COUNTED,
  'StatisticsRow.likelyLost': COUNTED,
  'CostRow.feeUnit': 'part of the names of the columns',
  'CostRow.headerShare': 'rows are of one kind: the sum over kinds tells it',
  'CostRow.dataShare': 'rows are of one kind: the sum over kinds tells it',
  'CostRow.feePerBlockMin': OF_ALL_KINDS,
  'CostRow.feePerBlockMax': OF_ALL_KINDS,
  'CostRow.feePerTransactionMin': OF_ALL_KINDS,
  'CostRow.feePerTransactionMax': OF_ALL_KINDS,
  'CostRow.feePerMegabyteMin': RATIO,
  'CostRow.feePerMegabyteMax': RATIO,
  'CostRow.changeToPrevious': OF_OTHERS,
  'CostRow.forecastLow': OF_OTHERS,
  'CostRow.forecastExpected': OF_OTHERS,
  'CostRow.forecastHigh': OF_OTHERS,
};
/** Fields of rows of some sizes only, and the views of these sizes. */
const OF_SIZES: Readonly<Record<string, RegExp>> = { day: /_daily$/, month: /_(?:daily|monthly)$/ };
/** Columns with the name of the object whose id they hold. */
const OTHERWISE: Readonly<Record<string, string>> = { nodeId: 'node' };

/** Roles belong to a server, which other specs use as well. */
const ROLE = `bi_${process.pid}`;
const EVENTS = `INSERT INTO event (position, stream, version, type, schema, observed_at, recorded_at, body, hash)
  VALUES (1, 'b1/node', 1, 'NodeRegistered', 1, now(), now(), '{"url":"https://me:pass\\"word@b1.example/key/0123456789abcdef0123"}', '\\x00ff'),
         (2, 'b1/node', 2, 'NodeRetired', 1, now(), now(), '{}', '\\x01')`;

type Row = Record<string, unknown>;

let database: TestDatabase;
let api: ApiServer;
let dataSource: DataSource;
let password: string;

const readView = async (sql: string): Promise<Row[]> => dataSource.query<Row[]>(sql);

beforeAll(async () => {
  database = await startTestDatabase();
  api = await startApi(database.url);
  ({ dataSource } = api);
  const world = new StatisticsWorld(dataSource);
  await world.addNodes();
  const now = new Date().toISOString();
  await dataSource.query(
    `UPDATE node SET url = 'https://me:secret@b1.example:7331/v1/0123456789abcdef0123?token=x', inclusion_frontier = 37,
                     last_seen_at = '2026-03-02T00:00:00Z', list_looked_at = $1, submission_count = 2 WHERE id = 'b1'`,
    [now],
  );
  await dataSource.query("UPDATE node SET last_seen_at = '2026-03-02T00:00:00Z' WHERE id = 'k1'");
  // Two histories; a node that is behind is on the newest one.
  await insertRows(dataSource, 'lineage', [{ lineage_key: 4, chain_id: 'berlin-1', n: 2, from_position: 1 }]);
  await insertRows(dataSource, 'node', [
    nodeRow(8, 'til~de%', {
      chain_id: 'berlin-1',
      url: 'http://a@b@c',
      lineage_key: 4,
      head: 30,
      aggregator: true,
    }),
  ]);
  const chainEvents = ['2026-03-01T10:00:00Z', '2026-03-01T11:00:00Z'];
  await world.addSubmissions(1, chainEvents, { gas_price: '0.0040' });
  await world.addSubmissions(1, chainEvents, {
    status: 6,
    evidence: 0,
    message: 'it broke',
    da_height: null,
  });
  await insertRows(dataSource, 'submission', [
    submissionRow(null, { node_key: null, ring: null, kind: 1, evidence: 4, digest: null, from_position: 9 }),
    submissionRow(null, {
      node_key: null,
      ring: null,
      evidence: 5,
      possible: 4,
      digest: null,
      from_position: 9,
    }),
    submissionRow(1, {
      node_key: 8,
      lineage_key: null,
      status: 10,
      status_text: 'Odd',
      kind: 3,
      evidence: 0,
    }),
    submissionRow(2, { node_key: 8, to_position: 12 }),
  ]);
  await insertRows(dataSource, 'proposer', [
    { proposer_key: 1, proposer_address: '\\xaa', validator_hash: '\\xbb', version_block: 1, version_app: 1 },
  ]);
  await insertRows(dataSource, 'block', [
    blockRow(1),
    blockRow(2, { checks: 0b10_00_01_01_10, header_da_height: 5, data_da_height: 5, data_hash: '\\x0102' }),
  ]);
  const to = '2026-03-05T00:00:00.120Z';
  await insertRows(dataSource, 'loss', [
    lossRow(3),
    lossRow(4, { max_lost: 7, likely_lost: 2, from_at: null }),
    // Losses of each kind, bound and length, which are described in words.
    ...['OVERFLOW', 'RESET', 'AMBIGUOUS', 'BEFORE_START'].flatMap((kind, index) =>
      [0, 2_449, 59_949, 60_000, 3_600_000, 100_845_499].flatMap((ms, length) =>
        [null, 0, 1, 9].map((max, bound) =>
          lossRow(100 + index * 100 + length * 10 + bound, {
            kind,
            after_sequence: bound,
            min_lost: Math.min(max ?? length % 2, length),
            max_lost: max,
            likely_lost: bound === 0 ? null : length,
            from_at: new Date(Date.parse(to) - ms).toISOString(),
            to_at: to,
          }),
        ),
      ),
    ),
  ]);
  // Lists that are out of sight: one up to the last poll, and one without known rows up to when it was replaced. A third was seen until a
  // moment before the last poll.
  const stretch = (node: string, number: number, seenAt: string, more: TableRow = {}) =>
    coverageRow(node, number, ['2026-03-01T00:00:00Z', seenAt], { unstated: true, list: number, ...more });
  await insertRows(dataSource, 'coverage_interval', [
    stretch('b1', 0, '2026-03-02T00:00:00.0625Z', { after_sequence: 12 }),
    stretch('b1', 1, '2026-03-02T00:00:00Z', { until_at: '2026-03-02T01:00:00Z' }),
    stretch('k1', 0, '2026-03-02T02:59:56Z'),
    stretch('k1', 1, '2026-03-02T02:00:00Z', { unstated: false, until_at: '2026-03-02T02:30:00Z' }),
  ]);
  await insertRows(
    dataSource,
    'coverage_fold',
    ['b1', 'k1'].map((node) => coverageFoldRow(node, '2026-03-02T03:00:00Z')),
  );
  await insertRows(dataSource, 'health_interval', [
    healthRow('DA', '2026-03-01T00:00:00Z', '2026-03-02T00:00:00Z', 'HEALTHY', { node: 'b1' }),
    healthRow('DA', '2026-03-02T00:00:00Z', null, 'CRITICAL', {
      node: 'b1',
      rule: 'failing',
      setting: 'failingAfter',
      limit_value: 5_000,
    }),
    healthRow('NODE', '2026-03-01T00:00:00Z', null, 'HEALTHY', { node: 'b1' }),
    // The nodes have not been polled since; of the second, not even the beginning is known.
    healthRow('NODE', '2026-03-01T00:00:00Z', null, 'HEALTHY', { node: 'k1' }),
    healthRow('DA', '2026-03-02T00:10:00Z', null, 'WARNING', { node: 'k1' }),
  ]);
  await insertRows(dataSource, 'claim', [
    {
      node: 'b1',
      kind: 'health',
      observed_at: now,
      status: ' Healthy',
      body: {},
      from_position: 1,
      to_position: null,
    },
  ]);
  await world.addPrice('berlin-1', 'GAS_PRICE', null, { utia: '0.01' });
  await world.rollUp();
  await dataSource.query('SELECT ensure_event_partition(now())');
  await dataSource.query(EVENTS);
  password = await addSqlRole(dataSource, ROLE);
});

afterAll(async () => {
  await dropSqlRole(dataSource, ROLE);
  await api?.stop();
  await database?.stop();
});

/** Rows as JSON, with integers as text. */
const toTexts = (rows: readonly Row[]): string =>
  JSON.stringify(rows, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value));

/** The fields of a type that are values, lists of values or nodes; for objects with a column per field, their fields. */
const valuesOf = async (type: string): Promise<string[]> => {
  const shape = 'kind name ofType { kind name ofType { kind name ofType { kind name } } }';
  const { __type: told } = await api.read<{ __type: { fields: { name: string; type: TypeShape }[] } }>(
    `{ __type(name: "${type}") { fields { name type { ${shape} } } } }`,
  );
  const names = new Set(told.fields.map(({ name }) => name));
  const kept: string[] = [];
  for (const { name, type: given } of told.fields) {
    let of = given;
    while (of.ofType) of = of.ofType;
    const isTwin = name.endsWith('Float') && names.has(name.slice(0, -'Float'.length));
    if ((of.kind !== 'OBJECT' && !isTwin) || of.name === 'Node') kept.push(name);
    else if (of.name !== null && TAKEN_APART.has(of.name) && !name.endsWith('Then'))
      kept.push(...(await valuesOf(of.name)).map((part) => `${name}.${part}`));
  }
  return kept;
};

const columnsOf = async (view: string): Promise<Set<unknown>> => {
  const rows = await readView(
    `SELECT attname AS name FROM pg_attribute WHERE attrelid = 'reporting.${view}'::regclass AND attnum > 0`,
  );
  return new Set(rows.map(({ name }) => name));
};

describe('the views', () => {
  it('match the contract, each with a comment, as do their columns', async () => {
    const rows = await readView(
      `SELECT c.relname AS view, obj_description(c.oid, 'pg_class') AS about, a.attname AS name,
              col_description(c.oid, a.attnum) AS comment
         FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
        WHERE c.relnamespace = 'reporting'::regnamespace ORDER BY c.relname, a.attnum`,
    );
    expect([...new Set(rows.map(({ view }) => view))]).toEqual(VIEWS);
    for (const { view, name, about, comment } of rows) {
      expect({ view, about }).toEqual({ view, about: expect.stringMatching(/^[A-Z].{20,}\.$/) as unknown });
      expect({ view, name, comment }).toMatchObject({
        comment: expect.stringMatching(/^\S.+\.$/) as unknown,
      });
    }
    const [schema] = await readView(
      "SELECT obj_description('reporting'::regnamespace, 'pg_namespace') AS about",
    );
    expect(schema?.['about']).toMatch(/^Version 1\. /);
  });

  it.each(Object.entries(VIEWS_OF))('have every field of %s that is a value', async (type, views) => {
    const fields = await valuesOf(type);
    const exceptions = Object.keys(NOT_IN_VIEWS).filter((name) => name.startsWith(`${type}.`));
    const wanted = fields.filter((name) => !exceptions.includes(`${type}.${name}`));
    expect(wanted.length).toBeGreaterThan(5);
    for (const view of views) {
      const columns = await columnsOf(view);
      const missing = wanted.filter((field) => {
        if (OF_SIZES[field]?.test(view) === false) return false;
        const column = columnNameOf(field.replaceAll('.', '_'));
        return ![column, `${column}_utia`, OTHERWISE[field] ?? column].some((name) => columns.has(name));
      });
      expect({ view, missing }).toEqual({ view, missing: [] });
    }
    // Each exception is the name of a field, and no view has it.
    for (const exception of exceptions) expect(fields.map((name) => `${type}.${name}`)).toContain(exception);
    const ofBlocks = exceptions.filter((name) => NOT_IN_VIEWS[name] === OF_BLOCKS);
    for (const view of ofBlocks.length > 0 ? BLOCK_VIEWS : [])
      expect([...(await columnsOf(view))]).toEqual(
        expect.arrayContaining(ofBlocks.map((name) => columnNameOf(name.slice(type.length + 1)))),
      );
  });

  it('know the same codes as the program', async () => {
    for (const [view, codes] of [
      ['submissions', [SUBMISSION_STATUSES, SUBMISSION_KINDS, SUBMISSION_EVIDENCES]],
      ['statistics_hourly', [SUBMISSION_STATUSES, SUBMISSION_KINDS]],
      ['node_cost_daily', [SUBMISSION_STATUSES, SUBMISSION_KINDS]],
    ] as const) {
      const [row] = await readView(`SELECT pg_get_viewdef('reporting.${view}'::regclass) AS definition`);
      for (const names of codes) expect(row?.['definition']).toContain(`'{${names.join(',')}}'`);
    }
  });

  it('read the greatest value of every distribution that can be stored', async () => {
    const values = fc.oneof(
      fc.maxSafeNat(),
      fc.nat(300),
      fc.double({ min: 0, max: Number.MAX_VALUE, noNaN: true }),
    );
    const lists = fc.sample(fc.array(values, { maxLength: 300 }), { seed: 1, numRuns: 300 });
    const sketches = lists.map((list) => list.reduce((sketch, value) => sketch.add(value), Sketch.empty()));
    const rows = await readView(
      `SELECT reporting.largest_of(decode(hex, 'hex')) AS max
         FROM unnest('{${sketches.map((sketch) => sketch.encode().toString('hex')).join(',')}}'::text[]) WITH ORDINALITY given (hex, n) ORDER BY n`,
    );
    expect(rows.map(({ max }) => max)).toEqual(sketches.map(({ max }) => max));
  });

  it('contain the same submissions, losses, blocks and nodes as GraphQL', async () => {
    const page = await api.read<Record<string, { nodes: Row[] } & Row[]>>(`{
      submissions(first: 100) { nodes { id chain node { id } sequence ring status message namespace kind daHeight blobCount
        sizeBytes gasPrice observedAt evidence updatedAt withdrawn possibleAttempts countsForChain } }
      losses(first: 1000) { nodes { id node { id } time kind afterSequence minLost maxLost likelyLost from to explanation updatedAt withdrawn open } }
      blocks { nodes { node { id } height time chainId lineage hash lastHeaderHash dataHash appHash proposerAddress txCount
        dataBytes headerBlobBytes dataBlobBytes headerDaHeight dataDaHeight checks { link hash signature proposer data } } }
      nodes { id chain head oldest inclusionFrontier pending da { state rule from } node { state rule from } claim claimDiffers
        submissionCount blockCount retired }
      chains { id nodes { id } lineages reportingTimeZone head inclusionFrontier pending aggregators { id } undecidedSteps }
    }`);
    const flat = (rows: readonly Row[]): Row[] =>
      rows.map((row) =>
        Object.fromEntries(
          Object.entries(row).flatMap(([name, value]): [string, unknown][] => {
            const column = COLUMNS[name] ?? name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
            if (Array.isArray(value))
              return [
                [
                  column,
                  `{${value.map((each: string | Row) => (typeof each === 'string' ? each : each['id'])).join(',')}}`,
                ],
              ];
            if (typeof value !== 'object' || value === null) return [[column, value]];
            const parts = Object.entries(value);
            return parts.map(([part, of]) => [NESTED[`${name}.${part}`] ?? `${column}_${part}`, of]);
          }),
        ),
      );
    const same = async (view: string, rows: readonly Row[], order: string): Promise<void> => {
      const expected = flat(rows);
      // A field that is null as a whole has no parts.
      const [longest = {}] = [...expected].sort((a, b) => Object.keys(b).length - Object.keys(a).length);
      const columns = Object.keys(longest);
      const found = await readView(
        `SELECT ${columns.map((name) => (TIMES.has(name) ? `to_char(${name} AT TIME ZONE 'UTC', '${ISO}') AS ${name}` : `${name}::text`)).join(', ')} FROM reporting.${view} ORDER BY ${order}`,
      );
      const texts = expected.map((row) =>
        Object.fromEntries(columns.map((name) => [name, toCell(name, row[name] ?? null)])),
      );
      const sorted = (list: readonly Row[]): string[] => list.map((row) => JSON.stringify(row)).sort();
      expect(sorted(found)).toEqual(sorted(texts));
      expect(found.length).toBeGreaterThan(0);
    };
    await same('submissions', page['submissions']?.nodes ?? [], 'id');
    await same('losses', page['losses']?.nodes ?? [], 'id');
    const open = (page['losses']?.nodes ?? []).filter((loss) => loss['open'] === true);
    expect(open.map(({ from, to }) => [from, to])).toEqual([
      ['2026-03-02T00:00:00.062500Z', '2026-03-02T03:00:00.000Z'],
    ]);
    // No event records the gap, and it is over: the list is gone.
    const ended = (page['losses']?.nodes ?? []).filter(({ from }) => from === '2026-03-02T00:00:00.000Z');
    expect(ended).toMatchObject([{ to: '2026-03-02T01:00:00.000Z', open: false }]);
    await same('blocks', page['blocks']?.nodes ?? [], 'height');
    await same('nodes', page['nodes'] ?? [], 'id');
    await same('chains', page['chains'] ?? [], 'id');
  });

  it('detect unmonitored nodes by the numbers of the rule itself', async () => {
    const [view] = await readView("SELECT pg_get_viewdef('reporting.health_intervals'::regclass) AS sql");
    const numbers = String(view?.['sql'])
      .match(/\b\d{4,}\b/g)
      ?.map(Number);
    expect(numbers).toEqual([DEFAULT_THRESHOLDS.notWatchedAfterMs, WRITTEN_WITHIN_MS]);
  });

  it('contain the same health as GraphQL, and unknown time without polls', async () => {
    for (const node of ['b1', 'k1']) {
      for (const component of ['DA', 'NODE']) {
        const { healthHistory } = await api.read<{ healthHistory: Row[] }>(
          `{ healthHistory(node: "${node}", component: ${component}) { from to state rule setting limit } }`,
        );
        const found = await readView(
          `SELECT to_char(from_at AT TIME ZONE 'UTC', '${ISO}') AS from, to_char(to_at AT TIME ZONE 'UTC', '${ISO}') AS to, state, rule, setting, "limit"
             FROM reporting.health_intervals WHERE node = '${node}' AND component = '${component}' ORDER BY from_at`,
        );
        expect(found).toEqual(
          healthHistory.map((row) => ({
            ...row,
            from: toCell('from_at', row['from']),
            to: toCell('to_at', row['to']),
          })),
        );
      }
    }
    const [k1] = await readView("SELECT da_state, node_state FROM reporting.nodes WHERE id = 'k1'");
    expect(k1).toEqual({ da_state: 'UNKNOWN', node_state: 'UNKNOWN' });
    // The node does not answer, and it is polled.
    const [b1] = await readView("SELECT da_state, node_state FROM reporting.nodes WHERE id = 'b1'");
    expect(b1).toEqual({ da_state: 'CRITICAL', node_state: 'HEALTHY' });
  });

  it('contain the same incidents as GraphQL', async () => {
    const page = await api.read<{ incidents: { nodes: Row[] } }>(`{ incidents { nodes {
      id nodeId chain component severity from to open rule reason signs lastSignAt troubleMs claim claimDifferedMs position subject acknowledgedBy acknowledgedAt endReason } } }`);
    const found = await readView(
      `SELECT id, node AS "nodeId", chain, component, severity, to_char(from_at AT TIME ZONE 'UTC', '${ISO}') AS from,
              to_char(to_at AT TIME ZONE 'UTC', '${ISO}') AS to, open, rule, reason, signs,
              to_char(last_sign_at AT TIME ZONE 'UTC', '${ISO}') AS "lastSignAt", trouble_ms AS "troubleMs", claim,
              claim_differed_ms AS "claimDifferedMs", position::text, subject,
              acknowledged_by AS "acknowledgedBy", acknowledged_at AS "acknowledgedAt", end_reason AS "endReason"
         FROM reporting.incidents ORDER BY from_at DESC`,
    );
    expect(found).toEqual(
      page.incidents.nodes.map((row) => ({
        ...row,
        ...Object.fromEntries(
          ['from', 'to', 'lastSignAt'].map((name) => [name, toCell('from_at', row[name])]),
        ),
      })),
    );
    expect(found.map(({ nodeId, severity }) => [nodeId, severity])).toEqual([
      ['k1', 'WARNING'],
      ['b1', 'CRITICAL'],
    ]);
  });

  it('show no password and no key of an address', async () => {
    const nodes = await readView('SELECT id, url FROM reporting.nodes ORDER BY id COLLATE "C"');
    expect(nodes.find(({ id }) => id === 'b1')).toEqual({ id: 'b1', url: 'https://b1.example:7331' });
    expect(nodes.find(({ id }) => id === 'til~de%')).toMatchObject({ url: '(not a URL)' });
    const events = await readView('SELECT body FROM reporting.events ORDER BY position');
    expect(toTexts(events)).toBe('[{"body":{"url":"(an address)"}},{"body":{}}]');
  });
});

/** Columns whose names are not the field name in snake_case, because it is an SQL keyword or has a unit. */
const COLUMNS: Readonly<Record<string, string>> = {
  from: 'from_at',
  to: 'to_at',
  gasPrice: 'gas_price_utia',
};
const NESTED: Readonly<Record<string, string>> = {
  'node.id': 'node',
};
const TIMES = new Set(['from_at', 'to_at', 'observed_at', 'updated_at', 'time', 'da_from', 'node_from']);
const ISO = 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"';

/** The printed form of a view's column: times with microseconds, numbers and words as they are. */
function toCell(name: string, value: unknown): string | null {
  if (value === null) return null;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  if (!TIMES.has(name)) return text;
  const [, seconds = '', decimals = ''] = /^(.*?)(?:\.(\d+))?Z$/.exec(text) ?? [];
  return `${seconds}.${decimals.padEnd(6, '0').slice(0, 6)}Z`;
}

const asRole = async <T>(work: (client: Client) => Promise<T>, by = password): Promise<T> => {
  const url = new URL(database.url);
  const client = new Client({
    host: url.hostname,
    port: Number(url.port),
    database: url.pathname.slice(1),
    user: ROLE,
    password: by,
  });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const codeOf = (client: Client, sql: string): Promise<string> =>
  client.query(sql).then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

/** Errors of a role that may only read: missing rights, or a read-only transaction. */
const REFUSED = /^(42501|25006|55000)$/;

describe('a role of hindsight sql-user', () => {
  it('reads every view, including future ones', async () => {
    await asRole(async (client) => {
      for (const view of VIEWS)
        expect([view, await codeOf(client, `SELECT * FROM ${view} LIMIT 5`)]).toEqual([view, 'done']);
      await dataSource.query('CREATE VIEW reporting.later AS SELECT 1 AS one');
      expect((await client.query('SELECT * FROM later')).rows).toEqual([{ one: 1 }]);
    });
    await dataSource.query('DROP VIEW reporting.later');
  });

  it.each(['on', 'off'])('can write nothing with default_transaction_read_only %s', async (setting) => {
    await asRole(async (client) => {
      await client.query(`SET default_transaction_read_only = ${setting}`);
      for (const sql of [
        ...VIEWS.flatMap((view) => [`DELETE FROM ${view}`, `INSERT INTO ${view} DEFAULT VALUES`]),
        'UPDATE public.node SET head = 1',
        'DELETE FROM public.event',
        'TRUNCATE public.statistic',
        'CREATE TABLE reporting.mine (n int)',
        'CREATE TABLE public.mine (n int)',
        'CREATE TEMPORARY TABLE mine (n int)',
        'CREATE SCHEMA mine',
        'CREATE FUNCTION reporting.mine() RETURNS int LANGUAGE sql RETURN 1',
        'ALTER VIEW nodes RENAME TO mine',
        'DROP VIEW nodes CASCADE',
        "SELECT setval('public.api_key_api_key_id_seq', 7)",
      ]) {
        expect({ sql, code: await codeOf(client, sql) }).toEqual({
          sql,
          code: expect.stringMatching(REFUSED) as unknown,
        });
      }
    });
  });

  it('reads nothing but the views', async () => {
    await asRole(async (client) => {
      for (const table of ['node', 'event', 'api_key', 'statistic', 'stream_head', 'schema_migration']) {
        expect([table, await codeOf(client, `SELECT * FROM public.${table}`)]).toEqual([table, '42501']);
      }
      const { rows } = await client.query<{ name: string; setting: string }>(
        "SELECT name, setting FROM pg_settings WHERE name IN ('statement_timeout', 'default_transaction_read_only') ORDER BY name",
      );
      expect(rows).toEqual([
        { name: 'default_transaction_read_only', setting: 'on' },
        { name: 'statement_timeout', setting: '60000' },
      ]);
      const [limit] = await readView(`SELECT rolconnlimit AS n FROM pg_roles WHERE rolname = '${ROLE}'`);
      expect(limit).toEqual({ n: 10 });
    });
  });

  it('is bound by what the server enforces, and is warned about the rest', async () => {
    expect(await readRoleBounds(dataSource, ROLE)).toMatchObject({ connections: 10, temporary: '2GB' });
    await asRole(async (client) => {
      await client.query('SET default_transaction_read_only = off');
      for (const sql of [
        "SET temp_file_limit = '1TB'",
        'ALTER ROLE CURRENT_USER RESET temp_file_limit',
        'ALTER ROLE CURRENT_USER CONNECTION LIMIT 100',
      ])
        expect([sql, await codeOf(client, sql)]).toEqual([sql, '42501']);
      await client.query('ALTER ROLE CURRENT_USER RESET ALL');
      // The setting is known and printed: a server lets every role set it.
      expect(await codeOf(client, 'SET statement_timeout = 0')).toBe('done');
    });
    expect(await readRoleBounds(dataSource, ROLE)).toMatchObject({ connections: 10, temporary: '2GB' });
    await dataSource.query(`ALTER ROLE ${ROLE} RESET temp_file_limit`);
    expect(await readRoleBounds(dataSource, ROLE)).toEqual({
      connections: 10,
      temporary: undefined,
      isKeptOff: true,
    });
    await dropSqlRole(dataSource, ROLE);
    password = await addSqlRole(dataSource, ROLE);
  });

  it('is made once, and takes another password', async () => {
    await expect(addSqlRole(dataSource, ROLE)).rejects.toThrow(`There is already a role ${ROLE}.`);
    const old = password;
    password = await renewSqlRole(dataSource, ROLE);
    await expect(asRole(() => Promise.resolve(), old)).rejects.toMatchObject({ code: '28P01' });
    await asRole((client) => client.query('SELECT 1'));
  });

  it('is left unchanged if someone else has created it', async () => {
    const [row] = await readView('SELECT current_user AS name');
    await expect(renewSqlRole(dataSource, String(row?.['name']))).rejects.toThrow('There is no role');
    await expect(dropSqlRole(dataSource, String(row?.['name']))).rejects.toThrow('There is no role');
  });

  it('may have a name that is an SQL keyword', async () => {
    await dropSqlRole(dataSource, 'select').catch(() => undefined);
    await addSqlRole(dataSource, 'select');
    await renewSqlRole(dataSource, 'select');
    await dropSqlRole(dataSource, 'select');
    expect(await dataSource.query("SELECT FROM pg_roles WHERE rolname = 'select'")).toEqual([]);
  });

  it('runs every query of the dashboard for Grafana', async () => {
    const dashboard = JSON.parse(readFileSync('packaging/grafana/hindsight-sql.json', 'utf8')) as {
      panels: { title: string; targets?: { rawSql: string }[] }[];
      templating: { list: { type: string; query: string }[] };
    };
    const queries = [
      ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ rawSql }) => rawSql)),
      ...dashboard.templating.list.flatMap(({ type, query }) => (type === 'query' ? query : [])),
    ];
    expect(queries.length).toBeGreaterThan(10);
    let rows = 0;
    await asRole(async (client) => {
      for (const sql of queries) rows += (await client.query(asGrafana(sql))).rowCount ?? 0;
    });
    expect(rows).toBeGreaterThan(10);
  });
});

/** The values that Grafana gives its macros and variables. */
function asGrafana(sql: string): string {
  const [from, to] = ["'2026-01-01T00:00:00Z'", "'2027-01-01T00:00:00Z'"];
  return sql
    .replaceAll(/\$__timeFilter\((\w+)\)/g, `$1 BETWEEN ${from} AND ${to}`)
    .replaceAll('$__timeFrom()', from)
    .replaceAll('$__timeTo()', to)
    .replaceAll('${chain:sqlstring}', "'berlin-1','kolkata-1'");
}

describe('a rebuild that swaps the tables', () => {
  it('leaves the views, their comments, their rights and their rows as they were', async () => {
    const other = await startTestDatabase();
    const server = await startApi(other.url);
    const role = `${ROLE}_swap`;
    try {
      await addSqlRole(server.dataSource, role);
      const look = async (): Promise<Row[]> =>
        server.dataSource.query<Row[]>(
          `SELECT c.relname AS view, pg_get_viewdef(c.oid) AS definition, obj_description(c.oid, 'pg_class') AS about,
                  has_table_privilege($1, c.oid, 'SELECT') AS readable, c.relacl::text AS rights,
                  array_agg(a.attname || ': ' || col_description(c.oid, a.attnum) ORDER BY a.attnum)::text AS columns
             FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0
            WHERE c.relnamespace = 'reporting'::regnamespace GROUP BY c.oid, c.relname, c.relacl ORDER BY c.relname`,
          [role],
        );
      const before = await look();
      const oids = async (): Promise<Row[]> =>
        server.dataSource.query<Row[]>("SELECT oid FROM pg_class WHERE oid = 'reporting.nodes'::regclass");
      const oidBefore = await oids();
      for (const set of READ_MODEL_SETS) await rebuildNow(server.dataSource, set);
      expect(await oids()).not.toEqual(oidBefore);
      expect(before.map(({ view }) => view)).toEqual(VIEWS);
      expect(await look()).toEqual(before);
    } finally {
      await dropSqlRole(server.dataSource, role);
      await server.stop();
      await other.stop();
    }
  });
});
