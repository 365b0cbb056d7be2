import { kindCodeOf, statusCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import { isHeightless, latestTimeOf } from './record-late.js';
import type { SubmissionRecord } from './record-submissions.js';

/** Whether a node's list has a success that may be what is missing. */
export interface Question {
  readonly nodeKey: number;
  readonly missing: Missing;
}

/** Those of a list that stand next to a DA height, of the successes of one kind that tell theirs; null for none. */
interface Neighbours {
  /** The highest one below it, of equal ones the last. */
  readonly lastDa: bigint | null;
  readonly lastSequence: bigint | null;
  /** The lowest one above it, of equal ones the first. */
  readonly nextDa: bigint | null;
  readonly nextSequence: bigint | null;
}

/** A node's list between the two successes of a kind that stand next to a DA height. */
export interface Stretch {
  readonly nodeKey: number;
  readonly missing: Missing;
  /** Null: there is none before it. */
  readonly lastDa: bigint | null;
  readonly lastSequence: bigint;
  /** Null: there is none behind it. */
  readonly nextDa: bigint | null;
  readonly nextSequence: bigint;
}

/** Rows of a list that may be what is missing stand between its two. */
export interface Found extends Omit<Stretch, 'nodeKey' | 'missing'> {
  readonly n: number;
  /** Whether a success does that was recorded before this batch. */
  readonly isStored: boolean;
  /** The same of a failure. */
  readonly isFailed: boolean;
}

const MIXED = kindCodeOf('MIXED');
const UNKNOWN = kindCodeOf('UNKNOWN');
const LAST_SEQUENCE = 2n ** 63n - 1n;
/** Failures of which the outcome is not known, whatever their message says. */
export const UNCERTAIN = (['NOT_INCLUDED_IN_BLOCK', 'ALREADY_IN_MEMPOOL', 'CONTEXT_DEADLINE'] as const).map(
  statusCodeOf,
);
/** SQL of a condition on rows of `submission s`. */
export const IS_UNCERTAIN = `s.status IN (${UNCERTAIN.join(', ')})`;

const QUESTION_COLUMNS = columnsOf(
  SubmissionEntity,
  'nodeKey',
  'lineageKey',
  'daHeight',
  'kind',
  'timeAt',
).and({
  n: 'int4',
  lineages: 'text',
  lastDa: 'int8',
  lastSequence: 'int8',
  nextDa: 'int8',
  nextSequence: 'int8',
});

/**
 * SQL: whether a row of `submission s` may be of a chain: which one a row without a lineage was meant for is not asked.
 *
 * @param lineages those of the chain, as {@link lineagesOfMissing} has them: not all need be in their table yet
 */
export function isOfChain(lineages: string): string {
  return `(s.lineage_key IS NULL OR s.lineage_key = ANY (${lineages}::int[]))`;
}

/** The same of a row of this batch. From one chain to another no row goes. */
export function mayBeOfChain(
  batch: EvidenceBatch,
  { lineageKey }: Pick<SubmissionEntity, 'lineageKey'>,
  missing: Missing,
): boolean {
  return (
    lineageKey === null ||
    batch.parts.chainOf.get(lineageKey) === batch.parts.chainOf.get(missing.cell.lineageKey)
  );
}

/** The histories of the chain that something is missing of, as the text of an array. */
export function lineagesOfMissing({ parts }: EvidenceBatch, { cell }: Missing): string {
  const lineages = parts.lineagesOf.get(parts.chainOf.get(cell.lineageKey) ?? '') ?? [];
  return `{${lineages.join(',')}}`;
}

/** The neighbours among all that is recorded: what a batch recorded stands behind what is stored. */
export async function getStretches(
  batch: EvidenceBatch,
  questions: readonly Question[],
  since: bigint,
): Promise<Found[]> {
  if (questions.length === 0) return [];
  const rows = questions.map((question, n) => ({
    n,
    nodeKey: question.nodeKey,
    lineageKey: question.missing.cell.lineageKey,
    lineages: lineagesOfMissing(batch, question.missing),
    daHeight: question.missing.cell.daHeight,
    kind: kindCodeOf(question.missing.kind),
    timeAt: latestTimeOf(batch.parts.views, question.nodeKey, question.missing.shownAt),
    ...neighboursOf(batch, question),
  }));
  const asked = QUESTION_COLUMNS.unnest(rows, 'w');
  const success = `o.node_key = w.node_key AND o.lineage_key = w.lineage_key AND o.kind = w.kind
                   AND o.status = 0 AND o.node_key IS NOT NULL`;
  const between = `s.node_key = w.node_key AND s.da_height IS NULL AND s.node_key IS NOT NULL
                       AND s.kind IN (w.kind, ${MIXED}, ${UNKNOWN}) AND s.blob_count IS DISTINCT FROM 0
                       AND s.sequence > stretch.last_sequence AND s.sequence < stretch.next_sequence AND ${isOfChain('w.lineages')}`;
  return batch.query<Found>(
    `SELECT w.n, stretch.last_sequence AS "lastSequence", stretch.next_sequence AS "nextSequence",
            greatest(last.da_height, w.last_da) AS "lastDa", least(next.da_height, w.next_da) AS "nextDa",
            EXISTS (SELECT FROM submission s WHERE ${between} AND ${IS_UNCERTAIN}) AS "isFailed",
            EXISTS (SELECT FROM submission s WHERE ${between} AND s.status = 0
                       AND (s.wild_time OR s.time_at <= w.time_at) AND s.from_position >= $${asked.parameters.length + 1}
                   ) AS "isStored"
       FROM ${asked.sql}
       LEFT JOIN LATERAL (SELECT o.da_height, o.sequence FROM submission o WHERE ${success} AND o.da_height < w.da_height
                           ORDER BY o.da_height DESC, o.sequence DESC LIMIT 1) last ON true
       LEFT JOIN LATERAL (SELECT o.da_height, o.sequence FROM submission o WHERE ${success} AND o.da_height > w.da_height
                           ORDER BY o.da_height, o.sequence LIMIT 1) next ON true
       CROSS JOIN LATERAL (
         SELECT CASE WHEN w.last_da IS NULL OR last.da_height > w.last_da
                     THEN coalesce(last.sequence, 0) ELSE w.last_sequence END AS last_sequence,
                CASE WHEN w.next_da IS NULL OR next.da_height <= w.next_da
                     THEN coalesce(next.sequence, ${LAST_SEQUENCE}) ELSE w.next_sequence END AS next_sequence
       ) stretch`,
    [...asked.parameters, since],
  );
}

/** The neighbours among the rows of this batch that were recorded before the event that decides. */
function neighboursOf(batch: EvidenceBatch, { nodeKey, missing: { cell, kind } }: Question): Neighbours {
  let last: SubmissionRecord | undefined;
  let next: SubmissionRecord | undefined;
  for (const row of batch.recordedByNode.get(nodeKey) ?? []) {
    const { daHeight } = row;
    const isOfKind = row.status === 0 && row.kind === kindCodeOf(kind) && row.lineageKey === cell.lineageKey;
    if (!isOfKind || daHeight === null) continue;
    if (daHeight < cell.daHeight && daHeight >= (last?.daHeight ?? daHeight)) last = row;
    if (daHeight > cell.daHeight && daHeight < (next?.daHeight ?? daHeight + 1n)) next = row;
  }
  return {
    lastDa: last?.daHeight ?? null,
    lastSequence: last?.sequence ?? null,
    nextDa: next?.daHeight ?? null,
    nextSequence: next?.sequence ?? null,
  };
}

/** The successes of this batch that may be it, of those recorded before the event that decides. */
export function findInBatch(
  batch: EvidenceBatch,
  { nodeKey, missing }: Question,
  { lastSequence, nextSequence }: Found,
  since: bigint,
): SubmissionRecord[] {
  const kinds = kindsOfMissing(missing);
  const latest = latestTimeOf(batch.parts.views, nodeKey, missing.shownAt);
  return (batch.recordedByNode.get(nodeKey) ?? []).filter(
    (row) =>
      row.status === 0 &&
      isHeightless(row) &&
      mayBeOfChain(batch, row, missing) &&
      kinds.includes(row.kind) &&
      lastSequence < row.sequence &&
      row.sequence < nextSequence &&
      (row.wildTime || row.timeAt <= latest) &&
      row.fromPosition >= since,
  );
}

/** Kinds of rows that may be what is missing. */
export function kindsOfMissing({ kind }: Missing): number[] {
  return [kindCodeOf(kind), MIXED, UNKNOWN];
}
