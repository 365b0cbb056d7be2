import type { Notice } from '../domain/alerts/alert-ledger.js';
import { toNoticeRequest, type AlertDestination } from '../domain/alerts/notice-request.js';
import type { HttpClient } from '../platform/http.js';

/** How long an answer of somebody else may take, and how large it may be. */
export const PATIENCE = { headersMs: 10_000, totalMs: 15_000, bodyBytes: 4_096 } as const;

/** Answers that trying again does not mend: a wrong token, an address that is gone for good, a body that is not taken. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 410, 413, 422]);

/** Why a destination did not take a notice; never names its address. */
export interface SendFailure {
  /** Whether another try would end the same way. */
  readonly isFinal: boolean;
  readonly detail: string;
}

/** Sends a notice to a destination, once. @returns undefined when it was taken */
export async function sendNotice(
  http: HttpClient,
  destination: AlertDestination,
  notice: Omit<Notice, 'waiting'>,
  signal: AbortSignal,
): Promise<SendFailure | undefined> {
  const request = toNoticeRequest(destination, notice);
  const answer = await http.request({ ...request, limits: PATIENCE, signal });
  // The detail of a failure may name the address, which is secret.
  if (answer.kind === 'failure') return { isFinal: false, detail: answer.reason };
  if (answer.status >= 200 && answer.status < 300) return undefined;
  return { isFinal: REFUSALS.has(answer.status), detail: `it answered ${answer.status}` };
}
