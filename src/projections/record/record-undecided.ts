import { kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import { findPossibleFailures, IS_UNCERTAIN, type Stretch } from './record-failures.js';
import { isHeightless, latestTimeOf } from './record-late.js';
import type { SubmissionRecord } from './record-submissions.js';
import { nameOf, type Carriers } from './record-uncertain.js';

/** Whether a node's list has a success that may be what is missing. */
interface Question {
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

/** Rows of a list that may be what is missing stand between these two. */
interface Found extends Pick<Stretch, 'lastDa' | 'lastSequence' | 'nextDa' | 'nextSequence'> {
  readonly n: number;
  /** Whether a success does that was recorded before this batch. */
  readonly isStored: boolean;
  /** The same of a failure. */
  readonly isFailed: boolean;
}

const MIXED = kindCodeOf('MIXED');
const UNKNOWN = kindCodeOf('UNKNOWN');
const LAST_SEQUENCE = 2n ** 63n - 1n;

const QUESTION_COLUMNS = columnsOf(
  SubmissionEntity,
  'nodeKey',
  'lineageKey',
  'daHeight',
  'kind',
  'timeAt',
).and({
  n: 'int4',
  lastDa: 'int8',
  lastSequence: 'int8',
  nextDa: 'int8',
  nextSequence: 'int8',
});

/**
 * Those of the missing that a recorded success may be which does not tell its DA height, or a failure of unknown outcome: one
 * of their kind, or of none that is known, between successes of a node's list that do not exclude it. Whether it is them is
 * not decided, so nothing may be reconstructed beside it. Where the list ends with it, the next success may exclude it.
 *
 * A node posts headers one batch after the other, and data likewise, but both at once: successes of one kind enter its
 * list by DA height, and say nothing of the order of the other kind.
 *
 * @param since only rows recorded from this event on
 * @returns each with the node whose next success may exclude the row; null for none
 */
export async function findUndecided(
  batch: EvidenceBatch,
  missing: readonly Missing[],
  { found, doubtful }: Carriers,
  since: bigint,
): Promise<Map<Missing, number | null>> {
  const questions = missing.flatMap((each) =>
    found.has(each) || doubtful.has(each)
      ? []
      : nodesOf(batch, each).map((nodeKey): Question => ({ nodeKey, missing: each })),
  );
  const undecided = new Map<Missing, number | null>();
  const leave = ({ missing, nodeKey, lastDa, nextDa }: Omit<Stretch, 'lastSequence' | 'nextSequence'>) => {
    const known = undecided.get(missing) ?? null;
    const isEnd = lastDa !== null && nextDa === null && (known === null || nodeKey < known);
    undecided.set(missing, isEnd ? nodeKey : known);
  };
  const failed: Stretch[] = [];
  for (const stretch of await getStretches(batch, questions, since)) {
    const question = questions[stretch.n];
    if (!question) continue;
    if (stretch.isStored || isInBatch(batch, question, stretch, since)) leave({ ...stretch, ...question });
    else if (stretch.isFailed || hasFailed(batch, question.nodeKey)) failed.push({ ...stretch, ...question });
  }
  // An attempt that carried one of the missing carried none of those that are decided after it.
  const order = new Map(missing.map((each, index) => [each, index]));
  const takenBy = new Map([...found].map(([each, attempt]) => [nameOf(attempt), order.get(each) ?? 0]));
  const isTaken = (name: string, each: Missing) => (takenBy.get(name) ?? Infinity) < (order.get(each) ?? 0);
  const asked = failed.filter((stretch) => !undecided.has(stretch.missing));
  const possible = await findPossibleFailures(batch, asked, isTaken, since);
  for (const stretch of asked) if (possible.has(stretch.missing)) leave(stretch);
  return undecided;
}

/** Nodes of the chain, and those that showed its blocks before they were pointed at another one. */
function nodesOf({ parts }: EvidenceBatch, { cell: { lineageKey } }: Missing): number[] {
  const chainId = parts.chainOf.get(lineageKey);
  const ofChain = chainId === undefined ? [] : parts.views.keysOfChain(chainId);
  const ofLineage = parts.walks.ofLineage(lineageKey).map(({ nodeKey }) => nodeKey);
  return [...new Set([...ofChain, ...ofLineage])];
}

/** The neighbours among all that is recorded: what a batch recorded stands behind what is stored. */
async function getStretches(
  batch: EvidenceBatch,
  questions: readonly Question[],
  since: bigint,
): Promise<Found[]> {
  if (questions.length === 0) return [];
  const rows = questions.map((question, n) => ({
    n,
    nodeKey: question.nodeKey,
    lineageKey: question.missing.cell.lineageKey,
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
                       AND s.sequence > stretch.last_sequence AND s.sequence < stretch.next_sequence`;
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

/** Whether an attempt failed in this batch with an outcome that is not known. */
function hasFailed({ recordedByNode }: EvidenceBatch, nodeKey: number): boolean {
  return (recordedByNode.get(nodeKey) ?? []).some((row) => row.status !== 0 && isHeightless(row));
}

/** Whether a row of this batch may be it that was recorded before the event that decides. */
function isInBatch(
  batch: EvidenceBatch,
  { nodeKey, missing }: Question,
  { lastSequence, nextSequence }: Found,
  since: bigint,
): boolean {
  const kinds = [kindCodeOf(missing.kind), MIXED, UNKNOWN];
  const latest = latestTimeOf(batch.parts.views, nodeKey, missing.shownAt);
  return (batch.recordedByNode.get(nodeKey) ?? []).some(
    (row) =>
      row.status === 0 &&
      isHeightless(row) &&
      kinds.includes(row.kind) &&
      lastSequence < row.sequence &&
      row.sequence < nextSequence &&
      (row.wildTime || row.timeAt <= latest) &&
      row.fromPosition >= since,
  );
}
