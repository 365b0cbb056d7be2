import { Inject, Injectable } from '@nestjs/common';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import { columnsFor } from '../../platform/rows/row-columns.js';
import type { Database } from '../../platform/sql.js';
import { ClaimsQuery } from '../claims/claims.query.js';
import { HistoryQuery } from '../health/history.query.js';
import type { Submission } from './submission.type.js';
import { type SubmissionListKey, SubmissionsQuery } from './submissions.query.js';

export interface BatchNeighbours {
  readonly before: readonly SubmissionListKey[];
  readonly after: readonly SubmissionListKey[];
}

/** Columns by which the batch of a submission is found. */
type Attempt = Pick<Submission, 'nodeKey' | 'sequence' | 'namespaceKey'>;

/** Limits: attempts to return, and rows of the list to search for them, because other batches come in between. */
const MOST_ATTEMPTS = 30;
const REACH = 200;

const KEYS = columnsFor({ nodeKey: 'int4', sequence: 'int8', namespaceKey: 'int4' });

/**
 * Attempts on one side of the requested attempts (`key`). They are of the same node and namespace, up to the end of the batch: a
 * success or a gap in the record.
 */
const SAME = 's.node_key = key.node_key AND s.namespace_key IS NOT DISTINCT FROM key.namespace_key';
const GAPS = `gap AS MATERIALIZED (
  SELECT node_key, after_sequence FROM loss JOIN (SELECT node_key, min(sequence) - ${REACH} AS low, max(sequence) + ${REACH} AS high
                                                    FROM key GROUP BY node_key) k USING (node_key)
   WHERE to_position IS NULL AND after_sequence BETWEEN low AND high)`;
const BEFORE = `
  SELECT s.sequence FROM submission s
   WHERE ${SAME} AND s.sequence < key.sequence AND s.sequence >= key.sequence - ${REACH}
     AND s.sequence > coalesce((SELECT max(h.after_sequence) FROM gap h
                                 WHERE h.node_key = key.node_key AND h.after_sequence < key.sequence), 0)
     AND s.sequence > coalesce((SELECT max(p.sequence) FROM submission p
                                 WHERE p.node_key = key.node_key AND p.namespace_key IS NOT DISTINCT FROM key.namespace_key
                                   AND p.sequence < key.sequence AND p.sequence >= key.sequence - ${REACH} AND p.status = 0), 0)
   ORDER BY s.sequence DESC LIMIT ${MOST_ATTEMPTS}`;
const AFTER = `
  SELECT s.sequence FROM submission s
   WHERE ${SAME} AND s.sequence > key.sequence AND s.sequence <= key.sequence + ${REACH}
     AND s.sequence <= coalesce((SELECT min(h.after_sequence) FROM gap h
                                  WHERE h.node_key = key.node_key AND h.after_sequence >= key.sequence), s.sequence)
     AND s.sequence <= coalesce((SELECT min(p.sequence) FROM submission p
                                  WHERE p.node_key = key.node_key AND p.namespace_key IS NOT DISTINCT FROM key.namespace_key
                                    AND p.sequence >= key.sequence AND p.sequence <= key.sequence + ${REACH} AND p.status = 0), s.sequence)
   ORDER BY s.sequence LIMIT ${MOST_ATTEMPTS}`;

/** Reads the neighbours of submissions in their lists, and what was known at their time. */
@Injectable()
export class SurroundingsQuery {
  constructor(
    @Inject(ReadDatabase) private readonly reads: Database,
    readonly submissions: SubmissionsQuery,
    readonly history: HistoryQuery,
    readonly claims: ClaimsQuery,
  ) {}

  /** The batches of attempts, in the same order, with one statement for all; empty for attempts that no list showed. */
  async getBatches(attempts: readonly Attempt[]): Promise<BatchNeighbours[]> {
    const listed = attempts.filter(({ sequence }) => sequence !== null);
    const keys = KEYS.unnest(listed, 'asked');
    const rows = await this.reads.query<{ before: string[]; after: string[] }[]>(
      `WITH key AS MATERIALIZED (SELECT row_number() OVER () AS index, asked.* FROM ${keys.sql}), ${GAPS}
       SELECT ARRAY(SELECT sequence FROM (${BEFORE}) s ORDER BY sequence)::text[] AS before,
              ARRAY(SELECT sequence FROM (${AFTER}) s ORDER BY sequence)::text[] AS after
         FROM key ORDER BY index`,
      [...keys.parameters],
    );
    const found = new Map(listed.map((attempt, index) => [attempt, rows[index]]));
    return attempts.map((attempt) => {
      const batch = found.get(attempt);
      const toPlaces = (sequences: readonly string[] = []): SubmissionListKey[] =>
        sequences.map((sequence) => ({ nodeKey: attempt.nodeKey, sequence: BigInt(sequence) }));
      return { before: toPlaces(batch?.before), after: toPlaces(batch?.after) };
    });
  }
}
