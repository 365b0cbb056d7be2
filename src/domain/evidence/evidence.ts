import type { Fit } from './blob-segments.js';
import type { BlobKind, Stand } from './inclusion-walk.js';
import type { SubmissionEvidence, SubmissionKind } from '../submissions/submission-codes.js';

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
