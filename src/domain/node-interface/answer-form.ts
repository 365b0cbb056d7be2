import type { Millis } from '../time.js';

/**
 * Origin of an answer at a node's address, judged by its form. `OWN`: only a node says this. `FOREIGN`: no node says this,
 * so a proxy, a login or a parking page answers in its place. `OPEN`: anybody may say this, like Go's `404 page not found`.
 */
export type AnswerForm = 'OWN' | 'FOREIGN' | 'OPEN';

/** The parts of an answer by which its form is judged: `text` is the start of the body. */
export interface HeardAnswer {
  readonly status: number;
  readonly text: string;
}

/** How long an answer that only a node gives vouches for open answers: three polls of the blocks. */
const VOUCHES_FOR_MS: Millis = 15_000;

/** Also sent by proxies; a node has no limit of its own. */
export const TOO_MANY_REQUESTS = 429;

const WELL = /^(ok|ready|live|alive|healthy|up|pass|serving)\W*$/i;
const UNWELL = /^(fail|unready|unhealthy|not[ _-]?(ready|live|healthy))/i;
const NOT_ON = /not (available|enabled)|disabled/i;
const DA_MONITORING = /\bDA\b|visuali[sz]/i;
/** The codes of Connect's errors, each in a member `code`. A gateway's `code` is a number, or another text. */
const CONNECT_ERROR =
  /^\s*\{[^]*"code"\s*:\s*"(canceled|unknown|invalid_argument|deadline_exceeded|not_found|already_exists|permission_denied|resource_exhausted|failed_precondition|aborted|out_of_range|unimplemented|internal|unavailable|data_loss|unauthenticated)"/;

/** Members in documents of a node's DA monitoring, in both spellings; anybody may send `status`. */
const DA_MEMBERS =
  /"(submissions|is_?aggregator|is_?healthy|connection_?(status|healthy)|total_?submissions|success_?(count|rate)|commitment)"\s*:/i;

/** Whether a body begins like a web page; no body that is requested from a node begins with `<`. */
export function isWebPage(text: string): boolean {
  return /^(\ufeff|\u00ef\u00bb\u00bf)?\s*</.test(text);
}

/** The form of an answer to `/health/live` or `/health/ready`. */
export function probeForm({ status, text }: HeardAnswer): AnswerForm {
  if (isForeign({ status, text })) return 'FOREIGN';
  if (status >= 200 && status < 300) return WELL.test(text.trim()) ? 'OWN' : 'OPEN';
  return status >= 500 && UNWELL.test(text.trim()) ? 'OWN' : 'OPEN';
}

/** The form of an answer of the DA monitoring. An empty list without any of these members may come from anybody. */
export function daForm({ status, text }: HeardAnswer): AnswerForm {
  if (isForeign({ status, text })) return 'FOREIGN';
  if (status === 200) return DA_MEMBERS.test(text) ? 'OWN' : 'OPEN';
  return status === 503 && saysSwitchedOff(text) && DA_MONITORING.test(text) ? 'OWN' : 'OPEN';
}

export function saysSwitchedOff(text: string): boolean {
  return NOT_ON.test(text);
}

/** Whether a body is an error in the protocol of the node's services. */
export function isServiceError(text: string): boolean {
  return CONNECT_ERROR.test(text);
}

/**
 * Whether an open answer comes from the node: since the question was first answered this way, the same address has recently
 * given an answer that only a node gives. Earlier answers prove nothing, since a proxy may have taken the node's place at
 * that moment.
 *
 * @param openSince when the question was first answered this way
 * @param ownAt when the address last gave an answer that only a node gives; null: never
 */
export function isVouchedFor(openSince: Millis, ownAt: Millis | null, now: Millis): boolean {
  return ownAt !== null && ownAt >= openSince && now - ownAt <= VOUCHES_FOR_MS;
}

/** Whether a status refuses Hindsight: its token, or its number of requests. It says nothing about the node. */
export function isRefusal(status: number | null): boolean {
  return isTokenRefused(status) || status === TOO_MANY_REQUESTS;
}

/** Whether a status refuses our token, or requires one. */
export function isTokenRefused(status: number | null): boolean {
  return status === 401 || status === 403 || status === 407;
}

/** Refusals, redirects and web pages. */
function isForeign({ status, text }: HeardAnswer): boolean {
  return isRefusal(status) || (status >= 300 && status < 400) || isWebPage(text);
}
