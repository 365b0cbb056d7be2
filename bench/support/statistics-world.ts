import type { DataSource } from 'typeorm';
import { inTransaction, type Query } from '../../src/platform/sql.js';
import { Sketch } from '../../src/domain/statistics/sketch.js';

/** Seconds between two blocks of a filled node; one in two has a transaction. */
const BLOCK_SECONDS = 5;
/** Blocks whose headers are posted together; their data follow in a separate attempt. */
const BLOCKS_PER_ATTEMPT = 6;
/** One attempt in this many fails. */
const FAILURE_EVERY = 12;

const DAY_SECONDS = 86_400;
const YEAR_DAYS = 365;

/** The id of a filled node, from 1. Its chain, lineage and namespaces have the same number. */
export function nodeId(number: number): string {
  return `node-${number}`;
}

/** Fills tables in one transaction without a time limit, and then updates the planner's statistics. */
export async function fill<T>(dataSource: DataSource, work: (query: Query) => Promise<T>): Promise<T> {
  const result = await inTransaction(dataSource, async (query) => {
    await query("SELECT set_config('statement_timeout', '0', true), set_config('jit', 'off', true)");
    await query("SELECT set_config('maintenance_work_mem', '512MB', true)");
    return work(query);
  });
  await dataSource.query(
    'VACUUM ANALYZE submission, submission_span, block, block_span, statistic, block_statistic, coverage_interval, node',
  );
  return result;
}

/** Adds nodes, each the only node of its chain. */
export async function fillNodes(query: Query, nodes: number): Promise<void> {
  await query(
    `INSERT INTO node (node_key, id, url, chain_id, lineage_key, from_position)
     SELECT n, 'node-' || n, 'http://127.0.0.1', 'chain-' || n, n, n FROM generate_series(1, $1::int) n`,
    [nodes],
  );
  await query(`INSERT INTO lineage SELECT n, 'chain-' || n, 1, n FROM generate_series(1, $1::int) n`, [
    nodes,
  ]);
  await query(
    `INSERT INTO namespace SELECT k, lpad(to_hex(k), 58, '0') FROM generate_series(1, 2 * $1::int) k`,
    [nodes],
  );
}

/** Adds blocks and the attempts that carried them, as in a node's record after some hours. */
export async function fillHours(
  query: Query,
  { nodes, hours, startMs }: { nodes: number; hours: number; startMs: number },
): Promise<{ blocks: number; submissions: number }> {
  const blocks = (hours * 3_600) / BLOCK_SECONDS;
  await query(
    `INSERT INTO block (node_key, lineage_key, height, time_ns, header_da_height, data_da_height, tx_bytes, from_position,
                        proposer_key, tx_count, header_blob_bytes, data_blob_bytes, checks)
     SELECT n, n, h, ($2::bigint + h * ${BLOCK_SECONDS}000) * 1000000, 1000 + (h - 1) / ${BLOCKS_PER_ATTEMPT},
            1000 + (h - 1) / ${BLOCKS_PER_ATTEMPT}, (h % 2) * 140, h, 1, h % 2, 366, (h % 2) * 280, 0
       FROM generate_series(1, $3::int) h, generate_series(1, $1::int) n`,
    [nodes, startMs, blocks - (blocks % BLOCKS_PER_ATTEMPT)],
  );
  const attempts = Math.floor(blocks / BLOCKS_PER_ATTEMPT) * 2;
  await query(
    `INSERT INTO submission (node_key, sequence, lineage_key, chain_id, ring, status, kind, evidence, wild_time, unreadable,
       namespace_key, blob_count, da_height, size_bytes, occurred_at, observed_at, time_at, from_position,
       evidence_from_position, digest, block_from, block_to, shares, signed_shares)
     SELECT n, i, n, 'chain-' || n, 0, CASE WHEN failed THEN 6 ELSE 0 END, kind, CASE WHEN failed THEN 0 ELSE 1 END, false, false,
            2 * n - 1 + kind, CASE WHEN failed THEN NULL ELSE blobs END, CASE WHEN failed THEN NULL ELSE 1000 + batch END,
            CASE WHEN failed THEN NULL ELSE blobs * (CASE kind WHEN 0 THEN 366 ELSE 280 END) END, at, at, at, i, i,
            i * 1000 + n, CASE WHEN failed THEN NULL ELSE batch * ${BLOCKS_PER_ATTEMPT} + 1 END,
            CASE WHEN failed THEN NULL ELSE (batch + 1) * ${BLOCKS_PER_ATTEMPT} END,
            CASE WHEN failed THEN NULL ELSE blobs END, CASE WHEN failed THEN NULL ELSE blobs END
       FROM generate_series(1, $3::int) i, generate_series(1, $1::int) n,
            LATERAL (SELECT (i - 1) / 2 AS batch, (i - 1) % 2 AS kind, (i + n) % ${FAILURE_EVERY} = 0 AS failed) a,
            LATERAL (SELECT CASE a.kind WHEN 0 THEN ${BLOCKS_PER_ATTEMPT} ELSE ${BLOCKS_PER_ATTEMPT / 2} END AS blobs,
                            to_timestamp($2::bigint / 1000 + (batch + 1) * ${BLOCKS_PER_ATTEMPT * BLOCK_SECONDS} + 2
                                         + (n * 37 + i * 11) % 17) AS at) b`,
    [nodes, startMs, attempts],
  );
  return { blocks: blocks * nodes, submissions: attempts * nodes };
}

