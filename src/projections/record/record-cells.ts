import type { IncludedBlob, IncludedBlobs } from '../../domain/evidence/blob-segments.js';
import type { BlobKind } from '../../domain/evidence/inclusion-walk.js';
import type { Micros } from '../../domain/time.js';
import type { InclusionOpenEntity } from '../../tables/record/inclusion-open.entity.js';
import type { SubmissionEntity } from '../../tables/record/submission.entity.js';
import type { Attempt } from './record-attempt.js';

/** A submission that only blocks prove: `timeAt` is that of the newest block that it carried. */
export interface Reconstructed
  extends
    Omit<Attempt, 'nodeKey' | 'sequence' | 'lineageKey' | 'daHeight' | 'occurredAt' | 'digest' | 'past'>,
    Pick<SubmissionEntity, 'observedAt' | 'toPosition' | 'lossPosition'> {
  readonly lineageKey: number;
  readonly daHeight: bigint;
  /** The node whose loss it is part of. */
  lossNodeKey: number | null;
}

/** What waits at a DA height: for looks at the lists (`passed`), for more blocks (`beyond`), for a node's next success. */
export type OpenState = Pick<InclusionOpenEntity, 'passed' | 'beyond' | 'waitsFor'>;

const NONE: readonly never[] = [];

/** Everything known of one DA height of a lineage: what blocks say was included there, and who explains it. */
export class Cell {
  readonly attempts: Attempt[] = [];
  readonly rebuilt: { HEADER?: Reconstructed; DATA?: Reconstructed } = {};
  /** Kinds of which a success may be missing, or one that tells no DA height may be it: left so until the cell changes. */
  private undecided: readonly BlobKind[] = NONE;
  /** The node whose next success may exclude the row for which something was left undecided; null for none. */
  waitsFor: number | null = null;
  /** When a block was last seen to point here, observer's clock. */
  changedAt: Micros = 0n;
  open: OpenState | undefined;
  storedOpen: InclusionOpenEntity | undefined;
  /** By height of the block. Most cells of a page have none. */
  private readonly blobs: { HEADER?: Map<bigint, IncludedBlob>; DATA?: Map<bigint, IncludedBlob> } = {};

  constructor(
    readonly lineageKey: number,
    readonly daHeight: bigint,
  ) {}

  /** False: another node, or this one, has shown it before. */
  addBlob(kind: BlobKind, blob: IncludedBlob): boolean {
    const known = (this.blobs[kind] ??= new Map());
    if (known.has(blob.height)) return false;
    known.set(blob.height, blob);
    return true;
  }

  /** Leaves a kind undecided. @param waitsFor as the property */
  leave(kind: BlobKind, waitsFor: number | null): void {
    if (!this.isUndecided(kind)) this.undecided = [...this.undecided, kind];
    this.waitsFor ??= waitsFor;
  }

  /** Lets all that was left undecided be asked again. */
  askAgain(): void {
    this.undecided = NONE;
    this.waitsFor = null;
  }

  isUndecided(kind: BlobKind): boolean {
    return this.undecided.includes(kind);
  }

  has(kind: BlobKind): boolean {
    return this.blobs[kind] !== undefined;
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

function sorted(blobs: ReadonlyMap<bigint, IncludedBlob> | undefined): readonly IncludedBlob[] {
  if (!blobs) return NONE;
  return [...blobs.values()].sort((a, b) => (a.height < b.height ? -1 : 1));
}
