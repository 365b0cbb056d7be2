import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { chainOfUnplaced } from '../chain-of-row.js';
import type { Attempt } from './record-attempt.js';
import type { Cell } from './record-cells.js';
import type { EvidenceBatch } from './record-evidence-batch.js';
import type { RecordFact } from './record-facts.js';
import { selectQuarter, type OwnedQuarter } from './record-mark-sources.js';

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
    attempt.kind = kindByKey(attempt.namespaceKey, fact);
    return attempt.kind !== UNKNOWN_KIND;
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
      `SET kind = $3 WHERE node_key = $1 AND namespace_key = $2 AND kind = ${UNKNOWN_KIND}`,
      [nodeKey, namespaceKey, kindByKey(namespaceKey, fact)],
    );
  }
}

/**
 * A node shows the blocks of a lineage: its rows without one that are of the chain belong there. So do, after another
 * lineage of the chain, those successes that no block of that one has shown by now; of those that tell too little to wait
 * for a block, the ones that lie beyond all its blocks. Rows of another chain stay there.
 */
export async function applyJoining(
  batch: EvidenceBatch,
  fact: RecordFact & { type: 'joined' },
  touched: Set<Cell>,
): Promise<void> {
  const { nodeKey, from, to } = fact;
  const move = (attempt: Attempt) => {
    attempt.lineageKey = to;
    if (attempt.daHeight === null) return;
    touched.add(batch.addAttempt(attempt, to, attempt.daHeight));
    batch.changes.attempts.add(attempt);
  };
  const { chainOf, maxDa } = batch.parts;
  const chain = chainOf.get(to) ?? '';
  const orphans = batch.orphans.get(nodeKey) ?? [];
  for (const orphan of orphans) if (orphan.namedChain === chain) move(orphan);
  batch.orphans.set(
    nodeKey,
    orphans.filter(({ lineageKey }) => lineageKey === null),
  );
  for (const row of batch.recordedByNode.get(nodeKey) ?? []) {
    if (row.namedChain === chain) row.lineageKey ??= to;
  }
  await updateRows(
    batch,
    `SET lineage_key = $2 WHERE node_key = $1 AND lineage_key IS NULL AND ${chainOfUnplaced('s')} = $3`,
    [nodeKey, to, chain],
  );
  if (from === null || from === to || chainOf.get(from) !== chain) return;
  const highest = maxDa.get(from) ?? -1n;
  const isOpen = ({ status, evidence, daHeight }: Attempt) =>
    evidence === UNCONFIRMED || (status === 0 && evidence === OBSERVED && (daHeight ?? 0n) > highest);
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

/** Changes stored rows, and marks them. */
async function updateRows(
  batch: EvidenceBatch,
  update: string,
  parameters: readonly unknown[],
): Promise<void> {
  const rows = await batch.query<OwnedQuarter>(
    `WITH changed AS (UPDATE submission s ${update}
       RETURNING s.node_key, s.lineage_key, s.time_at, s.from_position)
     SELECT ${selectQuarter('changed')} FROM changed`,
    parameters,
  );
  for (const row of rows) batch.marks.addRow(row, row.quarter);
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
