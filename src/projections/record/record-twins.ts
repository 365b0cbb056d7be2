import { NOTHING_CARRIED } from '../../domain/submissions/carried-blobs.js';
import { evidenceCodeOf } from '../../domain/submissions/submission-codes.js';
import { columnsOf } from '../../platform/rows/row-columns.js';
import { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { Query } from '../projection.js';
import { decide, type Attempt } from './record-attempt.js';
import { CellFit } from './record-cell-fit.js';
import { inOrder } from './record-cell-queue.js';
import type { CellKey } from './record-cell-table.js';
import type { Cell } from './record-cells.js';
import type { EvidenceBatch } from './record-evidence-batch.js';
import type { RecordFact } from './record-facts.js';
import { isHeightless } from './record-late.js';
import type { SubmissionRecord } from './record-submissions.js';

const CONFIRMED = evidenceCodeOf('CONFIRMED');
const OBSERVED = evidenceCodeOf('OBSERVED');
const TWIN_COLUMNS = columnsOf(SubmissionEntity, 'occurredAt', 'digest');

/** Whether a row counts for its chain before the same one of another node, of which the time is wild: a failure told in time. */
function isToldInTime({ status, wildTime, occurredAt, ...row }: SubmissionRecord): boolean {
  return status !== 0 && !wildTime && occurredAt !== null && isHeightless({ ...row, status, wildTime });
}

/** Cells at which a failure of a wild time landed that these facts show in time, as another node's row. */
export async function findLandedTwins(facts: readonly RecordFact[], query: Query): Promise<CellKey[]> {
  const rows = facts.flatMap((fact) => (fact.type === 'rows' ? fact.rows.filter(isToldInTime) : []));
  if (rows.length === 0) return [];
  const wanted = TWIN_COLUMNS.unnest(rows, 'n');
  return query<CellKey>(
    `SELECT DISTINCT w.lineage_key AS "lineageKey", w.da_height AS "daHeight"
       FROM ${wanted.sql} JOIN submission w ON w.occurred_at = n.occurred_at AND w.digest = n.digest
      WHERE w.wild_time AND w.occurred_at IS NOT NULL AND w.status <> 0 AND w.evidence = ${CONFIRMED}
        AND w.lineage_key IS NOT NULL AND w.da_height IS NOT NULL`,
    wanted.parameters,
  );
}

/**
 * Gives what a failure of a wild time carried to the same attempt as another node tells it in time, which counts for the chain.
 *
 * @returns the cells that changed, each with the failure that carried nothing any more
 */
export function takeOver(
  batch: EvidenceBatch,
  rows: readonly SubmissionRecord[],
  position: bigint,
): { cell: Cell; released: Attempt }[] {
  const told = new Map(rows.filter(isToldInTime).map((row) => [nameOfTwin(row), row]));
  if (told.size === 0) return [];
  const cells = [...batch.cells.all()].filter(({ attempts }) => attempts.some(isLandedWild));
  const landed = inOrder(cells).flatMap((cell) =>
    cell.attempts.filter(isLandedWild).map((attempt) => ({ cell, attempt })),
  );
  return landed.flatMap(({ cell, attempt }) => {
    const row = told.get(nameOfTwin(attempt));
    const isTwin = row && row.nodeKey !== attempt.nodeKey && row.lineageKey === attempt.lineageKey;
    if (!isTwin || row.evidence === CONFIRMED) return [];
    cell.removeAttempt(attempt);
    cell.addAttempt(row);
    if (new CellFit(cell).fitOf(cell.attempts.indexOf(row)) !== 'EXACT') {
      cell.removeAttempt(row);
      cell.addAttempt(attempt);
      return [];
    }
    const { daHeight } = cell;
    decide(row, position, { evidence: CONFIRMED, daHeight });
    decide(attempt, position, { evidence: OBSERVED, daHeight: null, ...NOTHING_CARRIED });
    batch.changes.attempts.add(row).add(attempt);
    return [{ cell, released: attempt }];
  });
}

function isLandedWild({ status, evidence, wildTime, occurredAt }: Attempt): boolean {
  return status !== 0 && evidence === CONFIRMED && wildTime && occurredAt !== null;
}

function nameOfTwin({ occurredAt, digest }: Pick<Attempt, 'occurredAt' | 'digest'>): string {
  return `${occurredAt} ${digest}`;
}
