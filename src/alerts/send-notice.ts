import type { Message } from '../domain/alerts/alert-ledger.js';
import { toNoticeRequest, type AlertDestination } from '../domain/alerts/notice-request.js';
import type { HttpClient } from '../platform/http.js';
import { sendMail } from './send-mail.js';
import { PATIENCE, type SendFailure } from './send-failure.js';

/** Answers that trying again does not mend: a wrong token, an address that is gone for good, a body that is not taken. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 410, 413, 422]);

/** Sends a notice to a destination, once. @returns undefined when it was taken */
export async function sendNotice(
  http: HttpClient,
  destination: AlertDestination,
  notice: Message,
  signal: AbortSignal,
): Promise<SendFailure | undefined> {
  if (destination.kind === 'email') return sendMail(destination, notice, signal);
  const request = toNoticeRequest(destination, notice);
  const answer = await http.request({ ...request, limits: PATIENCE, signal });
  // Its head says whether it was taken, also where the rest does not come.
  const status = answer.kind === 'failure' ? answer.partial?.status : answer.status;
  // The detail of a failure may name the address, which is secret.
  if (status === undefined) return { isFinal: false, detail: answer.kind === 'failure' ? answer.reason : '' };
  if (status >= 200 && status < 300) return undefined;
  const retryAfterMs = answer.kind === 'response' ? answer.retryAfterMs : undefined;
  return { isFinal: REFUSALS.has(status), detail: `it answered ${status}`, retryAfterMs };
}
