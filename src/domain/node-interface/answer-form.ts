import type { Millis } from '../time.js';

/**
 * Who answers at a node's address, by the form of the answer. `OWN`: only a node says this. `FOREIGN`: no node says this, so a
 * proxy, a login or a parking page answers in its place. `OPEN`: anybody may say this, as Go's `404 page not found`.
 */
export type AnswerForm = 'OWN' | 'FOREIGN' | 'OPEN';

/** An answer as far as its form is judged: `text` is the start of the body. */
export interface HeardAnswer {
  readonly status: number;
  readonly text: string;
}

/** How long something that only a node says vouches for open answers: three looks at the blocks. */
const VOUCHES_FOR_MS: Millis = 15_000;

/** Also of a proxy; a node has no limit of its own. */
export const TOO_MANY_REQUESTS = 429;

const WELL = /^(ok|ready|live|alive|healthy|up|pass|serving)\W*$/i;
const UNWELL = /^(fail|unready|unhealthy|not[ _-]?(ready|live|healthy))/i;
const NOT_ON = /not (available|enabled)|disabled/i;
const DA_MONITORING = /\bDA\b|visuali[sz]/i;
/** The codes of Connect's errors, each in a member `code`. A gateway's `code` is a number, or none of these. */
const CONNECT_ERROR =
  /^\s*\{[^]*"code"\s*:\s*"(canceled|unknown|invalid_argument|deadline_exceeded|not_found|already_exists|permission_denied|resource_exhausted|failed_precondition|aborted|out_of_range|unimplemented|internal|unavailable|data_loss|unauthenticated)"/;

/** Members that the documents of a node's DA monitoring have, in both spellings; anybody may say `status`. */
const DA_MEMBERS =
  /"(submissions|is_?aggregator|is_?healthy|connection_?(status|healthy)|total_?submissions|success_?(count|rate)|commitment)"\s*:/i;

/** Whether a body begins as a web page does; nothing that a node is asked for begins with `<`. */
export function isWebPage(text: string): boolean {
  return /^(\ufeff|\u00ef\u00bb\u00bf)?\s*</.test(text);
}

/** The form of an answer to `/health/live` or `/health/ready`. */
export function probeForm({ status, text }: HeardAnswer): AnswerForm {
  if (isForeign({ status, text })) return 'FOREIGN';
  if (status >= 200 && status < 300) return WELL.test(text.trim()) ? 'OWN' : 'OPEN';
  return status >= 500 && UNWELL.test(text.trim()) ? 'OWN' : 'OPEN';
}

/** The form of an answer of the DA monitoring. A list without rows that names none of its members may be anybody's. */
export function daForm({ status, text }: HeardAnswer): AnswerForm {
  if (isForeign({ status, text })) return 'FOREIGN';
  if (status === 200) return DA_MEMBERS.test(text) ? 'OWN' : 'OPEN';
  return status === 503 && saysSwitchedOff(text) && DA_MONITORING.test(text) ? 'OWN' : 'OPEN';
}

/** Whether an error says that something is switched off. */
export function saysSwitchedOff(text: string): boolean {
  return NOT_ON.test(text);
}

/** Whether a body is an error by the protocol of the node's services. */
export function isServiceError(text: string): boolean {
  return CONNECT_ERROR.test(text);
}

/**
 * Whether an open answer is the node's: since the question is answered so, the same address has said something that only a node
 * says, and lately. What it said before proves nothing, since that may be the moment in which a proxy took its place.
 *
 * @param openSince when the question was first answered so
 * @param ownAt when the address last said what only a node says; null while it never has
 */
export function isVouchedFor(openSince: Millis, ownAt: Millis | null, now: Millis): boolean {
  return ownAt !== null && ownAt >= openSince && now - ownAt <= VOUCHES_FOR_MS;
}

/** Whether a status refuses Hindsight: its token, or so many requests. It says nothing of the node. */
export function isRefusal(status: number | null): boolean {
  return isTokenRefused(status) || status === TOO_MANY_REQUESTS;
}

/** Whether a status refuses our token, or asks for one. */
export function isTokenRefused(status: number | null): boolean {
  return status === 401 || status === 403 || status === 407;
}

/** Refusals, redirects and web pages. */
function isForeign({ status, text }: HeardAnswer): boolean {
  return isRefusal(status) || (status >= 300 && status < 400) || isWebPage(text);
}
