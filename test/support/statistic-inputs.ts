import type { Query } from '../../src/platform/sql.js';

/** The inputs of figures, by subject and quarter hour: `<node key or 0> <chain> <quarter>` and a digest. */
export type StatisticInputs = ReadonlyMap<string, string>;

/** Rows with their chain and with the content of the blocks at their DA height. */
const ROWS = `
  SELECT s.*, coalesce(s.chain_id, '') AS chain,
         concat_ws(' | ', s.status, s.kind, s.evidence, 'n' || s.namespace_key, 'c' || s.blob_count, 's' || s.size_bytes,
           'd' || s.da_height, s.shares || '/' || s.signed_shares, s.block_from || '-' || s.block_to, 'f' || s.first_attempt_at,
           'g' || s.gas_price, s.time_at, coalesce(s.chain_id, '?'), h.blobs, d.blobs) AS content
    FROM submission s LEFT JOIN lineage l USING (lineage_key)
    LEFT JOIN LATERAL (
      SELECT string_agg(DISTINCT concat_ws(',', b.height, b.time_ns, b.header_blob_bytes), ';') AS blobs FROM block b
       WHERE b.lineage_key = s.lineage_key AND b.header_da_height = s.da_height AND (s.status = 0 OR s.evidence = 1)) h ON true
    LEFT JOIN LATERAL (
      SELECT string_agg(DISTINCT concat_ws(',', b.height, b.time_ns, b.data_blob_bytes), ';') AS blobs FROM block b
       WHERE b.lineage_key = s.lineage_key AND b.data_da_height = s.da_height AND b.tx_count > 0
         AND (s.status = 0 OR s.evidence = 1)) d ON true
   WHERE s.to_position IS NULL`;

/** The same attempt of several nodes counts once; the k-th of one node is the k-th of another. */
const COUNTED = `
  SELECT * FROM (
    SELECT *, row_number() OVER (PARTITION BY chain, occurred_at, digest, k ORDER BY wild_time, time_at, node_key) AS place
      FROM (SELECT *, row_number() OVER (PARTITION BY chain, occurred_at, digest, node_key
                                         ORDER BY wild_time, time_at, sequence) AS k FROM rows) numbered
  ) placed WHERE place = 1 OR occurred_at IS NULL OR digest IS NULL`;

const SQL = `
  WITH rows AS (${ROWS}),
  parts AS (
    SELECT node_key, '' AS chain, time_at AS at, content FROM rows WHERE node_key IS NOT NULL
    UNION ALL
    SELECT 0, chain, time_at, content FROM (${COUNTED}) counted WHERE chain <> ''
    UNION ALL
    SELECT node_key, '', to_timestamp(time_ns / 1e9),
           concat_ws(' ', lineage_key, height, tx_count, tx_bytes, header_da_height IS NULL, data_da_height IS NULL)
      FROM block
    UNION ALL
    SELECT 0, chain_id, to_timestamp(min(time_ns) / 1e9),
           concat_ws(' ', lineage_key, height, max(tx_count), max(tx_bytes), max(header_da_height) IS NULL,
                     max(data_da_height) IS NULL)
      FROM block JOIN lineage USING (lineage_key) GROUP BY chain_id, lineage_key, height
  )
  SELECT concat_ws(' ', node_key, chain, floor(extract(epoch FROM at) / 900)) AS key,
         md5(string_agg(content, E'\\n' ORDER BY content)) AS digest
    FROM parts GROUP BY 1`;

export async function readStatisticInputs(query: Query): Promise<StatisticInputs> {
  const rows = await query<{ key: string; digest: string }>(SQL);
  return new Map(rows.map(({ key, digest }) => [key, digest]));
}

/** Removes the marks from their table, and returns them in the same form. */
export async function takeMarks(query: Query): Promise<string[]> {
  const rows = await query<{ key: string }>(
    `WITH gone AS (DELETE FROM roll_up_mark RETURNING *)
     SELECT concat_ws(' ', node_key, chain, floor(extract(epoch FROM quarter_at) / 900)) AS key FROM gone`,
  );
  return rows.map(({ key }) => key);
}

/** Subjects and quarter hours whose inputs have changed. */
export function changedInputs(before: StatisticInputs, after: StatisticInputs): string[] {
  const keys = new Set([...before.keys(), ...after.keys()]);
  return [...keys].filter((key) => before.get(key) !== after.get(key));
}
