import { LARGEST_INT64 } from '../../../domain/bounds.js';
import { greatest, least } from '../../../domain/collections.js';
import { BlockStatisticEntity } from '../../../tables/statistics.entities.js';
import { sumsOf, SumsByUnit } from '../statistic.js';
import type { CarriedRow } from './carried-rows.js';
import type { PricePiece } from './unit.js';
import { FARTHEST_TIME_US, microsToNanos, type Nanos } from '../../../domain/time.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import { blocksKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import type { Members } from '../members.js';

/** The columns of `block_statistic` whose greatest value counts. */
export const BLOCK_HEIGHTS = ['lastHeight', 'headerFrontier', 'dataFrontier'] as const;
const OTHERS = [
  'grain',
  'bucketAt',
  'nodeKey',
  'chain',
  'lineageKey',
  'firstHeight',
  ...BLOCK_HEIGHTS,
] as const;

/** The columns of `block_statistic` that are added up, as integers. */
export const BLOCK_SUMS = sumsOf(BlockStatisticEntity, OTHERS);
type BlockSum = (typeof BLOCK_SUMS)[number];

/** Sums of blocks, with the columns of the table `block_statistic`, which documents each of them. */
export type BlockStatistic = Readonly<Omit<BlockStatisticEntity, 'grain' | 'bucketAt' | BlockSum>> &
  Readonly<Record<BlockSum, bigint>>;

/** A row of the statement that counts blocks. Sums may exceed the range of a column. */
export interface BlockRow
  extends Pick<BlockStatisticEntity, 'chain' | 'lineageKey'>, Readonly<Record<BlockSum, bigint | string>> {
  readonly piece: number;
  readonly firstHeight: bigint;
  readonly lastHeight: bigint;
}

type OpenBlockStatistic = { -readonly [Name in keyof BlockStatistic]: BlockStatistic[Name] };

/** Block sums of units that are being added up. The piece of each row is a whole unit. */
export class BlockSums extends SumsByUnit<number, OpenBlockStatistic> {
  addBlocks(row: BlockRow): void {
    const sum = this.open(row.piece, row.chain, row.lineageKey);
    for (const name of BLOCK_SUMS) sum[name] += BigInt(row[name]);
    sum.lastHeight = greatest(row.lastHeight, sum.lastHeight);
    sum.firstHeight = least(row.firstHeight, sum.firstHeight);
  }

  /** Notes how far the blocks reach that submissions carried. */
  addCarried({ piece, chain, lineageKey, height, isHeader }: CarriedRow): void {
    if (height === null || lineageKey === null) return;
    const sum = this.open(piece, chain, lineageKey);
    const frontier = isHeader ? 'headerFrontier' : 'dataFrontier';
    sum[frontier] = greatest(height, sum[frontier]);
  }

  private open(unit: number, chain: string, lineageKey: number): OpenBlockStatistic {
    return this.entry(unit, lineageKey, (nodeKey) => ({
      nodeKey,
      chain,
      lineageKey,
      ...(Object.fromEntries(BLOCK_SUMS.map((name) => [name, 0n])) as Record<BlockSum, bigint>),
      firstHeight: null,
      lastHeight: null,
      headerFrontier: null,
      dataFrontier: null,
    }));
  }
}

interface BlockSource {
  readonly piece: number;
  readonly nodeKey: number;
  /** Null: blocks of all chains count. */
  readonly chain: string | null;
  readonly fromNs: Nanos;
  readonly toNs: Nanos;
}

const SOURCES = columnsFor({ piece: 'int4', nodeKey: 'int4', chain: 'text', fromNs: 'int8', toNs: 'int8' });

/**
 * SQL: sums of the blocks whose time lies in each piece, by lineage.
 *
 * @param isShared whether several nodes may show the same blocks: a chain counts each block once, as included if any node says
 * so
 */
export function blockRows(
  pieces: readonly PricePiece[],
  members: Members,
  isShared: boolean,
  knownAt: bigint | undefined,
): { readonly sql: string; readonly parameters: readonly unknown[] } {
  const sources = pieces.flatMap((piece) => members.of(piece).map((nodeKey) => toSource(piece, nodeKey)));
  const from = SOURCES.unnest(sources, 'i');
  // An outer join, because the planner might otherwise search for the blocks once for each lineage.
  const shown = `SELECT i.piece, coalesce(l.chain_id, '') AS chain, b.lineage_key, b.height, b.tx_count, b.tx_bytes, b.is_included
      FROM ${from.sql} CROSS JOIN LATERAL (
        SELECT b.lineage_key, b.height, b.tx_count, b.tx_bytes,
               (b.header_da_height IS NOT NULL AND (b.tx_count = 0 OR b.data_da_height IS NOT NULL)) AS is_included
          FROM ${blocksKnownAt(knownAt)}
         WHERE b.node_key = i.node_key AND b.time_ns >= i.from_ns AND b.time_ns < i.to_ns
        OFFSET 0) b
      LEFT JOIN lineage l ON l.lineage_key = b.lineage_key
     WHERE i.chain IS NULL OR l.chain_id = i.chain`;
  const once = `SELECT piece, chain, lineage_key, height, max(tx_count) AS tx_count, max(tx_bytes) AS tx_bytes,
      bool_or(is_included) AS is_included FROM (${shown}) s GROUP BY piece, chain, lineage_key, height`;
  return {
    sql: `SELECT piece, chain, lineage_key AS "lineageKey", count(*) AS produced,
        count(*) FILTER (WHERE is_included) AS included, sum(tx_count) AS transactions,
        coalesce(sum(tx_count) FILTER (WHERE is_included), 0) AS "includedTransactions", sum(tx_bytes) AS "txBytes",
        coalesce(sum(tx_bytes) FILTER (WHERE is_included), 0) AS "includedTxBytes", min(height) AS "firstHeight", max(height) AS "lastHeight"
      FROM (${isShared ? once : shown}) b GROUP BY piece, chain, lineage_key`,
    parameters: from.parameters,
  };
}

const SMALLEST_INT64 = -LARGEST_INT64 - 1n;

/** Blocks with an impossible time count at the first or the last plausible time. */
function toSource(piece: PricePiece, nodeKey: number): BlockSource {
  const { index, chain, fromUs, toUs } = piece;
  const isOutside = toUs <= 0n || fromUs > FARTHEST_TIME_US;
  const reachesEnd = toUs > FARTHEST_TIME_US && !isOutside;
  return {
    piece: index,
    nodeKey,
    chain: piece.nodeKey === 0 ? chain : null,
    fromNs: fromUs <= 0n ? SMALLEST_INT64 : least(microsToNanos(fromUs), LARGEST_INT64),
    toNs: isOutside ? SMALLEST_INT64 : reachesEnd ? LARGEST_INT64 : microsToNanos(toUs),
  };
}
