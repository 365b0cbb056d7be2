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
  // The detail of a failure may name the address, which is secret.
  if (answer.kind === 'failure') return { isFinal: false, detail: answer.reason };
  if (answer.status >= 200 && answer.status < 300) return undefined;
  return { isFinal: REFUSALS.has(answer.status), detail: `it answered ${answer.status}` };
}
