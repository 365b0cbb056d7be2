import type { InclusionWalk, WalkedBlock } from '../../domain/evidence/inclusion-walk.js';
import { column, unnestRows } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import type { BlocksFact } from './record-facts.js';

/** One node's blocks of one lineage: its walk, and those of its blocks that a batch needs. */
export interface NodeBlocks extends InclusionWalk {
  readonly nodeKey: number;
  readonly lineageKey: number;
  lastHeight: bigint;
  /** Blocks recorded in this batch or loaded for it. */
  readonly blocks: Map<bigint, KnownBlock>;
}

/** A block as far as its inclusion goes. */
export interface KnownBlock extends WalkedBlock {
  readonly timeNs: bigint;
  readonly headerBytes: number | null;
  readonly dataBytes: number | null;
  headerDaHeight: bigint | null;
  dataDaHeight: bigint | null;
}

const BLOCK_COLUMNS = `b.node_key, b.lineage_key, b.height, b.time_ns, b.header_da_height, b.data_da_height,
  b.tx_count > 0 AS has_data, b.header_blob_bytes, b.data_blob_bytes`;

export interface BlockRow {
  node_key: number;
  lineage_key: number;
  height: string;
  time_ns: string;
  header_da_height: string | null;
  data_da_height: string | null;
  has_data: boolean;
  header_blob_bytes: number | null;
  data_blob_bytes: number | null;
}

interface WantedBlock {
  readonly walk: NodeBlocks;
  readonly height: bigint;
}

const WANTED_COLUMNS = [
  column('node_key', 'int4', (row: WantedBlock) => row.walk.nodeKey),
  column('lineage_key', 'int4', (row: WantedBlock) => row.walk.lineageKey),
  column('height', 'int8', (row: WantedBlock) => row.height),
];

/** Which recorded blocks a batch needs to know. */
export class WantedBlocks {
  private readonly heights = new Map<NodeBlocks, Set<bigint>>();

  addBlocks(walk: NodeBlocks, fact: BlocksFact): void {
    const heights = this.of(walk);
    for (const { height } of fact.blocks) heights.add(height);
    // A gap that lies ahead lets the walk step to what is above it.
    for (const { to } of walk.gaps) heights.add(to);
  }

  /** A gap is news to the walk as a block is; what counts of it is where it ends. */
  addGap(walk: NodeBlocks, { from, to }: { from: bigint; to: bigint }): void {
    const heights = this.of(walk);
    if (from <= walk.frontier + 1n && to > walk.frontier) heights.add(walk.frontier + 1n);
    heights.add(to);
  }

  private of(walk: NodeBlocks): Set<bigint> {
    const heights = this.heights.get(walk) ?? new Set();
    this.heights.set(walk, heights);
    return heights;
  }

  async load(query: Query): Promise<BlockRow[]> {
    const single: WantedBlock[] = [];
    const ends: WantedBlock[] = [];
    for (const [walk, heights] of this.heights) {
      for (const height of heights) {
        if (height >= walk.firstHeight && height <= walk.lastHeight) single.push({ walk, height });
      }
      for (const height of endsOf(walk, heights)) ends.push({ walk, height });
    }
    const blocks = single.length > 0 ? await getBlocks(single, query) : [];
    return ends.length > 0 ? [...(await getRuns(ends, query)), ...blocks] : blocks;
  }
}

/**
 * The heights above which a walk may go on over blocks recorded earlier: the ends of the runs of news, if the news
 * are what it waits for.
 */
function endsOf(walk: NodeBlocks, heights: ReadonlySet<bigint>): bigint[] {
  const sorted = [...heights].sort((a, b) => (a < b ? -1 : 1));
  const lowest = sorted[0] ?? walk.firstHeight;
  const next = lowest < walk.firstHeight ? lowest : walk.frontier + 1n;
  if (!heights.has(next)) return [];
  return sorted.filter((height) => height >= next && !heights.has(height + 1n));
}

function getBlocks(wanted: readonly WantedBlock[], query: Query): Promise<BlockRow[]> {
  const heights = unnestRows(WANTED_COLUMNS, wanted, 'w');
  return query<BlockRow>(
    `SELECT ${BLOCK_COLUMNS} FROM ${heights.sql} JOIN block b USING (node_key, lineage_key, height)`,
    heights.parameters,
  );
}

/** The recorded blocks right above each height that are included, without a gap. */
function getRuns(ends: readonly WantedBlock[], query: Query): Promise<BlockRow[]> {
  const wanted = unnestRows(WANTED_COLUMNS, ends, 'w');
  return query<BlockRow>(
    `SELECT ${BLOCK_COLUMNS} FROM ${wanted.sql}
       JOIN LATERAL (
         SELECT * FROM block i
          WHERE i.node_key = w.node_key AND i.lineage_key = w.lineage_key AND i.height > w.height
            AND i.height < coalesce(
              (SELECT o.height FROM block o
                WHERE o.node_key = w.node_key AND o.lineage_key = w.lineage_key AND o.height > w.height
                  AND (o.header_da_height IS NULL OR (o.data_da_height IS NULL AND o.tx_count > 0))
                ORDER BY o.height LIMIT 1), 9223372036854775807)
       ) b ON true`,
    wanted.parameters,
  );
}

export function toKnownBlock(row: BlockRow): KnownBlock {
  return {
    timeNs: BigInt(row.time_ns),
    hasData: row.has_data,
    headerBytes: row.header_blob_bytes,
    dataBytes: row.data_blob_bytes,
    headerDaHeight: row.header_da_height === null ? null : BigInt(row.header_da_height),
    dataDaHeight: row.data_da_height === null ? null : BigInt(row.data_da_height),
  };
}
