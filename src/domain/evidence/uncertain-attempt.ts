import { SUBMISSION_STATUSES } from '../submissions/submission-codes.js';
import type { SubmissionStatus } from '../submissions/submission-row.js';

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
