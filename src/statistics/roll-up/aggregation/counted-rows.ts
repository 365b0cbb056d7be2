import type { Micros } from '../../../domain/time.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import { namedNamespace } from '../../../projections/record/readers/named-namespaces.reader.js';
import { submissionsKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import type { Members } from '../members.js';
import type { PricePiece } from './unit.js';

/** SQL of common table expressions that end with `r`: the rows that count, by piece. */
export interface CountedRows {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** A node that a piece is read from. */
interface RowSource {
  readonly piece: number;
  readonly nodeKey: number;
  readonly ownerKey: number;
  /** Null: rows of all chains count. */
  readonly chain: string | null;
  readonly fromAt: Micros;
  readonly toAt: Micros;
}

const SOURCES = columnsFor({
  piece: 'int4',
  nodeKey: 'int4',
  ownerKey: 'int4',
  chain: 'text',
  fromAt: 'timestamptz',
  toAt: 'timestamptz',
});

/**
 * The rows of `r`. They have piece, owner_key (the piece's node, 0 for a chain), row_id, node_key (null for
 * RECONSTRUCTED and UNDECIDED) and chain. Columns of `submission` follow, as they were known.
 */
export function countedRows(
  pieces: readonly PricePiece[],
  members: Members,
  knownAt: bigint | undefined,
): CountedRows {
  const sources = pieces.flatMap((piece) =>
    members.of(piece).map((nodeKey) => ({ ...toSource(piece), nodeKey })),
  );
  const chains = pieces.filter(({ nodeKey }) => nodeKey === 0).map(toSource);
  const from = SOURCES.unnest(sources, 'i');
  const ofChains = SOURCES.unnest(chains, 'i', 1 + SOURCES.count);
  return {
    sql: `source AS (SELECT * FROM ${from.sql}), ofchain AS (SELECT * FROM ${ofChains.sql}),
      shown AS (${shownRows(knownAt)}),
      proven AS MATERIALIZED (${provenRows(knownAt)}),
      r AS (SELECT * FROM shown UNION ALL ${reconstructedRows()})`,
    parameters: [...from.parameters, ...ofChains.parameters],
  };
}

function toSource(piece: PricePiece): RowSource {
  const { index, nodeKey, chain, fromUs: fromAt, toUs: toAt } = piece;
  return { piece: index, nodeKey, ownerKey: nodeKey, chain: nodeKey === 0 ? chain : null, fromAt, toAt };
}

const COLUMNS = `s.ctid AS row_id, s.node_key, s.sequence, coalesce(s.chain_id, '') AS chain, s.lineage_key,
    ${namedNamespace('s')} AS namespace_key, s.kind, s.status, s.evidence, s.wild_time, s.time_at, s.first_attempt_at, s.blob_count,
    s.size_bytes, CASE WHEN s.gas_price > 0 THEN s.gas_price END AS gas_price, s.da_height, s.block_from, s.block_to, s.shares,
    s.signed_shares`;

const NAMES = `row_id, node_key, sequence, chain, lineage_key, namespace_key, kind, status, evidence, wild_time, time_at, first_attempt_at, blob_count, size_bytes, gas_price, da_height, block_from, block_to, shares,
  signed_shares`;

/** OFFSET 0 keeps the planner to one scan of the index per source. */
function shownRows(knownAt: bigint | undefined): string {
  return `SELECT i.piece, i.owner_key, ${prefixed('s')}
    FROM source i
    CROSS JOIN LATERAL (
      SELECT ${COLUMNS}, s.counts_for_chain FROM ${submissionsKnownAt(knownAt)}
       WHERE s.node_key = i.node_key AND s.time_at >= i.from_at AND s.time_at < i.to_at AND s.to_position IS NULL
      OFFSET 0) s
   WHERE i.chain IS NULL OR s.chain = i.chain AND s.counts_for_chain`;
}

/** Rows that no node showed: each stretch of time is read once for all chains. */
function provenRows(knownAt: bigint | undefined): string {
  return `SELECT t.from_at, t.to_at, s.* FROM (SELECT DISTINCT from_at, to_at FROM ofchain) t
    CROSS JOIN LATERAL (
      SELECT ${COLUMNS} FROM ${submissionsKnownAt(knownAt)}
       WHERE s.node_key IS NULL AND s.time_at >= t.from_at AND s.time_at < t.to_at AND s.to_position IS NULL
      OFFSET 0) s`;
}

function reconstructedRows(): string {
  return `SELECT i.piece, 0 AS owner_key, ${prefixed('s')}
    FROM proven s JOIN ofchain i ON i.chain = s.chain AND i.from_at = s.from_at AND i.to_at = s.to_at`;
}

function prefixed(alias: string): string {
  return NAMES.split(/,\s*/)
    .map((name) => `${alias}.${name}`)
    .join(', ');
}
