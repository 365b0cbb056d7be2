import type { InclusionWalk } from '../../../domain/evidence/inclusion-walk.js';
import { columnsOf, selectList } from '../../../platform/rows/row-columns.js';
import { BlockEntity, type InclusionWalkEntity } from '../../../tables/record.entities.js';
import type { Query } from '../../projection.js';
import { INCLUSION } from './blocks.js';

/** A node's walk through one lineage, with the blocks that a batch needs. */
export interface NodeBlocks
  extends InclusionWalk, Pick<InclusionWalkEntity, 'nodeKey' | 'lineageKey' | 'lastHeight' | 'recorded'> {
  /** Blocks recorded in this batch or loaded for it. */
  readonly blocks: Map<bigint, WalkBlock>;
}

const KNOWN = [
  'nodeKey',
  'lineageKey',
  'height',
  'timeNs',
  'txCount',
  'headerBlobBytes',
  'dataBlobBytes',
  ...INCLUSION,
] as const satisfies readonly (keyof BlockEntity)[];

/** The columns of a block that concern its inclusion. */
export interface WalkBlock extends Pick<BlockEntity, (typeof KNOWN)[number]> {
  /** Whether the block is in the table already; if not, it is inserted in its final form at the end of the batch. */
  readonly isStored?: true;
}

const SELECT_BLOCK = `${selectList(BlockEntity, 'b', KNOWN)}, true AS "isStored"`;
const WANTED_COLUMNS = columnsOf(BlockEntity, 'nodeKey', 'lineageKey', 'height');

/** The most blocks in memory while a walk continues over blocks recorded earlier. */
const BLOCKS_OF_RUN = 5_000n;

export function loadBlocks(
  wanted: ReadonlyMap<NodeBlocks, ReadonlySet<bigint>>,
  query: Query,
): Promise<WalkBlock[]> {
  const keys = [...wanted].flatMap(([{ nodeKey, lineageKey, firstHeight, lastHeight }, heights]) =>
    [...heights]
      .filter((height) => height >= firstHeight && height <= lastHeight)
      .map((height) => ({ nodeKey, lineageKey, height })),
  );
  if (keys.length === 0) return Promise.resolve([]);
  const list = WANTED_COLUMNS.unnest(keys, 'w');
  return query(
    `SELECT ${SELECT_BLOCK} FROM ${list.sql} JOIN block b USING (node_key, lineage_key, height)`,
    list.parameters,
  );
}

/** The included blocks directly above a walk's frontier that were recorded before this batch, as many as memory allows. */
export async function loadRun(
  { nodeKey, lineageKey, frontier }: NodeBlocks,
  query: Query,
): Promise<Map<bigint, WalkBlock>> {
  const above = `node_key = $1 AND lineage_key = $2 AND height > $3 AND height - ${BLOCKS_OF_RUN} <= $3`;
  const run = await query<WalkBlock>(
    `SELECT ${SELECT_BLOCK} FROM block b
      WHERE ${above} AND height < coalesce(
        (SELECT o.height FROM block o
          WHERE ${above} AND (o.header_da_height IS NULL OR (o.data_da_height IS NULL AND o.tx_count > 0))
          ORDER BY o.height LIMIT 1), 9223372036854775807)`,
    [nodeKey, lineageKey, frontier],
  );
  return new Map(run.map((block) => [block.height, block]));
}
