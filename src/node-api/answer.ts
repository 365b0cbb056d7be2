import { toClockTime } from '../domain/bounds.js';
import type { Millis } from '../domain/time.js';
import type { FailureReason } from '../platform/http-failure.js';
import type { HttpFailure, HttpResponse, HttpResult } from '../platform/http-messages.js';
import { redactText } from '../platform/redact.js';
import { toEvidence } from './body-text.js';

/** Why an endpoint gave no value. */
export type RefusalState =
  /** The endpoint is switched off at the node. */
  | 'DISABLED'
  | 'NOT_AGGREGATOR'
  /** The node's version does not have it, or the settings say not to ask. */
  | 'NOT_SUPPORTED'
  /** It answered something that cannot be used. */
  | 'INVALID'
  | 'UNREACHABLE'
  /** What was asked for is not there (any more): a block, a blob, a metadata key. */
  | 'MISSING'
  /** We stopped asking; says nothing of the node. */
  | 'ABORTED';

/** What every answer carries, good or bad. */
export interface Contact {
  /** HTTP status; null when there was no answer. */
  readonly status: number | null;
  readonly latencyMs: Millis;
  /** The node's clock by its `Date` header. */
  readonly nodeClock?: Millis;
}

export type Answered<T> = { readonly ok: true; readonly value: T } & Contact;

export type Refused = {
  readonly ok: false;
  readonly state: RefusalState;
  /** One line for people. */
  readonly detail: string;
  /** True for state `MISSING`. */
  readonly missing: boolean;
  /** Of a connection that failed. */
  readonly reason?: FailureReason;
  /** The start of a body that could not be used; base64 behind `base64:` where it is not text. */
  readonly evidence?: string;
} & Contact;

export type NodeAnswer<T> = Answered<T> | Refused;

/** A good answer with its value. */
export function answered<T>(from: HttpResult, value: T): Answered<T> {
  return { ok: true, value, ...contactOf(from) };
}

/** A refusal with its reason; the body that it rests on is kept as evidence where there is one. */
export function refused(from: HttpResult, state: RefusalState, detail: string): Refused {
  const body = from.kind === 'response' ? from.body : from.partial?.body;
  const evidence = body && body.length > 0 ? toEvidence(body) : undefined;
  return {
    ok: false,
    state,
    detail,
    missing: state === 'MISSING',
    ...contactOf(from),
    ...(from.kind === 'failure' && { reason: from.reason }),
    ...(evidence !== undefined && { evidence }),
  };
}

/** The refusal that a failed connection amounts to. */
export function unreachable(failure: HttpFailure): Refused {
  const state = failure.reason === 'ABORTED' ? 'ABORTED' : 'UNREACHABLE';
  return refused(failure, state, `${failure.reason.toLowerCase()}: ${failure.detail}`);
}

/** Says in one line what an unexpected HTTP status is. */
export function describeStatus(response: HttpResponse): string {
  const { status, location } = response;
  if (status >= 300 && status < 400) {
    return `answered ${status}, a redirect to ${redactText(location ?? 'nowhere')}; Hindsight does not follow redirects`;
  }
  if (status === 401 || status === 403) return `answered ${status}: it asks for authentication`;
  return `answered ${status}`;
}

function contactOf(from: HttpResult): Contact {
  const status = from.kind === 'response' ? from.status : (from.partial?.status ?? null);
  return {
    status,
    latencyMs: from.latencyMs,
    ...clockOf(from),
  };
}

/** The node's clock, where its answer told a time that a clock can show. */
export function clockOf({ nodeClock }: HttpResult): Pick<Contact, 'nodeClock'> {
  const time = nodeClock === undefined ? null : toClockTime(nodeClock);
  return time === null ? {} : { nodeClock: time };
}
