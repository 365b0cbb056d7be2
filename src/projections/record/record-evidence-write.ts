import { deleteRows, insertRows, updateRows, upsertRows } from '../../platform/rows/write-rows.js';
import { InclusionOpenEntity } from '../../tables/record/inclusion-open.entity.js';
import { SubmissionEvidencePastEntity } from '../../tables/record/submission-evidence-past.entity.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { Query } from '../projection.js';
import { DECIDED, keptPast } from './record-attempt.js';
import type { Cell, Reconstructed } from './record-cells.js';
import type { EvidenceBatch } from './record-evidence-batch.js';

const ATTEMPT = {
  key: ['nodeKey', 'sequence'],
  changed: ['evidenceFromPosition', ...DECIDED],
} as const;
const REBUILT = {
  key: ['daHeight', 'lineageKey', 'kind', 'fromPosition', 'evidence'],
  changed: ['toPosition', 'lossPosition'],
} as const;

const OPEN = ['changedAt', 'passed', 'beyond', 'waitsFor'] as const;

/** Writes what evidence changed. Rows of this batch are inserted by others, with the evidence that they have by now. */
export async function writeEvidence({ changes, cells }: EvidenceBatch, query: Query): Promise<void> {
  const attempts = [...changes.attempts];
  const stored = attempts.filter(({ isStored }) => isStored);
  await updateRows(query, SubmissionEntity, ATTEMPT, stored);
  await insertRows(query, SubmissionEvidencePastEntity, attempts.flatMap(keptPast));
  await writeRebuilt([...changes.rebuilt], query);
  await writeOpen([...cells.all()], query);
}

async function writeRebuilt(rows: readonly Reconstructed[], query: Query): Promise<void> {
  const stored = rows.filter(({ isStored }) => isStored);
  await updateRows(query, SubmissionEntity, REBUILT, stored);
  const fresh = rows.filter(({ isStored }) => !isStored);
  const added = fresh.map((row) => ({ ...row, occurredAt: row.timeAt, unreadable: false }));
  await insertRows(query, SubmissionEntity, added);
}

async function writeOpen(cells: readonly Cell[], query: Query): Promise<void> {
  const closed = cells.filter(({ open, storedOpen }) => storedOpen && !open);
  await deleteRows(query, InclusionOpenEntity, ['lineageKey', 'daHeight'], closed);
  const open = cells.flatMap(({ lineageKey, daHeight, changedAt, open: now, storedOpen: before }) => {
    if (!now) return [];
    const open = { lineageKey, daHeight, changedAt, ...now };
    return before && OPEN.every((name) => open[name] === before[name]) ? [] : [open];
  });
  await upsertRows(query, InclusionOpenEntity, open);
}
