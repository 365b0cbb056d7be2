import type { Micros } from '../../../domain/time.js';
import { columnsFor } from '../../../platform/rows/row-columns.js';
import { chainOfRow } from '../../../projections/chain-of-row.js';
import { namedNamespace } from '../../../projections/record/readers/named-namespaces.reader.js';
import { submissionKnownAt } from '../../../projections/record/readers/known-at.js';
import type { Members } from '../members.js';
import { eachAttempt } from './each-attempt.js';
import type { NumberedPiece } from './unit.js';

const CHAIN = `coalesce(${chainOfRow('s', 'l')}, '')`;

/** SQL of common table expressions, the last of which is `r`: the rows that count, by piece. */
export interface CountedRows {
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

/** What the SQL must do for a set of pieces, which must all be alike in it. */
export interface RowOptions {
  /** Rows of chains with several nodes: equal ones of different nodes count once. */
  readonly isOnce: boolean;
  readonly knownAt: bigint | undefined;
}

/** A node that a piece is read from. */
interface Source {
  readonly piece: number;
  readonly nodeKey: number;
  readonly ownerKey: number;
  /** Null: rows of all chains count. */
  readonly chain: string | null;
  readonly fromAt: Micros;
  readonly toAt: Micros;
}

type KnownSubmission = ReturnType<typeof submissionKnownAt>;

const SOURCES = columnsFor({
  piece: 'int4',
  nodeKey: 'int4',
  ownerKey: 'int4',
  chain: 'text',
  fromAt: 'timestamptz',
  toAt: 'timestamptz',
});

/**
 * The rows of `r`: piece, owner_key (the piece's node, 0 for a chain), row_id, node_key (null for RECONSTRUCTED and UNDECIDED), chain,
 * and columns of `submission` as they were known.
 */
export function countedRows(
  pieces: readonly NumberedPiece[],
  members: Members,
  options: RowOptions,
): CountedRows {
  const sources = pieces.flatMap((piece) =>
    members.of(piece).map((nodeKey) => ({ ...toSource(piece), nodeKey })),
  );
  const chains = pieces.filter(({ nodeKey }) => nodeKey === 0).map(toSource);
  const from = SOURCES.unnest(sources, 'i');
  const ofChains = SOURCES.unnest(chains, 'i', 1 + SOURCES.count);
  const known = submissionKnownAt(options.knownAt, 's');
  const rows = options.isOnce ? onceRows(known) : 'SELECT * FROM shown';
  return {
    sql: `source AS (SELECT * FROM ${from.sql}), ofchain AS (SELECT * FROM ${ofChains.sql}),
      shown AS (${shownRows(known)}),
      proven AS MATERIALIZED (${provenRows(known)}),
      r AS (${rows} UNION ALL ${reconstructedRows()})`,
    parameters: [...from.parameters, ...ofChains.parameters],
  };
}

function toSource(piece: NumberedPiece): Source {
  const { index, nodeKey, chain, fromUs: fromAt, toUs: toAt } = piece;
  return { piece: index, nodeKey, ownerKey: nodeKey, chain: nodeKey === 0 ? chain : null, fromAt, toAt };
}

function rowColumns({ columns }: KnownSubmission): string {
  return `s.ctid AS row_id, s.node_key, s.sequence, s.from_position, ${columns.lineageKey} AS lineage_key,
    ${namedNamespace('s')} AS namespace_key,
    ${columns.kind} AS kind, s.status, ${columns.evidence} AS evidence, s.wild_time, s.time_at, s.occurred_at, s.digest,
    s.first_attempt_at, s.blob_count, s.size_bytes, CASE WHEN s.gas_price > 0 THEN s.gas_price END AS gas_price,
    ${columns.daHeight} AS da_height, ${columns.blockFrom} AS block_from, ${columns.blockTo} AS block_to,
    ${columns.shares} AS shares, ${columns.signedShares} AS signed_shares`;
}

/** Names of what {@link rowColumns} yields, but for the position, which tells the chain. */
const NAMES = `row_id, node_key, sequence, lineage_key, namespace_key, kind, status, evidence, wild_time, time_at,
  occurred_at, digest, first_attempt_at, blob_count, size_bytes, gas_price, da_height, block_from, block_to, shares,
  signed_shares`;

/** OFFSET 0 keeps the planner to one scan of the index per source. */
function shownRows(known: KnownSubmission): string {
  return `SELECT i.piece, i.owner_key, ${CHAIN} AS chain, ${prefixed('s')}
    FROM source i
    CROSS JOIN LATERAL (
      SELECT ${rowColumns(known)} FROM submission s ${known.join}
       WHERE s.node_key = i.node_key AND s.time_at >= i.from_at AND s.time_at < i.to_at AND ${known.where}
      OFFSET 0) s
    LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
   WHERE i.chain IS NULL OR ${CHAIN} = i.chain`;
}

/** Rows that no node showed: each stretch of time is read once for all chains. */
function provenRows(known: KnownSubmission): string {
  return `SELECT t.from_at, t.to_at, s.* FROM (SELECT DISTINCT from_at, to_at FROM ofchain) t
    CROSS JOIN LATERAL (
      SELECT ${rowColumns(known)} FROM submission s ${known.join}
       WHERE s.node_key IS NULL AND s.time_at >= t.from_at AND s.time_at < t.to_at AND ${known.where}
      OFFSET 0) s`;
}

function reconstructedRows(): string {
  return `SELECT i.piece, 0 AS owner_key, l.chain_id AS chain, ${prefixed('s')}
    FROM proven s JOIN lineage l ON l.lineage_key = s.lineage_key
    JOIN ofchain i ON i.chain = l.chain_id AND i.from_at = s.from_at AND i.to_at = s.to_at`;
}

/**
 * Rows of several nodes, each attempt once.
 *
 * Rows whose time is not wild count under it, so that their twins are in the same piece; the twins of a wild row may
 * be anywhere.
 */
function onceRows(known: KnownSubmission): string {
  return `SELECT ${selected('s')} FROM (${eachAttempt('SELECT * FROM shown WHERE NOT wild_time', 'piece')}) s WHERE s.counts
    UNION ALL
    SELECT ${selected('s')} FROM shown s WHERE s.occurred_at IS NULL OR s.digest IS NULL
    UNION ALL
    SELECT ${selected('s')} FROM shown s
      JOIN (${eachAttempt(twinsOfWildRows(known), 'piece')}) c
        ON c.piece = s.piece AND c.node_key = s.node_key AND c.sequence = s.sequence AND c.wild_time AND c.counts
     WHERE s.wild_time AND s.occurred_at IS NOT NULL AND s.digest IS NOT NULL`;
}

/** All rows that are equal to a wild one, wherever they count, and that one. */
function twinsOfWildRows(known: KnownSubmission): string {
  const columns = `s.node_key, s.sequence, s.from_position, s.wild_time, s.time_at, s.occurred_at, s.digest,
    ${known.columns.evidence} AS evidence, ${known.columns.lineageKey} AS lineage_key`;
  const alike = `s.digest = w.digest AND ${known.where}`;
  return `SELECT w.piece, s.* FROM (
      SELECT DISTINCT piece, chain, occurred_at, digest FROM shown
       WHERE wild_time AND occurred_at IS NOT NULL AND digest IS NOT NULL) w
    JOIN source i ON i.piece = w.piece
    CROSS JOIN LATERAL (
      SELECT ${columns} FROM submission s ${known.join}
       WHERE s.node_key = i.node_key AND s.time_at = w.occurred_at AND NOT s.wild_time AND ${alike}
      UNION ALL
      SELECT ${columns} FROM submission s ${known.join}
       WHERE s.wild_time AND s.occurred_at = w.occurred_at AND s.node_key = i.node_key AND ${alike}) s
    LEFT JOIN lineage l ON l.lineage_key = s.lineage_key
   WHERE ${CHAIN} = w.chain`;
}

function prefixed(alias: string): string {
  return NAMES.split(/,\s*/)
    .map((name) => `${alias}.${name}`)
    .join(', ');
}

function selected(alias: string): string {
  return `${alias}.piece, ${alias}.owner_key, ${alias}.chain, ${prefixed(alias)}`;
}
