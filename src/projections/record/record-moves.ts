import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import { decide, DECIDED, type Attempt } from './record-attempt.js';
import type { Cell } from './record-cells.js';
import type { EvidenceBatch } from './record-evidence-batch.js';
import type { RecordFact } from './record-facts.js';
import { markMoved, selectQuarter, type OwnedQuarter } from './record-mark-sources.js';

const OBSERVED = evidenceCodeOf('OBSERVED');
const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const UNKNOWN_KIND = kindCodeOf('UNKNOWN');

/** A node has told its namespaces: its rows of unknown kind get the one that they would have had from the start. */
export async function applyDescription(
  batch: EvidenceBatch,
  fact: RecordFact & { type: 'described' },
  touched: Set<Cell>,
): Promise<void> {
  const { nodeKey, headerNamespace, dataNamespace } = fact;
  batch.parts.told.set(nodeKey, { HEADER: headerNamespace, DATA: dataNamespace });
  const correct = (attempt: Attempt): boolean => {
    if (attempt.nodeKey !== nodeKey || attempt.kind !== UNKNOWN_KIND) return false;
    const isDecided = decide(attempt, fact.position, { kind: kindByKey(attempt.namespaceKey, fact) });
    if (isDecided) batch.changes.attempts.add(attempt);
    return isDecided;
  };
  for (const cell of batch.cells.all()) {
    for (const attempt of cell.attempts) if (correct(attempt)) touched.add(cell);
  }
  for (const orphan of batch.orphans.get(nodeKey) ?? []) correct(orphan);
  for (const candidate of batch.named.values()) correct(candidate);
  for (const row of batch.recordedByNode.get(nodeKey) ?? []) correct(row);
  for (const namespaceKey of new Set([headerNamespace, dataNamespace])) {
    if (namespaceKey === null) continue;
    await updateRows(
      batch,
      fact,
      { set: 'kind = $3', where: `node_key = $1 AND namespace_key = $2 AND kind = ${UNKNOWN_KIND}` },
      [nodeKey, namespaceKey, kindByKey(namespaceKey, fact)],
    );
  }
}

/**
 * A node shows the blocks of a lineage: its rows without one belong there. So do, after another lineage, those
 * successes that no block of that one has shown by now; of those that tell too little to wait for a block, the ones that
 * lie beyond all its blocks, where both are of one chain.
 */
export async function applyJoining(
  batch: EvidenceBatch,
  fact: RecordFact & { type: 'joined' },
  touched: Set<Cell>,
): Promise<void> {
  const { nodeKey, from, to } = fact;
  const move = (attempt: Attempt) => {
    decide(attempt, fact.position, { lineageKey: to });
    batch.changes.attempts.add(attempt);
    if (attempt.daHeight !== null) touched.add(batch.addAttempt(attempt, to, attempt.daHeight));
  };
  const unplaced = 'node_key = $1 AND lineage_key IS NULL';
  await updateRows(batch, fact, { set: 'lineage_key = $2', where: unplaced }, [nodeKey, to]);
  for (const orphan of batch.orphans.get(nodeKey) ?? []) move(orphan);
  batch.orphans.delete(nodeKey);
  for (const row of batch.recordedByNode.get(nodeKey) ?? []) {
    if (row.lineageKey !== null || !decide(row, fact.position, { lineageKey: to })) continue;
    batch.changes.attempts.add(row);
  }
  if (from === null) return;
  const { chainOf, maxDa } = batch.parts;
  const isSameChain = chainOf.get(from) === chainOf.get(to);
  const highest = maxDa.get(from) ?? -1n;
  const isOpen = ({ status, evidence, daHeight }: Attempt) =>
    evidence === UNCONFIRMED ||
    (isSameChain && status === 0 && evidence === OBSERVED && (daHeight ?? 0n) > highest);
  const moved: bigint[] = [];
  for (const cell of [...batch.cells.all()].filter(({ lineageKey }) => lineageKey === from)) {
    for (const attempt of cell.attempts.filter((a) => a.nodeKey === nodeKey && isOpen(a))) {
      cell.removeAttempt(attempt);
      touched.add(cell);
      batch.marks.addRow(attempt, attempt.timeAt);
      moved.push(attempt.sequence);
      move(attempt);
    }
  }
  // At once, so that whatever this batch asks of the table finds them where they are.
  if (moved.length > 0) await moveStored(batch, fact, moved);
  if (!isSameChain) await markMoved(nodeKey, moved, batch.marks, batch.query);
}

function moveStored(
  batch: EvidenceBatch,
  { nodeKey, to }: RecordFact & { type: 'joined' },
  sequences: readonly bigint[],
): Promise<unknown> {
  return batch.query(
    'UPDATE submission SET lineage_key = $2 WHERE node_key = $1 AND sequence = ANY ($3::bigint[])',
    [nodeKey, to, sequences],
  );
}

/**
 * Changes stored rows of a node, keeps what they were before, and marks them. Of those that the batch holds in memory it
 * is the batch that writes the history: it may have decided more that is not written yet.
 */
async function updateRows(
  batch: EvidenceBatch,
  { nodeKey, position }: { readonly nodeKey: number; readonly position: bigint },
  { set, where }: { readonly set: string; readonly where: string },
  parameters: readonly unknown[],
): Promise<void> {
  const decided = columnsOf(SubmissionEntity, ...DECIDED).names;
  const at = `$${parameters.length + 1}::int8`;
  const held = `$${parameters.length + 2}::int8[]`;
  const rows = await batch.query<OwnedQuarter>(
    `WITH past AS (
       INSERT INTO submission_evidence_past (node_key, sequence, from_position, to_position, ${decided})
       SELECT node_key, sequence, evidence_from_position, ${at}, ${decided} FROM submission s
        WHERE ${where} AND evidence_from_position < ${at} AND sequence <> ALL (${held})),
     changed AS (
       UPDATE submission s SET ${set}, evidence_from_position = ${at} WHERE ${where}
       RETURNING node_key, lineage_key, time_at)
     SELECT ${selectQuarter('changed')} FROM changed`,
    [...parameters, position, heldOf(batch, nodeKey)],
  );
  for (const row of rows) batch.marks.addRow(row, row.quarter);
}

/** Sequences of the stored rows of a node that the batch holds in memory. */
function heldOf({ cells, orphans, named }: EvidenceBatch, nodeKey: number): bigint[] {
  const held = [...cells.all()].flatMap(({ attempts }) => attempts);
  return [...held, ...(orphans.get(nodeKey) ?? []), ...named.values()]
    .filter((attempt) => attempt.nodeKey === nodeKey && attempt.isStored)
    .map(({ sequence }) => sequence);
}

function kindByKey(
  namespaceKey: number | null,
  { headerNamespace, dataNamespace }: RecordFact & { type: 'described' },
): number {
  if (namespaceKey === null) return UNKNOWN_KIND;
  if (namespaceKey === headerNamespace)
    return kindCodeOf(namespaceKey === dataNamespace ? 'MIXED' : 'HEADER');
  return namespaceKey === dataNamespace ? kindCodeOf('DATA') : UNKNOWN_KIND;
}
