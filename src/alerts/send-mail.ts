import { createTransport } from 'nodemailer';
import type { Message } from '../domain/alerts/alert-ledger.js';
import type { MailDestination } from '../domain/alerts/destinations.js';
import { toNoticeText } from '../domain/alerts/notice-text.js';
import { PATIENCE, type SendFailure } from './send-failure.js';

/**
 * Sends a notice by mail once: plain text, with a Message-ID that is the same at each try. A password is sent over TLS only.
 * @returns undefined if the server accepted it
 */
export async function sendMail(
  { url, from, to }: MailDestination,
  notice: Message,
  signal: AbortSignal,
): Promise<SendFailure | undefined> {
  const transport = createTransport({
    ...toServer(url),
    connectionTimeout: PATIENCE.headersMs,
    greetingTimeout: PATIENCE.headersMs,
    socketTimeout: PATIENCE.headersMs,
    dnsTimeout: PATIENCE.headersMs,
    maxResponseSize: PATIENCE.bodyBytes,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const { title, text } = toNoticeText(notice);
  try {
    await transport.sendMail({
      from,
      to,
      subject: title,
      text,
      date: new Date(notice.at),
      messageId: toMessageId(notice.key),
      // Lets mail programs show later messages below the first.
      ...(notice.status !== 'RAISED' && { inReplyTo: toMessageId(`${notice.alert.id}-raised`) }),
      headers: { 'x-hindsight-key': notice.key, 'auto-submitted': 'auto-generated' },
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE.totalMs)]),
    });
    return undefined;
  } catch (error) {
    return toFailure(error);
  } finally {
    transport.close();
  }
}

/** The used parts of an SMTP address; anything after the port is ignored. */
function toServer(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    secure: isSecure,
    ...(username !== '' && { auth, requireTLS: !isSecure }),
  };
}

function toMessageId(key: string): string {
  return `<${key}@hindsight>`;
}

/** Uses the code of an error only: its message may name the server and quote it, which must not be recorded. */
function toFailure(error: unknown): SendFailure {
  const { responseCode, permanent, code } = error as {
    responseCode?: number;
    permanent?: boolean;
    code?: string;
  };
  if (responseCode !== undefined)
    return { isFinal: permanent === true, detail: `it answered ${responseCode}` };
  return { isFinal: false, detail: code ?? 'it failed' };
}
