import { isUncertain } from '../../../domain/evidence/uncertain-attempt.js';
import { SUBMISSION_STATUSES } from '../../../domain/submissions/submission-codes.js';
import type { SubmissionEntity } from '../../../tables/record/submission.entity.js';

/** Whether a row that tells no DA height may be on the DA layer all the same. */
export function mayHaveLanded({
  status,
  daHeight,
  blobCount,
  message,
}: Pick<SubmissionEntity, 'status' | 'daHeight' | 'blobCount' | 'message'>): boolean {
  if (daHeight !== null || blobCount === 0) return false;
  return status === 0 || isUncertain(SUBMISSION_STATUSES[status] ?? 'OTHER', message);
}
