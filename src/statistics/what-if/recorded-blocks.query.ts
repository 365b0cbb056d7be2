import type { BlockSizes } from '../../domain/cost/measured-block.js';
import type { Query } from '../../platform/sql.js';

/** Blocks of a chain whose time lies from `fromNs` up to, but without, `toNs`. Unix nanoseconds. */
export interface BlockRange {
  readonly chain: string;
  /** Nodes that may have shown blocks of the chain. */
  readonly nodeKeys: readonly number[];
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

/** The blocks of one lineage in a range. */
export interface LineageSpan {
  readonly lineageKey: number;
  /** Nodes that showed them. */
  readonly nodeKeys: readonly number[];
  readonly firstHeight: bigint;
  readonly lastHeight: bigint;
  /** Blocks of the node that has most of them; together they may have more. */
  readonly fewest: number;
}

/** A block, once, whichever nodes showed it. */
export interface RecordedBlock extends BlockSizes {
  readonly txCount: number;
  /** Whether its header and its data, if it has transactions, are known to be on the DA layer. */
  readonly isIncluded: boolean;
}

interface SpanRow {
  readonly lineage_key: number;
  readonly node_keys: number[];
  readonly first_height: string;
  readonly last_height: string;
  readonly fewest: string;
}

interface BlockRow {
  readonly height: string;
  readonly time_ns: string;
  readonly header_blob_bytes: number | null;
  readonly data_blob_bytes: number | null;
  readonly tx_count: number;
  readonly is_included: boolean;
}

/** Blocks that are fetched at once: few, so that other requests are answered in between. */
const PAGE_BLOCKS = 5_000;

/** The lineages that have blocks in the range, the oldest first. */
export async function getLineageSpans(query: Query, range: BlockRange): Promise<LineageSpan[]> {
  const rows = await query<SpanRow>(
    `SELECT lineage_key, array_agg(node_key) AS node_keys, min(first_height) AS first_height,
            max(last_height) AS last_height, max(blocks) AS fewest
       FROM (SELECT b.node_key, b.lineage_key, min(b.height) AS first_height, max(b.height) AS last_height, count(*) AS blocks
               FROM block b
              WHERE b.node_key = ANY ($2) AND b.time_ns >= $3 AND b.time_ns < $4
              GROUP BY b.node_key, b.lineage_key) shown
       JOIN lineage USING (lineage_key)
      WHERE chain_id = $1
      GROUP BY lineage_key, n ORDER BY n`,
    [range.chain, range.nodeKeys, String(range.fromNs), String(range.toNs)],
  );
  return rows.map((row) => ({
    lineageKey: row.lineage_key,
    nodeKeys: row.node_keys,
    firstHeight: BigInt(row.first_height),
    lastHeight: BigInt(row.last_height),
    fewest: Number(row.fewest),
  }));
}

/** The blocks of a lineage in the range by rising height, page by page. */
export async function* readBlocks(
  query: Query,
  { fromNs, toNs }: Pick<BlockRange, 'fromNs' | 'toNs'>,
  { lineageKey, nodeKeys, firstHeight, lastHeight }: LineageSpan,
): AsyncGenerator<RecordedBlock[]> {
  let after = firstHeight - 1n;
  for (;;) {
    // Each node gives its own lowest heights, so the lowest of all are among them. They follow its primary key.
    const rows = await query<BlockRow>(
      `SELECT b.height, min(b.time_ns) AS time_ns, max(b.header_blob_bytes) AS header_blob_bytes,
              max(b.data_blob_bytes) AS data_blob_bytes, max(b.tx_count) AS tx_count, bool_or(b.is_included) AS is_included
         FROM unnest($1::int[]) AS n (node_key) CROSS JOIN LATERAL (
           SELECT height, time_ns, header_blob_bytes, data_blob_bytes, tx_count,
                  header_da_height IS NOT NULL AND (tx_count = 0 OR data_da_height IS NOT NULL) AS is_included
             FROM block
            WHERE node_key = n.node_key AND lineage_key = $2 AND height > $3 AND height <= $4
              AND time_ns >= $5 AND time_ns < $6
            ORDER BY height LIMIT ${PAGE_BLOCKS}) b
        GROUP BY b.height ORDER BY b.height LIMIT ${PAGE_BLOCKS}`,
      [nodeKeys, lineageKey, ...[after, lastHeight, fromNs, toNs].map(String)],
    );
    const blocks = rows.map(toBlock);
    if (blocks.length > 0) yield blocks;
    const last = blocks.at(-1);
    if (!last || blocks.length < PAGE_BLOCKS) return;
    after = last.height;
  }
}

/** Times of the lowest and the highest recorded block of a chain, in Unix nanoseconds; null without any. */
export async function findExtent(
  query: Query,
  { chain, nodeKeys }: Pick<BlockRange, 'chain' | 'nodeKeys'>,
): Promise<{ readonly firstNs: bigint; readonly lastNs: bigint } | null> {
  const edge = (order: string): string =>
    `(SELECT time_ns FROM block WHERE node_key = n.node_key AND lineage_key = l.lineage_key ORDER BY height ${order} LIMIT 1)`;
  const [row] = await query<{ first_ns: string | null; last_ns: string | null }>(
    `SELECT min(${edge('ASC')}) AS first_ns, max(${edge('DESC')}) AS last_ns
       FROM lineage l CROSS JOIN unnest($2::int[]) AS n (node_key) WHERE l.chain_id = $1`,
    [chain, nodeKeys],
  );
  if (!row || row.first_ns === null || row.last_ns === null) return null;
  return { firstNs: BigInt(row.first_ns), lastNs: BigInt(row.last_ns) };
}

function toBlock(row: BlockRow): RecordedBlock {
  return {
    height: BigInt(row.height),
    timeNs: BigInt(row.time_ns),
    headerBlobBytes: row.header_blob_bytes,
    dataBlobBytes: row.data_blob_bytes,
    txCount: row.tx_count,
    isIncluded: row.is_included,
  };
}
