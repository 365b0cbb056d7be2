import { column, unnestRows } from '../../../platform/unnest-rows.js';
import type { Members } from '../members.js';
import type { Piece } from './unit.js';

/** A row of {@link blockRows}. */
export interface BlockRow {
  readonly piece: number;
  readonly chain: string;
  readonly lineage_key: number;
  readonly produced: string;
  readonly included: string;
  readonly transactions: string;
  readonly included_transactions: string;
  readonly tx_bytes: string;
  readonly included_tx_bytes: string;
  readonly last_height: string;
}

interface Source {
  readonly piece: number;
  readonly nodeKey: number;
  readonly chain: string | null;
  readonly fromNs: bigint;
  readonly toNs: bigint;
}

const SOURCE_COLUMNS = [
  column('piece', 'int4', ({ piece }: Source) => piece),
  column('node_key', 'int4', ({ nodeKey }: Source) => nodeKey),
  column('chain', 'text', ({ chain }: Source) => chain),
  column('from_ns', 'int8', ({ fromNs }: Source) => fromNs),
  column('to_ns', 'int8', ({ toNs }: Source) => toNs),
];

/**
 * Sums of the blocks whose time lies in each piece, by lineage.
 *
 * @param isShared several nodes may show the same blocks: for a chain each counts once, and is included where any of
 *   them says so
 */
export function blockRows(
  pieces: readonly (Piece & { readonly index: number })[],
  members: Members,
  isShared: boolean,
  knownAt: bigint | undefined,
): { readonly sql: string; readonly parameters: readonly unknown[] } {
  const sources = pieces.flatMap((piece) => members.of(piece).map((nodeKey) => toSource(piece, nodeKey)));
  const from = unnestRows(SOURCE_COLUMNS, sources, 'i');
  const [known, knownInclusion] =
    knownAt === undefined
      ? ['true', 'true']
      : [`b.from_position <= ${knownAt}`, `coalesce(b.included_position, b.from_position) <= ${knownAt}`];
  const included = `b.header_da_height IS NOT NULL AND (b.tx_count = 0 OR b.data_da_height IS NOT NULL)
    AND ${knownInclusion}`;
  // An outer join, or the planner might look for the blocks once for each lineage.
  const shown = `SELECT i.piece, coalesce(l.chain_id, '') AS chain, b.lineage_key, b.height, b.tx_count, b.tx_bytes, b.is_included
      FROM ${from.sql} CROSS JOIN LATERAL (
        SELECT b.lineage_key, b.height, b.tx_count, b.tx_bytes, (${included}) AS is_included FROM block b
         WHERE b.node_key = i.node_key AND b.time_ns >= i.from_ns AND b.time_ns < i.to_ns AND ${known}
        OFFSET 0) b
      LEFT JOIN lineage l ON l.lineage_key = b.lineage_key
     WHERE i.chain IS NULL OR l.chain_id = i.chain`;
  const once = `SELECT piece, chain, lineage_key, height, max(tx_count) AS tx_count, max(tx_bytes) AS tx_bytes,
      bool_or(is_included) AS is_included FROM (${shown}) s GROUP BY piece, chain, lineage_key, height`;
  return {
    sql: `SELECT piece, chain, lineage_key, count(*) AS produced, count(*) FILTER (WHERE is_included) AS included,
        sum(tx_count) AS transactions, coalesce(sum(tx_count) FILTER (WHERE is_included), 0) AS included_transactions,
        sum(tx_bytes) AS tx_bytes, coalesce(sum(tx_bytes) FILTER (WHERE is_included), 0) AS included_tx_bytes,
        max(height) AS last_height
      FROM (${isShared ? once : shown}) b GROUP BY piece, chain, lineage_key`,
    parameters: from.parameters,
  };
}

const LARGEST_INT64 = 2n ** 63n - 1n;
/** 2200-01-01. Blocks of later times count under its first quarter hour, those from before 1970 under 1970's. */
const LAST_BLOCK_US = 7_258_118_400_000_000n;

function toSource(piece: Piece & { readonly index: number }, nodeKey: number): Source {
  const { index, chain, fromUs, toUs } = piece;
  const isOutside = toUs <= 0n || fromUs > LAST_BLOCK_US;
  const reachesEnd = toUs > LAST_BLOCK_US && !isOutside;
  return {
    piece: index,
    nodeKey,
    chain: piece.nodeKey === 0 ? chain : null,
    fromNs: fromUs <= 0n ? -LARGEST_INT64 - 1n : clamp(fromUs * 1000n),
    toNs: isOutside ? -LARGEST_INT64 - 1n : reachesEnd ? LARGEST_INT64 : toUs * 1000n,
  };
}

function clamp(ns: bigint): bigint {
  return ns > LARGEST_INT64 ? LARGEST_INT64 : ns;
}
