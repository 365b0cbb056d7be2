import { Inject, Injectable } from '@nestjs/common';
import { placeCarriers, type IncludedBlob, type Placement } from '../../domain/evidence/blob-segments.js';
import { blobKindOf } from '../../domain/evidence/evidence.js';
import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import { SUBMISSION_KINDS } from '../../domain/submissions/submission-codes.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { StatementSource } from '../../platform/sql.js';
import { CellTable } from '../../projections/record/record-cell-table.js';
import type { Cell } from '../../projections/record/record-cells.js';
import type { Submission } from './submission.type.js';

/** What a submission's blocks are found by. */
export type CarriedBy = Pick<
  Submission,
  'nodeKey' | 'sequence' | 'lineageKey' | 'kind' | 'daHeight' | 'evidence'
>;

/** A submission at a DA height of a lineage. */
type Placed = CarriedBy & { readonly lineageKey: number; readonly daHeight: bigint };

/** Reads which blocks a submission carried: those that its evidence was decided from, found again in the same way. */
@Injectable()
export class CarriedHeightsQuery {
  constructor(@Inject(ReadDatabase) private readonly dataSource: StatementSource) {}

  /** Heights in ascending order, one list for each submission; empty where no block shows it, or none for certain. */
  async getCarriedHeights(submissions: readonly CarriedBy[]): Promise<bigint[][]> {
    const placed = submissions.filter(isPlaced);
    const cells = new CellTable();
    const furthest = new Map(placed.map(({ lineageKey }) => [lineageKey, 2n ** 63n]));
    await cells.load(placed, furthest, (sql, parameters) =>
      this.dataSource.query(sql, [...(parameters ?? [])]),
    );
    const placements = new Map<Cell, Placement>();
    return submissions.map((submission) => {
      if (!isPlaced(submission)) return [];
      const cell = cells.get(submission.lineageKey, submission.daHeight);
      const placement = placements.get(cell) ?? placeAttempts(cell);
      placements.set(cell, placement);
      return findBlobs(submission, cell, placement).map((blob) => blob.height);
    });
  }
}

function isPlaced(submission: CarriedBy): submission is Placed {
  const isShown = submission.evidence === 'CONFIRMED' || submission.evidence === 'RECONSTRUCTED';
  return isShown && submission.lineageKey !== null && submission.daHeight !== null;
}

function placeAttempts(cell: Cell): Placement {
  const carriers = cell.attempts.map(({ nodeKey, kind, blobCount, sizeBytes }) => ({
    nodeKey,
    kind: blobKindOf(SUBMISSION_KINDS[kind] ?? 'UNKNOWN'),
    blobCount,
    sizeBytes,
  }));
  return placeCarriers(cell.sortedBlobs(), carriers);
}

function findBlobs(submission: Placed, cell: Cell, placement: Placement): readonly IncludedBlob[] {
  const kind = submission.kind === 'HEADER' || submission.kind === 'DATA' ? submission.kind : null;
  if (submission.sequence === null) return (kind && placement.leftover[kind]?.blobs) ?? [];
  const index = cell.attempts.findIndex(
    ({ nodeKey, sequence }) => nodeKey === submission.nodeKey && sequence === submission.sequence,
  );
  const exact = placement.carried[index];
  if (exact) return cell.sortedBlobs()[exact.kind].slice(exact.from, exact.to);
  // Not all of its blocks are recorded: it has what no other attempt holds exactly.
  return kind && placement.fits[index] === 'PARTIAL' ? restOf(kind, cell, placement) : [];
}

function restOf(kind: BlobKind, cell: Cell, { carried }: Placement): IncludedBlob[] {
  const held = carried.filter((run) => run?.kind === kind);
  const blobs = cell.sortedBlobs()[kind];
  return blobs.filter((_, index) => !held.some((run) => run && run.from <= index && index < run.to));
}
