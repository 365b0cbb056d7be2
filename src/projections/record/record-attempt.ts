import { equalCarried, type CarriedBlobs } from '../../domain/submissions/carried-blobs.js';
import { evidenceCodeOf } from '../../domain/submissions/submission-codes.js';

/** What evidence needs to know of a row of `submission`, and changes of it. Codes are those of `submission-codes.ts`. */
export interface Attempt {
  readonly nodeKey: number;
  readonly sequence: bigint;
  lineageKey: number | null;
  readonly status: number;
  kind: number;
  readonly namespaceKey: number | null;
  readonly blobCount: number | null;
  readonly sizeBytes: bigint | null;
  daHeight: bigint | null;
  evidence: number;
  /** Position of the event that made the evidence known. */
  evidenceFrom: bigint;
  readonly fromPosition: bigint;
  /** The time it counts under, Unix microseconds. */
  readonly timeAt: bigint;
  carried: CarriedBlobs;
  /** Whether the row stands in the table already; else it is inserted with what it is at the end of the batch. */
  readonly isStored: boolean;
  /** Evidence that was replaced within this batch. */
  past?: PastEvidence[];
}

export interface PastEvidence {
  readonly evidence: number;
  readonly fromPosition: bigint;
  readonly toPosition: bigint;
}

const UNCONFIRMED = evidenceCodeOf('UNCONFIRMED');

/** Sets the evidence as of a position and keeps the one before, unless a reader can tell it. True: it changed. */
export function setEvidence(attempt: Attempt, evidence: number, position: bigint): boolean {
  if (attempt.evidence === evidence) return false;
  const isTold = attempt.evidence === UNCONFIRMED && attempt.evidenceFrom === attempt.fromPosition;
  if (!isTold && attempt.evidenceFrom !== position) {
    attempt.past ??= [];
    attempt.past.push({
      evidence: attempt.evidence,
      fromPosition: attempt.evidenceFrom,
      toPosition: position,
    });
  }
  attempt.evidence = evidence;
  attempt.evidenceFrom = position;
  return true;
}

/** Sets what the blocks tell of its blobs. True: it changed. */
export function setCarried(attempt: Attempt, carried: CarriedBlobs): boolean {
  if (equalCarried(attempt.carried, carried)) return false;
  attempt.carried = carried;
  return true;
}

/** Columns of `submission s` that `toAttempt` reads. */
export const ATTEMPT_COLUMNS = `s.node_key, s.sequence, s.lineage_key, s.status, s.kind, s.namespace_key, s.blob_count,
  s.size_bytes, s.da_height, s.evidence, s.evidence_from_position, s.from_position,
  (extract(epoch FROM s.time_at) * 1000000)::bigint AS time_us, s.block_from, s.block_to, s.shares, s.signed_shares`;

export function toAttempt(row: Record<string, string | number | null>): Attempt {
  const integer = (name: string) => (row[name] === null ? null : BigInt(row[name] as string));
  return {
    nodeKey: row['node_key'] as number,
    sequence: integer('sequence') ?? 0n,
    lineageKey: row['lineage_key'] as number | null,
    status: row['status'] as number,
    kind: row['kind'] as number,
    namespaceKey: row['namespace_key'] as number | null,
    blobCount: row['blob_count'] as number | null,
    sizeBytes: integer('size_bytes'),
    daHeight: integer('da_height'),
    evidence: row['evidence'] as number,
    evidenceFrom: integer('evidence_from_position') ?? 0n,
    fromPosition: integer('from_position') ?? 0n,
    timeAt: integer('time_us') ?? 0n,
    carried: toCarried(row),
    isStored: true,
  };
}

/** What a row with `ATTEMPT_COLUMNS` tells of its blobs. */
export function toCarried(row: Record<string, string | number | null>): CarriedBlobs {
  const height = (name: string) => (row[name] === null ? null : BigInt(row[name] as string));
  return {
    blockFrom: height('block_from'),
    blockTo: height('block_to'),
    shares: row['shares'] as number | null,
    signedShares: row['signed_shares'] as number | null,
  };
}
