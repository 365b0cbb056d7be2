import type { InclusionWalk, WalkedBlock } from '../../../domain/evidence/inclusion-walk.js';
import { columnsOf, selectList } from '../../../platform/rows/row-columns.js';
import { BlockEntity } from '../../../tables/record/block.entity.js';
import type { InclusionWalkEntity } from '../../../tables/record/inclusion-walk.entity.js';
import type { Query } from '../../projection.js';
import { INCLUSION } from './blocks.js';
import type { BlocksFact } from './facts.js';

/** One node's blocks of one lineage: its walk, and those of its blocks that a batch needs. */
export interface NodeBlocks
  extends InclusionWalk, Pick<InclusionWalkEntity, 'nodeKey' | 'lineageKey' | 'lastHeight'> {
  /** Blocks recorded in this batch or loaded for it. */
  readonly blocks: Map<bigint, KnownBlock>;
  /** Heights above which more blocks may be included than were loaded. */
  readonly cuts: Set<bigint>;
}

/** A block as far as its inclusion goes. */
export interface KnownBlock
  extends
    Omit<WalkedBlock, 'headerDaHeight' | 'dataDaHeight'>,
    Pick<BlockEntity, 'timeNs' | 'headerBlobBytes' | 'dataBlobBytes' | (typeof INCLUSION)[number]> {}

/** A block of a node's lineage. */
type BlockKey = Pick<BlockEntity, 'nodeKey' | 'lineageKey' | 'height'>;

const SELECT_BLOCK = `${selectList(BlockEntity, 'b', [
  'nodeKey',
  'lineageKey',
  'height',
  'timeNs',
  'headerBlobBytes',
  'dataBlobBytes',
  ...INCLUSION,
])}, b.tx_count > 0 AS "hasData"`;
const WANTED_COLUMNS = columnsOf(BlockEntity, 'nodeKey', 'lineageKey', 'height');

/** Blocks that are loaded ahead above each height that a walk may reach. */
const BLOCKS_AHEAD = 500n;
/** Blocks in memory at a time while a walk goes on over those that were recorded earlier. */
const BLOCKS_OF_RUN = 5_000n;

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

  async load(query: Query): Promise<(BlockKey & KnownBlock)[]> {
    const single: BlockKey[] = [];
    const ends: BlockKey[] = [];
    for (const [walk, heights] of this.heights) {
      for (const height of heights) {
        if (height >= walk.firstHeight && height <= walk.lastHeight) single.push(keyOf(walk, height));
      }
      for (const height of endsOf(walk, heights)) ends.push(keyOf(walk, height));
    }
    const blocks = single.length > 0 ? await getBlocks(single, query) : [];
    if (ends.length === 0) return blocks;
    for (const [walk, heights] of this.heights) {
      for (const height of endsOf(walk, heights)) walk.cuts.add(height + BLOCKS_AHEAD);
    }
    return [...(await getRuns(ends, BLOCKS_AHEAD, query)), ...blocks];
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

function getBlocks(keys: readonly BlockKey[], query: Query): Promise<(BlockKey & KnownBlock)[]> {
  const wanted = WANTED_COLUMNS.unnest(keys, 'w');
  return query(
    `SELECT ${SELECT_BLOCK} FROM ${wanted.sql} JOIN block b USING (node_key, lineage_key, height)`,
    wanted.parameters,
  );
}

/** The blocks right above a walk that were recorded before this batch and are included, as far as memory allows. */
export async function loadRun(walk: NodeBlocks, query: Query): Promise<Map<bigint, KnownBlock>> {
  const { frontier } = walk;
  const run = await getRuns([keyOf(walk, frontier)], BLOCKS_OF_RUN, query);
  walk.cuts.delete(frontier);
  if (BigInt(run.length) === BLOCKS_OF_RUN) walk.cuts.add(frontier + BLOCKS_OF_RUN);
  return new Map(run.map((block) => [block.height, block]));
}

/** The recorded blocks right above each height that are included, without a gap; so many heights above it at most. */
function getRuns(ends: readonly BlockKey[], most: bigint, query: Query): Promise<(BlockKey & KnownBlock)[]> {
  const wanted = WANTED_COLUMNS.unnest(ends, 'w');
  return query(
    `SELECT ${SELECT_BLOCK} FROM ${wanted.sql}
       JOIN LATERAL (
         SELECT * FROM block i
          WHERE i.node_key = w.node_key AND i.lineage_key = w.lineage_key
            AND i.height > w.height AND i.height - ${most} <= w.height AND i.height < coalesce(
              (SELECT o.height FROM block o
                WHERE o.node_key = w.node_key AND o.lineage_key = w.lineage_key
                  AND o.height > w.height AND o.height - ${most} <= w.height
                  AND (o.header_da_height IS NULL OR (o.data_da_height IS NULL AND o.tx_count > 0))
                ORDER BY o.height LIMIT 1), 9223372036854775807)
       ) b ON true`,
    wanted.parameters,
  );
}

function keyOf({ nodeKey, lineageKey }: NodeBlocks, height: bigint): BlockKey {
  return { nodeKey, lineageKey, height };
}
