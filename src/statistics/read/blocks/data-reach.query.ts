import type { Query } from '../../../platform/sql.js';

/** A question for how far data is included: over blocks without transactions, for these have no data to post. */
export interface Reach {
  readonly name: string;
  /** 0: by the blocks of all nodes. */
  readonly nodeKey: number;
  readonly lineageKey: number;
  /** Data is posted up to here. */
  readonly after: bigint;
  /** No need to look further than this. */
  readonly upTo: bigint;
}

/** The last height before the next block with transactions, by the name of the question; `upTo` where there is none. */
export async function getReaches(
  query: Query,
  reaches: readonly Reach[],
): Promise<ReadonlyMap<string, bigint>> {
  const wanted = [...new Map(reaches.map((reach) => [reach.name, reach])).values()];
  if (wanted.length === 0) return new Map();
  const rows = await query<{ name: string; reached: string }>(
    // One entry of block_data_idx for each node: never a walk over the blocks without transactions.
    `SELECT wanted.name, min(coalesce(seen.next - 1, wanted.up_to)) AS reached
       FROM unnest($1::text[], $2::int[], $3::int[], $4::bigint[], $5::bigint[])
            AS wanted (name, node_key, lineage_key, after, up_to)
       JOIN inclusion_walk w ON w.lineage_key = wanted.lineage_key AND wanted.node_key IN (0, w.node_key)
       CROSS JOIN LATERAL (
         SELECT min(b.height) AS next FROM block b
          WHERE b.node_key = w.node_key AND b.lineage_key = w.lineage_key AND b.tx_count > 0
            AND b.height > wanted.after AND b.height <= wanted.up_to
       ) AS seen
      GROUP BY wanted.name`,
    [
      wanted.map(({ name }) => name),
      wanted.map(({ nodeKey }) => nodeKey),
      wanted.map(({ lineageKey }) => lineageKey),
      wanted.map(({ after }) => after),
      wanted.map(({ upTo }) => upTo),
    ],
  );
  return new Map(rows.map(({ name, reached }) => [name, BigInt(reached)]));
}
