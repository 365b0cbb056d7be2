import { toPrintable } from '../domain/printable-text.js';
import type { HttpDestination } from '../domain/alerts/destinations.js';
import type { HttpResult } from '../platform/http-messages.js';
import { redactText } from '../platform/redact.js';
import type { SendFailure } from './send-failure.js';

/** Answers that a retry does not fix: a wrong token, an address that is gone for good, a rejected body. */
const REFUSALS: ReadonlySet<number> = new Set([400, 401, 403, 410, 413, 422]);

const NO_CONTENT = 204;
const PAGE = /^\s*(?:<\?xml[^>]*>\s*)?(?:<!--[^]*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b/i;
const TITLE = /<title[^>]*>([^<]*)/i;
/** Matches a truncated JSON object. */
const SAYS_NO = /^\s*\{[^{}[\]]*"(?:ok|success)"\s*:\s*false\b/;

/** The most characters of an answer that a reason quotes. */
const QUOTED = 80;
/** A shorter piece of an address is an ordinary word, such as `services`. */
const SHORTEST_SECRET = 8;

/**
 * Whether a destination accepted a notice, by its answer. Some refuse with status 200: Slack by anything but `ok`, others by
 * `{"ok":false}`, and proxies by a page.
 * @returns undefined if it was accepted
 */
export function judgeAnswer(destination: HttpDestination, answer: HttpResult): SendFailure | undefined {
  // The status usually decides, even if the body is incomplete.
  const given = answer.kind === 'failure' ? answer.partial : answer;
  // The detail of a failure may name the address, which is secret.
  if (given === undefined)
    return { isFinal: false, detail: answer.kind === 'failure' ? answer.reason : 'no answer' };
  const { status, body } = given;
  const text = body.toString('utf8').replace(/^\ufeff/, '');
  if (status < 200 || status >= 300) {
    const retryAfterMs = (answer.kind === 'response' ? answer.retryAfterMs : undefined) ?? retryAfterOf(text);
    return {
      isFinal: REFUSALS.has(status),
      detail: `it answered ${status}${reasonOf(text, destination)}`,
      retryAfterMs,
    };
  }
  const isPage = PAGE.test(text);
  const isSlack = destination.kind === 'slack';
  const isTaken = isSlack ? status === NO_CONTENT || text.trim() === 'ok' : !isPage && !saysNo(text);
  if (isTaken) return undefined;
  const said = isPage ? `a page: ${TITLE.exec(text)?.[1] ?? ''}` : text;
  return { isFinal: false, detail: `it answered ${status}, but ${quote(said, destination)}` };
}

function saysNo(text: string): boolean {
  try {
    const answer: unknown = JSON.parse(text);
    if (typeof answer !== 'object' || answer === null) return false;
    return ('ok' in answer && answer.ok === false) || ('success' in answer && answer.success === false);
  } catch {
    return SAYS_NO.test(text);
  }
}

/** The pause that Telegram and Discord request in their answers, in milliseconds; a header is not promised. */
function retryAfterOf(text: string): number | undefined {
  const [, seconds] = /"retry_after"\s*:\s*(\d{1,9}(?:\.\d+)?)/.exec(text) ?? [];
  return seconds === undefined ? undefined : Number(seconds) * 1_000;
}

/** The reason in an answer of an API, such as Telegram's `description`. */
function reasonOf(text: string, destination: HttpDestination): string {
  const [, reason] = /"(?:description|message|error)"\s*:\s*"([^"]{1,200})"/.exec(text) ?? [];
  return reason === undefined ? '' : `: ${quote(reason, destination)}`;
}

/** Quotes part of an answer, without any part of the address or a key. */
function quote(text: string, destination: HttpDestination): string {
  const { pathname, search, username, password } = new URL(destination.url);
  const key = destination.kind === 'pagerduty' ? destination.routingKey : '';
  const pieces = `${pathname}/${search}/${username}/${password}/${key}`.split(/[/?&=]|bot(?=\d+:)/);
  const secrets = [...pieces, ...pieces.map(decoded)].filter(({ length }) => length >= SHORTEST_SECRET);
  const masked = secrets.reduce((left, secret) => left.replaceAll(secret, '***'), redactText(text));
  return toPrintable(masked.replaceAll(/\s+/g, ' ').trim(), QUOTED) || 'nothing more';
}

function decoded(piece: string): string {
  try {
    return decodeURIComponent(piece);
  } catch {
    return piece;
  }
}
