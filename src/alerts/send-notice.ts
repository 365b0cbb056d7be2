import type { Message } from '../domain/alerts/alert-ledger.js';
import type { AlertDestination } from '../domain/alerts/destinations.js';
import { toNoticeRequest } from '../domain/alerts/notice-request.js';
import { toNoticeText } from '../domain/alerts/notice-text.js';
import type { Millis } from '../domain/time.js';
import type { HttpClient } from '../platform/http.js';
import { judgeAnswer } from './judge-answer.js';
import { sendMail, type Mail } from './send-mail.js';
import { PATIENCE, type SendFailure } from './send-failure.js';

/** Sends a notice to a destination once. @returns undefined if it was accepted */
export async function sendNotice(
  http: HttpClient,
  destination: AlertDestination,
  notice: Message,
  now: Millis,
  signal: AbortSignal,
): Promise<SendFailure | undefined> {
  if (destination.kind === 'email') return sendMail(destination, toMail(notice), signal);
  const request = toNoticeRequest(destination, notice, now);
  return judgeAnswer(destination, await http.request({ ...request, limits: PATIENCE, signal }));
}

function toMail(notice: Message): Mail {
  const { key, at, status, alert } = notice;
  const { title: subject, text } = toNoticeText(notice);
  return { key, at, subject, text, ...(status !== 'RAISED' && { replyTo: `${alert.id}-raised` }) };
}
