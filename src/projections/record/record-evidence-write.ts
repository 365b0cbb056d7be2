import type { CarriedBlobs } from '../../domain/submissions/carried-blobs.js';
import { evidenceCodeOf, kindCodeOf } from '../../domain/submissions/submission-codes.js';
import { column, unnestRows, type Column } from '../../platform/unnest-rows.js';
import type { Query } from '../projection.js';
import type { Attempt, PastEvidence } from './record-attempt.js';
import type { Cell, Reconstructed } from './record-cells.js';
import type { EvidenceBatch } from './record-evidence.js';

const RECONSTRUCTED = evidenceCodeOf('RECONSTRUCTED');

interface HasCarried {
  readonly carried: CarriedBlobs;
}
export const CARRIED_COLUMNS = [
  column('block_from', 'int8', ({ carried }: HasCarried) => carried.blockFrom),
  column('block_to', 'int8', ({ carried }: HasCarried) => carried.blockTo),
  column('shares', 'int4', ({ carried }: HasCarried) => carried.shares),
  column('signed_shares', 'int4', ({ carried }: HasCarried) => carried.signedShares),
];

const ATTEMPT_CHANGES: readonly Column<Attempt>[] = [
  column('node_key', 'int4', (attempt: Attempt) => attempt.nodeKey),
  column('sequence', 'int8', (attempt: Attempt) => attempt.sequence),
  column('lineage_key', 'int4', (attempt: Attempt) => attempt.lineageKey),
  column('kind', 'int2', (attempt: Attempt) => attempt.kind),
  column('da_height', 'int8', (attempt: Attempt) => attempt.daHeight),
  column('evidence', 'int2', (attempt: Attempt) => attempt.evidence),
  column('evidence_from_position', 'int8', (attempt: Attempt) => attempt.evidenceFrom),
  ...CARRIED_COLUMNS,
];

interface Past extends PastEvidence {
  readonly nodeKey: number;
  readonly sequence: bigint;
}
const PAST_COLUMNS = [
  column('node_key', 'int4', (past: Past) => past.nodeKey),
  column('sequence', 'int8', (past: Past) => past.sequence),
  column('evidence', 'int2', (past: Past) => past.evidence),
  column('from_position', 'int8', (past: Past) => past.fromPosition),
  column('to_position', 'int8', (past: Past) => past.toPosition),
];

const REBUILT_COLUMNS: readonly Column<Reconstructed>[] = [
  column('lineage_key', 'int4', (row: Reconstructed) => row.lineageKey),
  column('status', 'int2', () => 0),
  column('kind', 'int2', (row: Reconstructed) => kindCodeOf(row.kind)),
  column('evidence', 'int2', () => RECONSTRUCTED),
  column('wild_time', 'bool', () => false),
  column('unreadable', 'bool', () => false),
  column('namespace_key', 'int4', (row: Reconstructed) => row.namespaceKey),
  column('blob_count', 'int4', (row: Reconstructed) => row.blobCount),
  column('da_height', 'int8', (row: Reconstructed) => row.daHeight),
  column('size_bytes', 'int8', (row: Reconstructed) => row.sizeBytes),
  column('occurred_at', 'timestamptz', (row: Reconstructed) => row.timeAt),
  column('observed_at', 'timestamptz', (row: Reconstructed) => row.observedAt),
  column('time_at', 'timestamptz', (row: Reconstructed) => row.timeAt),
  column('from_position', 'int8', (row: Reconstructed) => row.fromPosition),
  column('to_position', 'int8', (row: Reconstructed) => row.toPosition),
  column('evidence_from_position', 'int8', (row: Reconstructed) => row.fromPosition),
  column('loss_position', 'int8', (row: Reconstructed) => row.lossPosition),
  ...CARRIED_COLUMNS,
];
const REBUILT_CHANGES = [
  column('lineage_key', 'int4', (row: Reconstructed) => row.lineageKey),
  column('kind', 'int2', (row: Reconstructed) => kindCodeOf(row.kind)),
  column('da_height', 'int8', (row: Reconstructed) => row.daHeight),
  column('from_position', 'int8', (row: Reconstructed) => row.fromPosition),
  column('to_position', 'int8', (row: Reconstructed) => row.toPosition),
  column('loss_position', 'int8', (row: Reconstructed) => row.lossPosition),
];

