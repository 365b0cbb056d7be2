import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import type { Attempt } from './record-attempt.js';
import type { Cell } from './record-cells.js';
import type { EvidenceBatch } from './record-evidence-batch.js';
import type { RecordFact } from './record-facts.js';
import { markMoved, selectQuarter, type OwnedQuarter } from './record-mark-sources.js';

const OBSERVED = evidenceCodeOf('OBSERVED');
const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const UNKNOWN_KIND = kindCodeOf('UNKNOWN');

/** The namespaces that a node told, by key. */
type ToldNamespaces = Pick<
  RecordFact & { type: 'described' },
  'nodeKey' | 'headerNamespace' | 'dataNamespace'
>;

/** A node shows another lineage than before. */
interface Move {
  readonly nodeKey: number;
  readonly from: number;
  readonly to: number;
}

/** A node has told its namespaces: its rows of unknown kind get the one that they would have had from the start. */
export async function applyDescription(
  batch: EvidenceBatch,
  fact: RecordFact & { type: 'described' },
  touched: Set<Cell>,
): Promise<void> {
  const { nodeKey, headerNamespace, dataNamespace } = fact;
  batch.parts.told.set(nodeKey, { HEADER: headerNamespace, DATA: dataNamespace });
  if (batch.pages) return batch.pages.leave('KINDS', fact);
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
  await tellKinds(batch, fact, 'true', []);
}

/** Gives stored rows of unknown kind the one that their node's namespaces tell, as far as a condition ($3 …) holds of them. */
export async function tellKinds(
  batch: EvidenceBatch,
  told: ToldNamespaces,
  condition: string,
  parameters: readonly unknown[],
): Promise<void> {
  for (const namespaceKey of new Set([told.headerNamespace, told.dataNamespace])) {
    if (namespaceKey === null) continue;
    await updateRows(
      batch,
      `SET kind = ${kindByKey(namespaceKey, told)}
        WHERE node_key = $1 AND namespace_key = $2 AND kind = ${UNKNOWN_KIND} AND ${condition}`,
      [told.nodeKey, namespaceKey, ...parameters],
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
  const orphans = batch.orphans.get(nodeKey) ?? [];
  for (const orphan of orphans) place(batch, orphan, to, touched);
  batch.orphans.delete(nodeKey);
  for (const row of batch.recordedByNode.get(nodeKey) ?? []) row.lineageKey ??= to;
  if (batch.pages) {
    await placeRows(batch, fact, 'sequence = ANY ($3::bigint[])', [orphans.map(({ sequence }) => sequence)]);
    batch.pages.leave('JOINING', fact);
    if (from !== null) batch.pages.leave('LEAVING', fact, { lineageKey: from, nextNumber: 0n });
  } else await placeRows(batch, fact, 'true', []);
  if (from !== null) await leaveLineage(batch, { ...fact, from }, touched);
}

/** Gives stored rows without a lineage the one that their node shows, as far as a condition ($3 …) holds of them. */
export function placeRows(
  batch: EvidenceBatch,
  { nodeKey, to }: Pick<Move, 'nodeKey' | 'to'>,
  condition: string,
  parameters: readonly unknown[],
): Promise<void> {
  return updateRows(
    batch,
    `SET lineage_key = $2 WHERE node_key = $1 AND lineage_key IS NULL AND ${condition}`,
    [nodeKey, to, ...parameters],
  );
}

/** Takes the open successes of a node, as far as their cells are loaded, from a lineage to another one. */
export async function leaveLineage(batch: EvidenceBatch, move: Move, touched: Set<Cell>): Promise<void> {
  const { nodeKey, from, to } = move;
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
      place(batch, attempt, to, touched);
    }
  }
  // At once, so that whatever this batch asks of the table finds them where they are.
  if (moved.length > 0) await moveStored(batch, move, moved);
  if (!isSameChain) await markMoved(nodeKey, moved, batch.marks, batch.query);
}

function place(batch: EvidenceBatch, attempt: Attempt, to: number, touched: Set<Cell>): void {
  attempt.lineageKey = to;
  if (attempt.daHeight === null) return;
  touched.add(batch.addAttempt(attempt, to, attempt.daHeight));
  batch.changes.attempts.add(attempt);
}

function moveStored(
  batch: EvidenceBatch,
  { nodeKey, to }: Move,
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
    `WITH changed AS (UPDATE submission ${update} RETURNING node_key, lineage_key, time_at)
     SELECT ${selectQuarter('changed')} FROM changed`,
    parameters,
  );
  for (const row of rows) batch.marks.addRow(row, row.quarter);
}

function kindByKey(namespaceKey: number | null, { headerNamespace, dataNamespace }: ToldNamespaces): number {
  if (namespaceKey === null) return UNKNOWN_KIND;
  if (namespaceKey === headerNamespace)
    return kindCodeOf(namespaceKey === dataNamespace ? 'MIXED' : 'HEADER');
  return namespaceKey === dataNamespace ? kindCodeOf('DATA') : UNKNOWN_KIND;
}
