import {
  SUBMISSION_STATUSES,
  type SubmissionEvidence,
  type SubmissionKind,
  type SubmissionStatus,
} from '../submissions/submission-codes.js';
import type { Fit } from './blob-segments.js';
import type { BlobKind, WalkPosition } from './inclusion-walk.js';

/** Statuses of transactions that the DA layer refused to take into its mempool. */
const REFUSED_STATUSES: readonly SubmissionStatus[] = ['TOO_BIG', 'INCORRECT_ACCOUNT_SEQUENCE'];

/** Errors with which ev-node, celestia-node or celestia-app's `CheckTx` refuse a transaction before the mempool. */
const REFUSED =
  /insufficient (funds|fees?)\b|missing permission|invalid namespace|failed to (build blob|parse submit options)|over size limit/i;
/** A transaction that fails when a block executes it has its blobs in that block, whatever the reason. */
const EXECUTED = /execution failed/i;

/**
 * Whether a failed attempt certainly posted nothing. Every other outcome leaves that open: a missing answer, an answer of a
 * proxy, an unknown status, or none.
 */
export function provesNothingPosted(status: SubmissionStatus, message: string | null): boolean {
  if (status !== 'ERROR') return REFUSED_STATUSES.includes(status);
  return message !== null && REFUSED.test(message) && !EXECUTED.test(message);
}

/**
 * Whether a row without a DA height may still be on the DA layer. @param row its status as a code of `submission-codes.ts`
 */
export function mayHaveLanded({
  status,
  daHeight,
  blobCount,
  message,
}: {
  readonly status: number;
  readonly daHeight: bigint | null;
  readonly blobCount: number | null;
  readonly message: string | null;
}): boolean {
  if (daHeight !== null || blobCount === 0) return false;
  return status === 0 || !provesNothingPosted(SUBMISSION_STATUSES[status] ?? 'OTHER', message);
}

/**
 * Decides what the blocks prove about a success.
 *
 * @param stands position of its DA height for headers and for data
 */
export function evidenceOfSuccess(
  attempt: { readonly kind: SubmissionKind; readonly blobCount: number | null },
  fit: Fit,
  stands: { readonly [K in BlobKind]: WalkPosition },
): SubmissionEvidence {
  if (fit === 'EXACT') return 'CONFIRMED';
  // No block points to a batch without blobs, and a row without its kind or its size cannot be decided.
  const isUndecidable = attempt.kind === 'UNKNOWN' || !attempt.blobCount || fit === 'VAGUE';
  if (isUndecidable) return 'OBSERVED';
  const stand = standOfKind(attempt.kind, stands);
  if (stand === 'BEYOND') return 'UNCONFIRMED';
  if (fit === 'PARTIAL') return 'CONFIRMED';
  return stand === 'PASSED' ? 'UNREFERENCED' : 'OBSERVED';
}

/** Position of a batch's DA height. A batch of headers or data is passed only if it would be passed as either. */
function standOfKind(kind: SubmissionKind, stands: { readonly [K in BlobKind]: WalkPosition }): WalkPosition {
  if (kind === 'HEADER' || kind === 'DATA') return stands[kind];
  if (stands.HEADER === 'BEYOND' || stands.DATA === 'BEYOND') return 'BEYOND';
  return stands.HEADER === 'PASSED' && stands.DATA === 'PASSED' ? 'PASSED' : 'BEFORE';
}
