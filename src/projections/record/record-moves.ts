import type { Fit } from '../../domain/evidence/blob-segments.js';
import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import { chainOfUnplaced } from '../chain-of-row.js';
import { decide, DECIDED, type Attempt } from './record-attempt.js';
import { CellFit } from './record-cell-fit.js';
import type { Cell } from './record-cells.js';
import type { EvidenceBatch } from './record-evidence-batch.js';
import type { RecordFact } from './record-facts.js';
import { selectQuarter, type OwnedQuarter } from './record-mark-sources.js';
import { lineageLeft } from './record-page-find.js';

const OBSERVED = evidenceCodeOf('OBSERVED');
const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');
const UNKNOWN_KIND = kindCodeOf('UNKNOWN');

/** The namespaces that a node told, by key. */
type ToldNamespaces = Pick<
  RecordFact & { type: 'described' },
  'nodeKey' | 'headerNamespace' | 'dataNamespace' | 'position'
>;

/** A node shows another lineage than before. */
interface Move {
  readonly nodeKey: number;
  readonly from: number;
  readonly to: number;
  /** Of the event that showed it. */
  readonly position: bigint;
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
      told,
      {
        set: `kind = ${kindByKey(namespaceKey, told)}`,
        where: `node_key = $1 AND namespace_key = $2 AND kind = ${UNKNOWN_KIND} AND ${condition}`,
      },
      [told.nodeKey, namespaceKey, ...parameters],
    );
  }
}

/**
 * A node shows the blocks of a lineage: its rows without one that are of the chain belong there. So do, after another
 * lineage of the chain, those successes of which no block of that one has shown anything by now; of those that tell too little to wait
 * for a block, the ones that lie beyond all its blocks. Rows of another chain stay there.
 */
export async function applyJoining(
  batch: EvidenceBatch,
  fact: RecordFact & { type: 'joined' },
  touched: Set<Cell>,
): Promise<void> {
  const { nodeKey, to, position } = fact;
  const chain = batch.parts.chainOf.get(to) ?? '';
  const from = lineageLeft(fact, batch.parts);
  const orphans = batch.orphans.get(nodeKey) ?? [];
  const placed = orphans.filter(({ namedChain }) => namedChain === chain);
  // While the batch still holds the orphans, whose history it writes itself.
  if (batch.pages) {
    await placeRows(batch, fact, 'sequence = ANY ($4::bigint[])', [placed.map(({ sequence }) => sequence)]);
    batch.pages.leave('JOINING', fact);
    if (from !== null) batch.pages.leave('LEAVING', fact, { lineageKey: from, nextNumber: 0n });
  } else await placeRows(batch, fact, 'true', []);
  for (const orphan of placed) place(batch, orphan, fact, touched);
  batch.orphans.set(
    nodeKey,
    orphans.filter(({ namedChain }) => namedChain !== chain),
  );
  for (const row of batch.recordedByNode.get(nodeKey) ?? []) {
    if (row.lineageKey !== null || row.namedChain !== chain) continue;
    if (decide(row, position, { lineageKey: to })) batch.changes.attempts.add(row);
  }
  if (from !== null) await leaveLineage(batch, { ...fact, from }, touched);
}

/** Gives stored rows of a lineage's chain without one the lineage, as far as a condition ($4 …) holds of them. */
export function placeRows(
  batch: EvidenceBatch,
  { nodeKey, to, position }: Omit<Move, 'from'>,
  condition: string,
  parameters: readonly unknown[],
): Promise<void> {
  const where = `node_key = $1 AND lineage_key IS NULL AND ${chainOfUnplaced('s')} = $3 AND ${condition}`;
  const chain = batch.parts.chainOf.get(to) ?? '';
  return updateRows(batch, { nodeKey, position }, { set: 'lineage_key = $2', where }, [
    nodeKey,
    to,
    chain,
    ...parameters,
  ]);
}

/** Takes the open successes of a node, as far as their cells are loaded, from a lineage to another one of its chain. */
export async function leaveLineage(batch: EvidenceBatch, move: Move, touched: Set<Cell>): Promise<void> {
  const { nodeKey, from } = move;
  const highest = batch.parts.maxDa.get(from) ?? -1n;
  const isOpen = ({ status, evidence, daHeight }: Attempt, fit: Fit) =>
    (evidence === UNCONFIRMED && fit === 'NONE') ||
    (status === 0 && evidence === OBSERVED && (daHeight ?? 0n) > highest);
  const moved: bigint[] = [];
  for (const cell of [...batch.cells.all()].filter(({ lineageKey }) => lineageKey === from)) {
    if (!cell.attempts.some((attempt) => attempt.nodeKey === nodeKey)) continue;
    const fit = new CellFit(cell);
    const leaving = cell.attempts.filter((a, index) => a.nodeKey === nodeKey && isOpen(a, fit.fitOf(index)));
    for (const attempt of leaving) {
      cell.removeAttempt(attempt);
      touched.add(cell);
      batch.marks.addRow(attempt, attempt.timeAt);
      moved.push(attempt.sequence);
      place(batch, attempt, move, touched);
    }
  }
  // At once, so that whatever this batch asks of the table finds them where they are.
  if (moved.length > 0) await moveStored(batch, nodeKey, move.to, moved);
}

function place(
  batch: EvidenceBatch,
  attempt: Attempt,
  { to, position }: Pick<Move, 'to' | 'position'>,
  touched: Set<Cell>,
): void {
  decide(attempt, position, { lineageKey: to });
  batch.changes.attempts.add(attempt);
  if (attempt.daHeight !== null) touched.add(batch.addAttempt(attempt, to, attempt.daHeight));
}

/** Gives stored rows of a node another lineage, whose history the batch writes. */
export function moveStored(
  { query }: EvidenceBatch,
  nodeKey: number,
  to: number,
  sequences: readonly bigint[],
): Promise<unknown> {
  return query(
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
       RETURNING node_key, lineage_key, time_at, from_position)
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

function kindByKey(namespaceKey: number | null, { headerNamespace, dataNamespace }: ToldNamespaces): number {
  if (namespaceKey === null) return UNKNOWN_KIND;
  if (namespaceKey === headerNamespace)
    return kindCodeOf(namespaceKey === dataNamespace ? 'MIXED' : 'HEADER');
  return namespaceKey === dataNamespace ? kindCodeOf('DATA') : UNKNOWN_KIND;
}
