import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { indexed, submissionsKnownAt } from '../../../projections/record/readers/known-rows.reader.js';

const CONFIRMED = evidenceCodeOf('CONFIRMED');

/**
 * SQL: common table expressions after `r` that end with `fee`: the imported fee of each row of `r` that has one, by owner_key
 * and row_id.
 *
 * At a DA height, the k-th submission of a namespace gets the k-th fee of that namespace. The remaining submissions get, in the
 * same order, the fees without a namespace. The order is (node_key, sequence); submissions that no node showed come last. A
 * node's rows count among themselves; a chain counts each attempt once.
 */
export function feeRows(knownAt: bigint | undefined): string {
  const known = knownAt === undefined ? 'true' : `f.from_position <= ${knownAt}`;
  const order = 'node_key NULLS LAST, sequence, kind, row_id';
  return `, place AS (
      SELECT DISTINCT r.owner_key, r.chain, r.da_height FROM r
       WHERE (r.status = 0 OR r.evidence = ${CONFIRMED}) AND r.da_height IS NOT NULL AND EXISTS (
         SELECT FROM imported_fee f WHERE f.chain = r.chain AND f.da_height = r.da_height AND ${known})),
    paid AS (${paidRows(knownAt)}),
    named AS (
      SELECT o.*, ${knownFee(knownAt)} AS fee_utia
        FROM (SELECT *, row_number() OVER (PARTITION BY owner_key, chain, da_height, namespace ORDER BY ${order}) AS n
                FROM paid) o
        LEFT JOIN imported_fee f ON f.chain = o.chain AND f.da_height = o.da_height AND f.namespace = o.namespace
                                AND f.ordinal = o.n AND ${known}),
    fee AS (
      SELECT owner_key, row_id, fee_utia FROM named WHERE fee_utia IS NOT NULL
      UNION ALL
      SELECT o.owner_key, o.row_id, ${knownFee(knownAt)}
        FROM (SELECT owner_key, chain, da_height, row_id,
                     row_number() OVER (PARTITION BY owner_key, chain, da_height ORDER BY ${order}) AS n
                FROM named WHERE fee_utia IS NULL) o
        JOIN imported_fee f ON f.chain = o.chain AND f.da_height = o.da_height AND f.namespace = ''
                           AND f.ordinal = o.n AND ${known})`;
}

/** SQL: the amount of a fee `f` as it was known; a corrected fee keeps its former amounts. */
function knownFee(knownAt: bigint | undefined): string {
  if (knownAt === undefined) return 'f.fee_utia';
  return `coalesce((SELECT p.fee_utia FROM imported_fee_past p
     WHERE p.chain = f.chain AND p.da_height = f.da_height AND p.namespace = f.namespace AND p.ordinal = f.ordinal
       AND p.to_position > ${knownAt} ORDER BY p.to_position LIMIT 1), f.fee_utia)`;
}

/** SQL: all submissions at the DA heights in question, including those of other times. */
function paidRows(knownAt: bigint | undefined): string {
  return `SELECT p.owner_key, p.chain, p.da_height, s.ctid AS row_id, s.node_key, s.sequence, s.kind, n.namespace
    FROM place p
    JOIN ${submissionsKnownAt(knownAt)} ON ${indexed('s.da_height', knownAt)} = p.da_height AND (p.owner_key = 0 OR s.node_key = p.owner_key)
    LEFT JOIN namespace n ON n.namespace_key = s.namespace_key
   WHERE s.to_position IS NULL AND (s.status = 0 OR s.evidence = ${CONFIRMED}) AND s.chain_id = p.chain
     AND (p.owner_key <> 0 OR s.counts_for_chain)`;
}
