import {
  SUBMISSION_STATUSES,
  type SubmissionEvidence,
  type SubmissionKind,
} from '../submissions/submission-codes.js';
import type { SubmissionStatus } from '../submissions/submission-row.js';
import type { Fit } from './blob-segments.js';
import type { BlobKind, Stand } from './inclusion-walk.js';

/** Statuses after which a batch may be on the DA layer all the same. */
const UNCERTAIN_STATUSES: readonly SubmissionStatus[] = [
  'NOT_INCLUDED_IN_BLOCK',
  'ALREADY_IN_MEMPOOL',
  'CONTEXT_DEADLINE',
  'ERROR',
];

/** Ways in which clients and proxies say that they lost the connection before they got an answer. */
const BROKEN = /connection|websocket|broken pipe|\beof\b|\breset\b|time(d )?[ -]?out|deadline|unavailable/i;

/** Whether a failed attempt may have reached the DA layer: its outcome never came back. */
export function isUncertain(status: SubmissionStatus, message: string | null): boolean {
  if (status === 'ERROR') return message !== null && BROKEN.test(message);
  return UNCERTAIN_STATUSES.includes(status);
}

/** Whether a row that tells no DA height may be on the DA layer all the same. @param row its status as a code of `submission-codes.ts` */
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
  return status === 0 || isUncertain(SUBMISSION_STATUSES[status] ?? 'OTHER', message);
}

/**
 * What the blocks say of a success.
 *
 * @param stands where its DA height lies for headers and for data
 */
export function evidenceOfSuccess(
  attempt: { readonly kind: SubmissionKind; readonly blobCount: number | null },
  fit: Fit,
  stands: { readonly [K in BlobKind]: Stand },
): SubmissionEvidence {
  if (fit === 'EXACT') return 'CONFIRMED';
  // Nothing points to a batch without blobs, and a row that does not tell its kind or its size cannot be decided.
  const isUndecidable = attempt.kind === 'UNKNOWN' || !attempt.blobCount || fit === 'VAGUE';
  if (isUndecidable) return 'OBSERVED';
  const stand = standOfKind(attempt.kind, stands);
  if (stand === 'BEYOND') return 'UNCONFIRMED';
  if (fit === 'PARTIAL') return 'CONFIRMED';
  return stand === 'PASSED' ? 'UNREFERENCED' : 'OBSERVED';
}

/** Where the DA height of a batch lies: where it may be headers or data, it is passed only when it would be as either. */
function standOfKind(kind: SubmissionKind, stands: { readonly [K in BlobKind]: Stand }): Stand {
  if (kind === 'HEADER' || kind === 'DATA') return stands[kind];
  if (stands.HEADER === 'BEYOND' || stands.DATA === 'BEYOND') return 'BEYOND';
  return stands.HEADER === 'PASSED' && stands.DATA === 'PASSED' ? 'PASSED' : 'BEFORE';
}