const OPEN_COLUMNS = [
  column('lineage_key', 'int4', (cell: Cell) => cell.lineageKey),
  column('da_height', 'int8', (cell: Cell) => cell.daHeight),
  column('changed_at', 'timestamptz', (cell: Cell) => cell.changedAt),
  column('passed', 'bool', (cell: Cell) => cell.open?.passed ?? false),
  column('beyond', 'bool', (cell: Cell) => cell.open?.beyond ?? false),
];

/** Writes what evidence changed. Rows of this batch are inserted by others, with the evidence that they have by now. */
export async function writeEvidence(batch: EvidenceBatch, query: Query): Promise<void> {
  await updateAttempts(
    [...batch.changes.attempts].filter(({ isStored }) => isStored),
    query,
  );
  await insertPast(batch, query);
  await writeRebuilt([...batch.changes.rebuilt], query);
  await writeOpen([...batch.cells.all()], query);
}

async function updateAttempts(attempts: readonly Attempt[], query: Query): Promise<void> {
  if (attempts.length === 0) return;
  const changed = unnestRows(ATTEMPT_CHANGES, attempts, 'c');
  await query(
    `UPDATE submission s SET lineage_key = c.lineage_key, kind = c.kind, da_height = c.da_height,
            evidence = c.evidence, evidence_from_position = c.evidence_from_position, block_from = c.block_from,
            block_to = c.block_to, shares = c.shares, signed_shares = c.signed_shares
       FROM ${changed.sql} WHERE s.node_key = c.node_key AND s.sequence = c.sequence`,
    changed.parameters,
  );
}

async function insertPast(batch: EvidenceBatch, query: Query): Promise<void> {
  const all: Past[] = [];
  for (const { nodeKey, sequence, past = [] } of batch.changes.attempts) {
    for (const each of past) all.push({ ...each, nodeKey, sequence });
  }
  if (all.length === 0) return;
  const added = unnestRows(PAST_COLUMNS, all);
  await query(
    `INSERT INTO submission_evidence_past (${added.names}) SELECT * FROM ${added.sql}`,
    added.parameters,
  );
}

async function writeRebuilt(rows: readonly Reconstructed[], query: Query): Promise<void> {
  const stored = rows.filter(({ isStored }) => isStored);
  if (stored.length > 0) {
    const changed = unnestRows(REBUILT_CHANGES, stored, 'c');
    await query(
      `UPDATE submission s SET to_position = c.to_position, loss_position = c.loss_position FROM ${changed.sql}
        WHERE s.da_height = c.da_height AND s.lineage_key = c.lineage_key AND s.kind = c.kind
          AND s.from_position = c.from_position AND s.evidence = ${RECONSTRUCTED}`,
      changed.parameters,
    );
  }
  const fresh = rows.filter(({ isStored }) => !isStored);
  if (fresh.length === 0) return;
  const added = unnestRows(REBUILT_COLUMNS, fresh);
  await query(`INSERT INTO submission (${added.names}) SELECT * FROM ${added.sql}`, added.parameters);
}

async function writeOpen(cells: readonly Cell[], query: Query): Promise<void> {
  const gone = cells.filter(({ open, storedOpen }) => storedOpen && !open);
  if (gone.length > 0) {
    const closed = unnestRows(OPEN_COLUMNS.slice(0, 2), gone, 'c');
    await query(
      `DELETE FROM inclusion_open o USING ${closed.sql}
        WHERE o.lineage_key = c.lineage_key AND o.da_height = c.da_height`,
      closed.parameters,
    );
  }
  const open = cells.filter(
    ({ open: now, storedOpen: before, changedAt }) =>
      now &&
      (now.passed !== before?.passed || now.beyond !== before.beyond || changedAt !== before.changedAt),
  );
  if (open.length === 0) return;
  const kept = unnestRows(OPEN_COLUMNS, open);
  await query(
    `INSERT INTO inclusion_open (${kept.names}) SELECT * FROM ${kept.sql}
     ON CONFLICT (lineage_key, da_height) DO UPDATE
       SET changed_at = excluded.changed_at, passed = excluded.passed, beyond = excluded.beyond`,
    kept.parameters,
  );
}
