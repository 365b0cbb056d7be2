import type { IncludedBlob, IncludedBlobs } from '../../domain/evidence/blob-segments.js';
import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import type { CarriedBlobs } from '../../domain/submissions/carried-blobs.js';
import type { Attempt } from './record-attempt.js';

/** A submission that only blocks prove. Times are Unix microseconds. */
export interface Reconstructed {
  readonly lineageKey: number;
  readonly kind: BlobKind;
  readonly daHeight: bigint;
  readonly namespaceKey: number | null;
  readonly blobCount: number;
  readonly sizeBytes: bigint | null;
  readonly carried: CarriedBlobs;
  /** Time of the newest block that it carried. */
  readonly timeAt: bigint;
  /** When it was seen that blocks point to it. */
  readonly observedAt: bigint;
  readonly fromPosition: bigint;
  toPosition: bigint | null;
  nodeKey: number | null;
  lossPosition: bigint | null;
  readonly isStored: boolean;
}

/** What waits at a DA height: for looks at the lists (`passed`), for more blocks (`beyond`). */
export interface OpenState {
  readonly passed: boolean;
  readonly beyond: boolean;
}

/** Everything known of one DA height of a lineage: what blocks say was included there, and who explains it. */
export class Cell {
  readonly attempts: Attempt[] = [];
  readonly rebuilt: { HEADER?: Reconstructed; DATA?: Reconstructed } = {};
  /** Kinds of which a success may be missing, or one that tells no DA height may be it: left so until the cell changes. */
  readonly undecided = new Set<BlobKind>();
  /** When a block was last seen to point here, observer's clock, Unix microseconds. */
  changedAt = 0n;
  open: OpenState | undefined;
  storedOpen: (OpenState & { readonly changedAt: bigint }) | undefined;
  private readonly blobs = { HEADER: new Map<bigint, IncludedBlob>(), DATA: new Map<bigint, IncludedBlob>() };

  constructor(
    readonly lineageKey: number,
    readonly daHeight: bigint,
  ) {}

  /** False: another node, or this one, has shown it before. */
  addBlob(kind: BlobKind, blob: IncludedBlob): boolean {
    if (this.blobs[kind].has(blob.height)) return false;
    this.blobs[kind].set(blob.height, blob);
    return true;
  }

  /** Successes count before failed attempts that carried blobs all the same; else by node and sequence. */
  addAttempt(attempt: Attempt): void {
    const at = this.attempts.findIndex((other) => compareAttempts(attempt, other) < 0);
    this.attempts.splice(at === -1 ? this.attempts.length : at, 0, attempt);
  }

  removeAttempt(attempt: Attempt): void {
    this.attempts.splice(this.attempts.indexOf(attempt), 1);
  }

  sortedBlobs(): IncludedBlobs {
    return { HEADER: sorted(this.blobs.HEADER), DATA: sorted(this.blobs.DATA) };
  }
}

function compareAttempts(a: Attempt, b: Attempt): number {
  if ((a.status === 0) !== (b.status === 0)) return a.status === 0 ? -1 : 1;
  if (a.nodeKey !== b.nodeKey) return a.nodeKey - b.nodeKey;
  return a.sequence < b.sequence ? -1 : 1;
}

function sorted(blobs: ReadonlyMap<bigint, IncludedBlob>): IncludedBlob[] {
  return [...blobs.values()].sort((a, b) => (a.height < b.height ? -1 : 1));
}