/** Rows per transaction of the year. */
const ROWS_OF_CHANGE = 100;

/** The transactions that wrote a year of rows. */
export async function fillYearOfChanges(
  query: Query,
  { rows, startMs }: { rows: number; startMs: number },
): Promise<void> {
  await query(
    `INSERT INTO record_change (change, at)
     SELECT c + 1, to_timestamp($2::bigint / 1000 + c * ${ROWS_OF_CHANGE} * ${YEAR_DAYS * DAY_SECONDS}.0 / $1::bigint)
       FROM generate_series(0, $1::bigint / ${ROWS_OF_CHANGE}) c`,
    [rows, startMs],
  );
}

/** Adds a year of submissions, the same number for each node, without their content. */
export async function fillYearOfSubmissions(
  query: Query,
  { nodes, rows, startMs }: { nodes: number; rows: number; startMs: number },
): Promise<void> {
  await withoutIndexes(query, 'submission', () =>
    query(
      `INSERT INTO submission (node_key, sequence, lineage_key, chain_id, ring, status, kind, evidence, wild_time, unreadable,
         namespace_key, blob_count, da_height, size_bytes, occurred_at, observed_at, time_at, from_position,
         evidence_from_position, digest, message, change)
       SELECT n, i / $1::int + 1, n, 'chain-' || n, 0, CASE WHEN failed THEN 6 ELSE 0 END, kind, 1, false, false,
              2 * n - 1 + kind, 3, 1000 + i / $1::int, 1000, at, at, at, i, i, i,
              CASE WHEN failed THEN 'failed to submit blobs: handler: websocket connection closed' END, i / ${ROWS_OF_CHANGE} + 1
         FROM generate_series(0, $2::bigint - 1) i,
              LATERAL (SELECT (i % $1::int + 1)::int AS n, (i / $1::int % 2)::int AS kind, i % ${FAILURE_EVERY} = 0 AS failed,
                              to_timestamp($3::bigint / 1000 + i * ${YEAR_DAYS * DAY_SECONDS}.0 / $2::bigint) AS at) a`,
      [nodes, rows, startMs],
    ),
  );
}

/** Adds a year of blocks, the same number for each node. All but the first are included, and walks have passed them. */
export async function fillYearOfBlocks(
  query: Query,
  { nodes, rows, startMs }: { nodes: number; rows: number; startMs: number },
): Promise<void> {
  await query("INSERT INTO proposer VALUES (1, '', '', 1, 1)");
  await query(
    `INSERT INTO inclusion_walk (node_key, lineage_key, first_height, last_height, from_start, frontier, gaps, header_holes, data_holes)
     SELECT n, n, 1, $2::bigint / $1::int, true, 1, '{}', '{}', '{}' FROM generate_series(1, $1::int) n`,
    [nodes, rows],
  );
  await withoutIndexes(query, 'block', () =>
    query(
      `INSERT INTO block (node_key, lineage_key, height, time_ns, header_da_height, data_da_height, tx_bytes, from_position,
                          proposer_key, tx_count, header_blob_bytes, data_blob_bytes, checks, hash, change)
       SELECT n, n, i / $1::int + 1, ($3::bigint * 1000000 + i * (${YEAR_DAYS * DAY_SECONDS}000000000 / $2::bigint))::bigint,
              1000 + i / $1::int, 1000 + i / $1::int, 0, i, 1, 0, 366, 0, 0, sha256(int8send(i)), i / ${ROWS_OF_CHANGE} + 1
         FROM generate_series(0, $2::bigint - 1) i, LATERAL (SELECT (i % $1::int + 1)::int AS n) a`,
      [nodes, rows, startMs],
    ),
  );
}

/** Rows of `statistic` for a day: successes with headers, with data, and failures. */
const KINDS = '(VALUES (0, 0), (1, 0), (0, 6)) AS k (kind, status)';

