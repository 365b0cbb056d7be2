import { evidenceCodeOf } from '../domain/submission-codes.js';

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
