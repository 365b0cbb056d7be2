import type { BlockSizes } from '../../domain/cost/measured-block.js';
import type { Nanos } from '../../domain/time.js';
import type { Query } from '../../platform/sql.js';

/** Blocks of a chain from `fromNs` (inclusive) to `toNs` (exclusive). */
export interface BlockRange {
  readonly chain: string;
  /** Nodes that may have shown blocks of the chain. */
  readonly nodeKeys: readonly number[];
  readonly fromNs: Nanos;
  readonly toNs: Nanos;
}

/** The blocks of one lineage in a range. */
export interface LineageSpan {
  readonly lineageKey: number;
  /** Nodes that showed these blocks. */
  readonly nodeKeys: readonly number[];
  readonly firstHeight: bigint;
  readonly lastHeight: bigint;
  /** Blocks of the node that has the most; all nodes together may have more. */
  readonly fewest: number;
}

/** A block, once, whichever nodes showed it. */
export interface WhatIfBlock extends BlockSizes {
  readonly txCount: number;
  /** Whether its header and its data, if it has transactions, are known to be on the DA layer. */
  readonly isIncluded: boolean;
}

/** Blocks that are fetched at once: few, so that other requests are answered in between. */
const PAGE_BLOCKS = 5_000;

/** The lineages that have blocks in the range, the oldest first. */
export function getLineageSpans(query: Query, range: BlockRange): Promise<LineageSpan[]> {
  return query<LineageSpan>(
    `SELECT lineage_key AS "lineageKey", array_agg(node_key) AS "nodeKeys", min(first_height) AS "firstHeight",
            max(last_height) AS "lastHeight", max(blocks)::int AS fewest
       FROM (SELECT b.node_key, b.lineage_key, min(b.height) AS first_height, max(b.height) AS last_height, count(*) AS blocks
               FROM block b
              WHERE b.node_key = ANY ($2) AND b.time_ns >= $3 AND b.time_ns < $4
              GROUP BY b.node_key, b.lineage_key) shown
       JOIN lineage USING (lineage_key)
      WHERE chain_id = $1
      GROUP BY lineage_key, n ORDER BY n`,
    [range.chain, range.nodeKeys, range.fromNs, range.toNs],
  );
}

/** The blocks of a lineage in the range by rising height, page by page. */
export async function* readBlocks(
  query: Query,
  { fromNs, toNs }: Pick<BlockRange, 'fromNs' | 'toNs'>,
  { lineageKey, nodeKeys, firstHeight, lastHeight }: LineageSpan,
): AsyncGenerator<WhatIfBlock[]> {
  let after = firstHeight - 1n;
  for (;;) {
    // Each node gives its own lowest heights, by the primary key, so the lowest heights of all nodes are among them.
    const blocks = await query<WhatIfBlock>(
      `SELECT b.height, min(b.time_ns) AS "timeNs", max(b.header_blob_bytes) AS "headerBlobBytes",
              max(b.data_blob_bytes) AS "dataBlobBytes", max(b.tx_count) AS "txCount",
              bool_or(b.is_included) AS "isIncluded"
         FROM unnest($1::int[]) AS n (node_key) CROSS JOIN LATERAL (
           SELECT height, time_ns, header_blob_bytes, data_blob_bytes, tx_count,
                  header_da_height IS NOT NULL AND (tx_count = 0 OR data_da_height IS NOT NULL) AS is_included
             FROM block
            WHERE node_key = n.node_key AND lineage_key = $2 AND height > $3 AND height <= $4
              AND time_ns >= $5 AND time_ns < $6
            ORDER BY height LIMIT ${PAGE_BLOCKS}) b
        GROUP BY b.height ORDER BY b.height LIMIT ${PAGE_BLOCKS}`,
      [nodeKeys, lineageKey, after, lastHeight, fromNs, toNs],
    );
    if (blocks.length > 0) yield blocks;
    const last = blocks.at(-1);
    if (!last || blocks.length < PAGE_BLOCKS) return;
    after = last.height;
  }
}

/** Times of the lowest and the highest recorded block of a chain; null without any. */
export async function findExtent(
  query: Query,
  { chain, nodeKeys }: Pick<BlockRange, 'chain' | 'nodeKeys'>,
): Promise<{ readonly firstNs: Nanos; readonly lastNs: Nanos } | null> {
  const edge = (order: string): string =>
    `(SELECT time_ns FROM block WHERE node_key = n.node_key AND lineage_key = l.lineage_key ORDER BY height ${order} LIMIT 1)`;
  const [row] = await query<{ firstNs: Nanos | null; lastNs: Nanos | null }>(
    `SELECT min(${edge('ASC')}) AS "firstNs", max(${edge('DESC')}) AS "lastNs"
       FROM lineage l CROSS JOIN unnest($2::int[]) AS n (node_key) WHERE l.chain_id = $1`,
    [chain, nodeKeys],
  );
  const { firstNs = null, lastNs = null } = row ?? {};
  return firstNs === null || lastNs === null ? null : { firstNs, lastNs };
}
