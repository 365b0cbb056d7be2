import {
  placeCarriers,
  type Carrier,
  type Fit,
  type IncludedBlob,
  type IncludedBlobs,
  type Leftover,
  type Placement,
} from '../../domain/evidence/blob-segments.js';
import { blobKindOf } from '../../domain/evidence/evidence.js';
import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import {
  carriedByLeftover,
  carriedByRun,
  equalCarried,
  NOTHING_CARRIED,
  type CarriedBlobs,
} from '../../domain/submissions/carried-blobs.js';
import { SUBMISSION_KINDS } from '../../domain/submissions/submission-codes.js';
import type { Attempt } from './record-attempt.js';
import type { Cell, Reconstructed } from './record-cells.js';

/** Blobs of a kind that no attempt at a DA height explains. */
export interface Unexplained {
  readonly left: Leftover;
  readonly carried: CarriedBlobs;
}

/** Which attempt of a cell carried which of its blobs, as both are known when it is made. */
export class CellFit {
  private readonly blobs: IncludedBlobs;
  private readonly carriers: readonly Carrier[];
  private readonly placement: Placement;

  constructor(cell: Cell) {
    this.blobs = cell.sortedBlobs();
    this.carriers = cell.attempts.map(toCarrier);
    this.placement = placeCarriers(this.blobs, this.carriers);
  }

  /** @param index of the attempt in the cell */
  fitOf(index: number): Fit {
    return this.placement.fits[index] ?? 'NONE';
  }

  carriedBy(index: number): CarriedBlobs {
    const run = this.placement.carried[index];
    if (!run) return NOTHING_CARRIED;
    const blobs = this.blobs[run.kind].slice(run.from, run.to);
    return carriedByRun(
      run.less === 0
        ? blobs
        : blobs.map((blob) => ({ ...blob, bytes: blob.bytes === null ? null : blob.bytes - run.less })),
    );
  }

  /** The blobs of an attempt; where not all of its blocks are recorded, those that no other one holds exactly. */
  blobsOf(index: number): readonly IncludedBlob[] {
    const run = this.placement.carried[index];
    if (run) return this.blobs[run.kind].slice(run.from, run.to);
    const kind = this.carriers[index]?.kind;
    if ((kind !== 'HEADER' && kind !== 'DATA') || this.fitOf(index) !== 'PARTIAL') return [];
    const held = this.placement.carried.filter((other) => other?.kind === kind);
    return this.blobs[kind].filter(
      (_, at) => !held.some((other) => other && other.from <= at && at < other.to),
    );
  }

  unexplained(kind: BlobKind): Unexplained | null {
    const left = this.placement.leftover[kind];
    return left && { left, carried: carriedByLeftover(this.blobs[kind], left.blobs) };
  }
}

/** Whether a reconstructed submission is still the one that blobs without an attempt prove. */
export function isProvenBy(rebuilt: Reconstructed | undefined, { left, carried }: Unexplained): boolean {
  if (rebuilt?.blobCount !== left.count || rebuilt.sizeBytes !== left.bytes) return false;
  return equalCarried(rebuilt, carried);
}

function toCarrier(attempt: Attempt): Carrier {
  return {
    nodeKey: attempt.nodeKey,
    kind: blobKindOf(SUBMISSION_KINDS[attempt.kind] ?? 'UNKNOWN'),
    blobCount: attempt.blobCount,
    sizeBytes: attempt.sizeBytes,
  };
}
