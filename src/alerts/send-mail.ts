import { createTransport } from 'nodemailer';
import type { MailDestination } from '../domain/alerts/destinations.js';
import type { Millis } from '../domain/time.js';
import { PATIENCE, type SendFailure } from './send-failure.js';

export interface Mail {
  /** Plain ASCII; the same at each try. */
  readonly key: string;
  readonly at: Millis;
  readonly subject: string;
  readonly text: string;
  /** The same for readers that do not show plain text in columns. */
  readonly html?: string;
  /** The key of an earlier mail, below which mail programs can show this one. */
  readonly replyTo?: string;
  readonly file?: { readonly name: string; readonly type: string; readonly content: string };
}

/**
 * Sends a mail once, with a Message-ID that is the same at each try. A password is sent over TLS only.
 * @returns undefined if the server accepted it
 */
export async function sendMail(
  { url, from, to }: MailDestination,
  { key, at, subject, text, html, replyTo, file }: Mail,
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
  try {
    await transport.sendMail({
      from,
      to,
      subject,
      text,
      ...(html !== undefined && { html }),
      ...(file && { attachments: [{ filename: file.name, contentType: file.type, content: file.content }] }),
      date: new Date(at),
      messageId: toMessageId(key),
      // Some mail programs thread by one of the two, some by the other.
      ...(replyTo !== undefined && { inReplyTo: toMessageId(replyTo), references: toMessageId(replyTo) }),
      headers: { 'x-hindsight-key': key, 'auto-submitted': 'auto-generated' },
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
