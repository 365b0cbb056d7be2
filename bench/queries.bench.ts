import type { DataSource } from 'typeorm';
import { selectedStatistics } from '../src/api/statistics/report-rows.js';
import { millisToMicros } from '../src/domain/time.js';
import type { Database } from '../src/platform/sql.js';
import { ReportReader } from '../src/statistics/read/report.reader.js';
import { startBenchServer } from './support/bench-database.js';
import { Contest, type Statement } from './support/contest.js';
import { readRows, type Bench } from './support/figures.js';
import {
  fill,
  fillNodes,
  fillYearOfBlocks,
  fillYearOfDays,
  fillYearOfSubmissions,
} from './support/statistics-world.js';

const NODES = 10;
const START_MS = Date.UTC(2025, 0, 1);
const END_MS = Date.UTC(2026, 0, 1);
const PAGE = 100;
const DAYS = 365;

export const bench: Bench = {
  about: 'requests a second of GraphQL',
  run: async () => {
    const server = await startBenchServer();
    try {
      const dataSource = await server.createDatabase();
      await fillYear(dataSource, readRows('HINDSIGHT_BENCH_QUERY_ROWS', 100_000));
      const contest = await Contest.start(String((dataSource.options as { url?: string }).url));
      try {
        const list = { statements: [{ sql: LIST, parameters: [PAGE + 1] }], form: 'rows' } as const;
        const blocks = { statements: [{ sql: BLOCKS, parameters: [PAGE + 1] }], form: 'rows' } as const;
        const days = { statements: await recordDays(dataSource), form: 'rows' } as const;
        const limits = { requests: 200, atLeast: 0.7 };
        return [
          await contest.compare(
            `${PAGE} submissions of 12 fields`,
            toRequest(`{ submissions(first: ${PAGE}) { nodes { ${LIST_FIELDS} } } }`),
            list,
            limits,
          ),
          await contest.compare(
            `${DAYS} days of statistics`,
            toRequest(
              `query ($from: DateTime, $to: DateTime) { statistics(bucket: DAY, from: $from, to: $to) { ${DAY_FIELDS} } }`,
              { from: toText(START_MS), to: toText(END_MS) },
            ),
            days,
            { ...limits, requests: 40 },
          ),
          await contest.compare(
            `${PAGE} blocks of 12 fields`,
            toRequest(`{ blocks(first: ${PAGE}) { nodes { ${BLOCK_FIELDS} } } }`),
            blocks,
            limits,
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

const LIST_FIELDS =
  'id nodeId time status message namespace kind daHeight blobCount sizeBytes gasPrice evidence';
const DAY_FIELDS = 'time coverage attempts successes failures reconstructed blobCount sizeBytes';
const BLOCK_FIELDS =
  'nodeId chainId height time hash dataHash proposerAddress txCount dataBytes headerDaHeight dataDaHeight lineage';

/** The statement of the service for the list, with only the columns of these fields. */
const LIST = `
  SELECT n.id || '~' || s.sequence AS id, n.id AS "nodeId", s.time_at AS time, s.status, s.message, ns.namespace, s.kind,
         s.da_height AS "daHeight", s.blob_count AS "blobCount", s.size_bytes AS "sizeBytes", s.gas_price AS "gasPrice",
         s.evidence
    FROM (SELECT * FROM submission WHERE to_position IS NULL ORDER BY from_position DESC, sequence DESC LIMIT $1) s
    LEFT JOIN node n ON n.node_key = s.node_key
    LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
    LEFT JOIN namespace ns ON ns.namespace_key = s.namespace_key
   ORDER BY s.from_position DESC, s.sequence DESC`;

/** The same for blocks: the highest blocks of each node by its key. */
const BLOCKS = `
  SELECT n.id AS "nodeId", l.chain_id AS "chainId", b.height, b.time_ns AS time, b.hash, b.data_hash AS "dataHash",
         p.proposer_address AS "proposerAddress", b.tx_count AS "txCount", b.tx_bytes AS "dataBytes",
         b.header_da_height AS "headerDaHeight", b.data_da_height AS "dataDaHeight", l.chain_id || '/' || l.n AS lineage
    FROM (SELECT b.* FROM inclusion_walk line CROSS JOIN LATERAL (
            SELECT * FROM block b WHERE b.node_key = line.node_key AND b.lineage_key = line.lineage_key
             ORDER BY b.height DESC LIMIT $1) b
           ORDER BY b.height DESC, b.node_key DESC LIMIT $1) b
    JOIN node n ON n.node_key = b.node_key
    JOIN lineage l ON l.lineage_key = b.lineage_key
    JOIN proposer p ON p.proposer_key = b.proposer_key
   ORDER BY b.height DESC, b.node_key DESC`;

function toText(ms: number): string {
  return new Date(ms).toISOString();
}

function toRequest(query: string, variables?: object): { path: string; body: object } {
  return { path: '/graphql', body: { query, variables } };
}

async function fillYear(dataSource: DataSource, rows: number): Promise<void> {
  await fill(dataSource, async (query) => {
    await fillNodes(query, NODES);
    await fillYearOfSubmissions(query, { nodes: NODES, rows, startMs: START_MS });
    await fillYearOfBlocks(query, { nodes: NODES, rows, startMs: START_MS });
    await fillYearOfDays(query, { nodes: NODES, perDay: 30, startMs: START_MS });
  });
}

/** The statements that read a year of days: too many to repeat here. */
async function recordDays(dataSource: DataSource): Promise<Statement[]> {
  const statements: Statement[] = [];
  const source: Database = {
    query: () => Promise.reject(new Error('a report is read in one snapshot')),
    createQueryRunner: () => {
      const runner = dataSource.createQueryRunner();
      return {
        query: (sql, parameters, structured) => {
          statements.push({ sql, parameters });
          return runner.query(sql, parameters, structured);
        },
        release: () => runner.release(),
      };
    },
  };
  const [fromUs, toUs] = [millisToMicros(START_MS), millisToMicros(END_MS)];
  const nowUs = millisToMicros(Date.now());
  const asked = { filter: {}, bucket: 'DAY', groupBy: [], fromUs, toUs, nowUs } as const;
  await new ReportReader(source).read(asked, selectedStatistics(new Set(DAY_FIELDS.split(' '))));
  return statements;
}
