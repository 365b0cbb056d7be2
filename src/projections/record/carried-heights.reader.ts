import { Inject, Injectable } from '@nestjs/common';
import type { IncludedBlob } from '../../domain/evidence/blob-segments.js';
import type { SubmissionEvidence, SubmissionKind } from '../../domain/submissions/submission-codes.js';
import { ReadDatabase } from '../../platform/reads/read-database.js';
import type { StatementSource } from '../../platform/sql.js';
import { CellFit } from './record-cell-fit.js';
import { CellTable } from './record-cell-table.js';
import type { Cell } from './record-cells.js';

/** What a submission's blocks are found by. */
export interface CarriedBy {
  /** Null, as the sequence, of one that only blocks prove. */
  readonly nodeKey: number | null;
  readonly sequence: bigint | null;
  readonly lineageKey: number | null;
  readonly kind: SubmissionKind;
  readonly daHeight: bigint | null;
  readonly evidence: SubmissionEvidence;
}

/** A submission at a DA height of a lineage. */
type Placed = CarriedBy & { readonly lineageKey: number; readonly daHeight: bigint };

/** Beyond all DA heights: of every cell the blocks are looked for. */
const ANY_HEIGHT = 2n ** 63n;

/** Reads which blocks a submission carried: those that its evidence was decided from, found again in the same way. */
@Injectable()
export class CarriedHeightsReader {
  constructor(@Inject(ReadDatabase) private readonly source: StatementSource) {}

  /** Heights in ascending order, one list for each submission; empty where no block shows it, or none for certain. */
  async getCarriedHeights(submissions: readonly CarriedBy[]): Promise<bigint[][]> {
    const placed = submissions.filter(isPlaced);
    const cells = new CellTable();
    const maxDa = new Map(placed.map(({ lineageKey }) => [lineageKey, ANY_HEIGHT]));
    await cells.load(placed, maxDa, (sql, parameters = []) => this.source.query(sql, [...parameters]));
    const fits = new Map<Cell, CellFit>();
    return submissions.map((submission) => {
      if (!isPlaced(submission)) return [];
      const cell = cells.get(submission.lineageKey, submission.daHeight);
      const fit = fits.get(cell) ?? new CellFit(cell);
      fits.set(cell, fit);
      return findBlobs(submission, cell, fit).map(({ height }) => height);
    });
  }
}

function isPlaced(submission: CarriedBy): submission is Placed {
  const isShown = submission.evidence === 'CONFIRMED' || submission.evidence === 'RECONSTRUCTED';
  return isShown && submission.lineageKey !== null && submission.daHeight !== null;
}

function findBlobs({ nodeKey, sequence, kind }: Placed, cell: Cell, fit: CellFit): readonly IncludedBlob[] {
  if (sequence === null) {
    return kind === 'HEADER' || kind === 'DATA' ? (fit.unexplained(kind)?.left.blobs ?? []) : [];
  }
  return fit.blobsOf(cell.attempts.findIndex((one) => one.nodeKey === nodeKey && one.sequence === sequence));
}
