import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { EvidenceBatch, Missing } from './record-evidence-batch.js';
import type { SubmissionRecord } from './record-submissions.js';

interface Question {
  readonly n: number;
  readonly nodeKey: number;
  readonly missing: Missing;
}

const OBSERVED = evidenceCodeOf('OBSERVED');
const MIXED = kindCodeOf('MIXED');
const UNKNOWN = kindCodeOf('UNKNOWN');

const QUESTION_COLUMNS = columnsOf(SubmissionEntity, 'nodeKey', 'lineageKey', 'daHeight', 'kind').and({
  n: 'int4',
});

/**
 * Those of the missing that a recorded success may be which does not tell its DA height: one of their kind, or of none that
 * is known, between successes of a node's list that do not exclude it. Whether it is them is not decided, so nothing may
 * be reconstructed beside it.
 *
 * A node posts headers one batch after the other, and data likewise, but both at once: successes of one kind enter its
 * list by DA height, and say nothing of the order of the other kind.
 */
export async function findUndecided(
  batch: EvidenceBatch,
  missing: readonly Missing[],
): Promise<Set<Missing>> {
  const undecided = new Set(missing.filter((each) => isAmongRecorded(batch, each)));
  const questions = missing
    .filter((each) => !undecided.has(each))
    .flatMap((each) => nodesOf(batch, each).map((nodeKey) => ({ nodeKey, missing: each })))
    .map((question, n) => ({ n, ...question }));
  for (const question of await getPossible(batch, questions)) undecided.add(question.missing);
  return undecided;
}

function nodesOf(batch: EvidenceBatch, { cell }: Missing): number[] {
  const chainId = batch.parts.chainOf.get(cell.lineageKey);
  return chainId === undefined ? [] : batch.parts.views.keysOfChain(chainId);
}

/** Questions that a row answers which was recorded before this batch. */
async function getPossible(batch: EvidenceBatch, questions: readonly Question[]): Promise<Question[]> {
  if (questions.length === 0) return [];
  const rows = questions.map(({ n, nodeKey, missing: { cell, kind } }) => ({
    n,
    nodeKey,
    lineageKey: cell.lineageKey,
    daHeight: cell.daHeight,
    kind: kindCodeOf(kind),
  }));
  const asked = QUESTION_COLUMNS.unnest(rows, 'w');
  const success =
    'o.node_key = w.node_key AND o.lineage_key = w.lineage_key AND o.status = 0 AND o.kind = w.kind';
  const found = await batch.query<{ n: number; isLast: boolean }>(
    `SELECT w.n, next.sequence IS NULL AS "isLast"
       FROM ${asked.sql}
       LEFT JOIN LATERAL (SELECT o.sequence FROM submission o WHERE ${success} AND o.da_height < w.da_height
                           ORDER BY o.da_height DESC, o.sequence DESC LIMIT 1) last ON true
       LEFT JOIN LATERAL (SELECT o.sequence FROM submission o WHERE ${success} AND o.da_height > w.da_height
                           ORDER BY o.da_height, o.sequence LIMIT 1) next ON true
      WHERE EXISTS (SELECT FROM submission s
                     WHERE s.node_key = w.node_key AND s.status = 0 AND s.da_height IS NULL AND s.evidence = ${OBSERVED}
                       AND s.kind IN (w.kind, ${MIXED}, ${UNKNOWN})
                       AND s.sequence > coalesce(last.sequence, 0)
                       AND (next.sequence IS NULL OR s.sequence < next.sequence))`,
    asked.parameters,
  );
  const open = new Map(found.map(({ n, isLast }) => [n, isLast]));
  return questions.filter(({ n, nodeKey, missing }) => {
    const isLast = open.get(n);
    if (isLast === undefined) return false;
    // What stands last in the table may stand before a success of this batch.
    const next = isLast ? firstOfKind(batch, nodeKey, missing) : null;
    return next === null || next >= missing.cell.daHeight;
  });
}

/** DA height of the first success of a kind that this batch recorded of a node; null for none. */
function firstOfKind(batch: EvidenceBatch, nodeKey: number, { kind }: Missing): bigint | null {
  const rows = batch.recordedByNode.get(nodeKey) ?? [];
  return rows.find((row) => heightOf(row, kind) !== null)?.daHeight ?? null;
}

/** Whether a row of this batch may be it that was recorded before the event that decides. */
function isAmongRecorded(batch: EvidenceBatch, missing: Missing): boolean {
  const { kind, cell } = missing;
  return nodesOf(batch, missing).some((nodeKey) => {
    const rows = batch.recordedByNode.get(nodeKey) ?? [];
    const first = rows.findLastIndex((row) => (heightOf(row, kind) ?? cell.daHeight) < cell.daHeight) + 1;
    const end = rows.findIndex((row) => (heightOf(row, kind) ?? cell.daHeight) > cell.daHeight);
    return rows.slice(first, end < 0 ? rows.length : end).some((row) => {
      const mayBe = row.kind === kindCodeOf(kind) || row.kind === MIXED || row.kind === UNKNOWN;
      return row.status === 0 && row.daHeight === null && mayBe;
    });
  });
}

/** The DA height of a success of the kind. */
function heightOf({ status, kind, daHeight }: SubmissionRecord, wanted: BlobKind): bigint | null {
  return status === 0 && kind === kindCodeOf(wanted) ? daHeight : null;
}