/** Adds a year of days for each node and each chain, with sketches of as many values as a day of the larger fill has. */
export async function fillYearOfDays(
  query: Query,
  { nodes, perDay, startMs }: { nodes: number; perDay: number; startMs: number },
): Promise<number> {
  const subjects = `(SELECT n AS node_key, 'chain-' || n AS chain, n FROM generate_series(1, $1::int) n
                     UNION ALL SELECT 0, 'chain-' || n, n FROM generate_series(1, $1::int) n) s`;
  const days = `(SELECT d, to_timestamp($2::bigint / 1000 + d * ${DAY_SECONDS}) AS at FROM generate_series(0, ${YEAR_DAYS - 1}) d) d`;
  const counts = 'attempts blob_count size_bytes measured_blobs measured_bytes shares_min shares_max'.split(
    ' ',
  );
  const costs = 'costed gas_min gas_max priced fee_min fee_max'.split(' ');
  const zeros = (
    'reconstructed undecided landed unreferenced unreadable reconstructed_shares gas_price_count gas_price_sum gas_unknown ' +
    'imported recorded fee_unknown wasted_fee_min wasted_fee_max failed failed_unknown failed_fee_max'
  ).split(' ');
  await withoutIndexes(query, 'statistic', () =>
    query(
      `INSERT INTO statistic (grain, bucket_at, node_key, chain, namespace_key, kind, status,
                              ${[...counts, ...costs, ...zeros].join(', ')}, fiat, lag_ms, blob_bytes)
       SELECT 2, d.at, s.node_key, s.chain, 2 * s.n - 1 + kind, kind, status,
              ${[...counts, ...costs].map(() => '$3::int').join(', ')}, ${zeros.map(() => '0').join(', ')}, '{}',
              CASE status WHEN 0 THEN ($4::bytea[])[1 + (s.n * 31 + d.d) % $5::int] END,
              CASE status WHEN 0 THEN ($4::bytea[])[1 + (s.n * 17 + d.d) % $5::int] END
         FROM ${subjects}, ${days}, ${KINDS}`,
      [nodes, startMs, perDay, SKETCHES.map((seed) => sketchOf(seed, perDay).encode()), SKETCHES.length],
    ),
  );
  await query(
    `INSERT INTO block_statistic
     SELECT 2, d.at, s.node_key, s.n, s.chain, 17280, 17280, 8640, 8640, 100000, 100000, (d.d + 1) * 17280,
            (d.d + 1) * 17280 - 3, (d.d + 1) * 17280 - 4 FROM ${subjects}, ${days}`,
    [nodes, startMs],
  );
  await query(
    `INSERT INTO coverage_interval (node, number, kind, list, ring, from_at, to_at, unstated, after_sequence)
     SELECT 'node-' || n, 0, 'LIST', 0, 'node-' || n || '/0', to_timestamp($2::bigint / 1000 + 1000),
            to_timestamp($2::bigint / 1000) + interval '${YEAR_DAYS} days', true, 0
       FROM generate_series(1, $1::int) n`,
    [nodes, startMs],
  );
  return nodes * 2 * YEAR_DAYS * 3;
}

const SKETCHES = Array.from({ length: 64 }, (_, seed) => seed);

/** Latencies with a long tail, in ms. */
function sketchOf(seed: number, count: number): Sketch {
  const sketch = Sketch.empty();
  for (let index = 0; index < count; index++) {
    const share = ((seed * 7919 + index * 104_729) % 10_007) / 10_007;
    sketch.add(Math.round(4_000 * Math.exp(share ** 3 * 2.5)));
  }
  return sketch;
}

/**
 * Drops a table's indexes, runs a fill and creates the indexes again, without change numbers for its rows. The table is no longer
 * written to the WAL.
 */
async function withoutIndexes(query: Query, table: string, insert: () => Promise<unknown>): Promise<void> {
  const indexes = await query<{ name: string; sql: string; constraint: string | null }>(
    `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid) AS sql,
            (SELECT format('ALTER TABLE %s ADD %s', conrelid::regclass, pg_get_constraintdef(oid))
               FROM pg_constraint WHERE conindid = i.indexrelid AND contype = 'p') AS constraint
       FROM pg_index i WHERE i.indrelid = $1::regclass`,
    [table],
  );
  await query(`ALTER TABLE ${table} SET UNLOGGED`);
  for (const { name, constraint } of indexes) {
    await query(constraint ? `ALTER TABLE ${table} DROP CONSTRAINT ${name}` : `DROP INDEX ${name}`);
  }
  // Row triggers would take long; statement triggers make the spans that lists are walked by.
  const triggers = await query<{ name: string }>(
    "SELECT tgname AS name FROM pg_trigger WHERE tgrelid = $1::regclass AND tgname LIKE '%takes_a_number'",
    [table],
  );
  for (const { name } of triggers) await query(`ALTER TABLE ${table} DISABLE TRIGGER ${name}`);
  await insert();
  for (const { name } of triggers) await query(`ALTER TABLE ${table} ENABLE TRIGGER ${name}`);
  for (const { sql, constraint } of indexes) await query(constraint ?? sql);
}
