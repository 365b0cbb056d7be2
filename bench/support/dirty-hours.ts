import type { DataSource } from 'typeorm';
import { SKETCH_LOG_GAMMA } from '../../src/domain/statistics/sketch.js';
import { inTransaction } from '../../src/platform/sql.js';
import { RollUp } from '../../src/statistics/roll-up/roll-up.js';
import { round, type Figure } from './figures.js';
import { medianOf, playRounds, ratioOf, wallMs } from './rounds.js';
import { fill, fillHours, fillNodes } from './statistics-world.js';

const HOURS = 2;
const ROUNDS = 3;
const START_MS = Date.UTC(2026, 0, 1);

/**
 * Computes the last hour of each node and of each chain again: by the roll-up, and by one handwritten statement for each kind of
 * figure, which reads all nodes at once.
 */
export async function measureDirtyHours(dataSource: DataSource, nodes: number): Promise<Figure[]> {
  const filled = await fill(dataSource, async (query) => {
    await fillNodes(query, nodes);
    return fillHours(query, { nodes, hours: HOURS, startMs: START_MS });
  });
  const rollUp = new RollUp(dataSource);
  const first = await wallMs(() => rollUp.run());
  let buckets = 0;
  const costs = await playRounds(
    [
      {
        name: 'roll-up',
        run: async () => {
          await markLastHour(dataSource, nodes);
          return wallMs(async () => (buckets = await rollUp.run()));
        },
      },
      { name: 'by hand', run: () => wallMs(() => aggregateByHand(dataSource)) },
    ],
    ROUNDS,
  );
  const [ours, byHand] = [medianOf(costs, 'roll-up'), medianOf(costs, 'by hand')];
  const rows = Math.round(filled.submissions / HOURS);
  return [
    {
      what: `a dirty hour of ${nodes.toLocaleString('en')} nodes and their chains, against SQL by hand`,
      ours: `${round(ours / 1_000)} s`,
      peer: `${round(byHand / 1_000)} s`,
      value: ratioOf(costs, 'roll-up', 'by hand'),
      detail:
        `${rows.toLocaleString('en')} submissions and ${Math.round(filled.blocks / HOURS).toLocaleString('en')} blocks in the hour, ` +
        `${buckets.toLocaleString('en')} buckets (quarters, hours, days), ${round(rows / (ours / 1_000))} submissions/s; ` +
        `the first ${HOURS} hours together took ${round(first / 1_000)} s`,
    },
  ];
}

async function markLastHour(dataSource: DataSource, nodes: number): Promise<void> {
  await dataSource.query(
    `INSERT INTO roll_up_mark (node_key, chain, quarter_at)
     SELECT s.*, to_timestamp($2::float8) + q * interval '15 minutes'
       FROM generate_series(0, 3) q,
            (SELECT n, '' FROM generate_series(1, $1::int) n
             UNION ALL SELECT 0, 'chain-' || n FROM generate_series(1, $1::int) n) s`,
    [nodes, START_MS / 1_000 + (HOURS - 1) * 3_600],
  );
}

const QUARTER = "date_bin('15 minutes', time_at, '2000-01-01Z')";
const KEY = 'node_key, chain, quarter, namespace_key, kind, status';

/** The figures of the roll-up without cost: sums, bins of lags and sizes, blocks; for nodes, then for chains. */
async function aggregateByHand(dataSource: DataSource): Promise<void> {
  const bin = (value: string): string =>
    `floor(ln(greatest(${value}, 1)::float8) / ${SKETCH_LOG_GAMMA}::float8)`;
  await inTransaction(dataSource, async (query) => {
    await query("SELECT set_config('statement_timeout', '0', true), set_config('jit', 'off', true)");
    const from = START_MS / 1_000 + (HOURS - 1) * 3_600;
    for (const [owner, target] of [
      ['s.node_key', 'of_nodes'],
      ['0', 'of_chains'],
    ] as const) {
      await query(
        `CREATE TEMP TABLE ${target} ON COMMIT DROP AS
         WITH r AS (SELECT ${owner} AS node_key, lineage.chain_id AS chain, ${QUARTER} AS quarter, namespace_key, kind, status,
                           lineage_key, da_height, block_from, block_to, time_at, blob_count, size_bytes, shares
                      FROM submission s JOIN lineage USING (lineage_key)
                     WHERE time_at >= to_timestamp($1::float8) AND time_at < to_timestamp($1::float8) + interval '1 hour')
         SELECT ${KEY}, NULL::float8 AS lag, NULL::float8 AS size, count(*), sum(blob_count) AS blobs, sum(size_bytes) AS bytes,
                sum(shares) AS shares, sum(size_bytes) FILTER (WHERE blob_count IS NOT NULL) AS measured, max(time_at)
           FROM r GROUP BY ${KEY}
         UNION ALL
         SELECT ${KEY}, ${bin('extract(epoch FROM time_at) * 1000 - b.time_ns / 1000000')},
                ${bin('CASE kind WHEN 0 THEN header_blob_bytes ELSE data_blob_bytes END')}, count(*), NULL, NULL, NULL, NULL, NULL
           FROM r
           JOIN (SELECT lineage_key, height, header_da_height, tx_count, time_ns, header_blob_bytes, data_blob_bytes FROM block) b
             ON b.lineage_key = r.lineage_key AND b.header_da_height = r.da_height
                AND b.height BETWEEN r.block_from AND r.block_to AND (r.kind = 0 OR b.tx_count > 0)
          WHERE status = 0 GROUP BY ${KEY}, 7, 8`,
        [from],
      );
      await query(
        `CREATE TEMP TABLE ${target}_blocks ON COMMIT DROP AS
         SELECT ${owner} AS node_key, lineage.chain_id AS chain, time_ns / 900000000000 AS quarter, lineage_key, count(*) AS produced,
                count(*) FILTER (WHERE header_da_height IS NOT NULL) AS included, sum(tx_count) AS transactions,
                sum(tx_bytes) AS bytes, max(height) AS height
           FROM block s JOIN lineage USING (lineage_key)
          WHERE time_ns >= $1::bigint * 1000000000 AND time_ns < ($1::bigint + 3600) * 1000000000 GROUP BY 1, 2, 3, 4`,
        [from],
      );
    }
  });
}
