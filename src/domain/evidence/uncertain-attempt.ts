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
