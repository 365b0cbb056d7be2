import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';

const CONFIRMED = evidenceCodeOf('CONFIRMED');

/** What blocks have confirmed stands for its twins. */
const ORDER = `wild_time, time_at, (evidence <> ${CONFIRMED}), node_key, sequence`;

/**
 * SQL: the rows of a FROM item that carry a time and a digest, each with whether it `counts`.
 *
 * Rows of several nodes that are equal in canonical JSON are one attempt: the k-th of one node is the k-th of another. Of the same
 * attempt the first row counts.
 *
 * @param within columns whose values the rows of an attempt have in common, beside time and digest
 */
export function eachAttempt(rows: string, within: string): string {
  const attempt = `${within}, occurred_at, digest`;
  return `SELECT *, coalesce(k > max(k) OVER (PARTITION BY ${attempt} ORDER BY ${ORDER}
                                   ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), true) AS counts
    FROM (SELECT *, row_number() OVER (PARTITION BY ${attempt}, node_key ORDER BY ${ORDER}) AS k
            FROM (${rows}) a WHERE occurred_at IS NOT NULL AND digest IS NOT NULL) numbered`;
}
