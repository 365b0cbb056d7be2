import { isUtf8 } from 'node:buffer';
import { toClockTime } from '../domain/bounds.js';
import {
  isRefusal,
  isTokenRefused,
  isWebPage,
  TOO_MANY_REQUESTS,
} from '../domain/node-interface/answer-form.js';
import { isNestedTooDeep, parseExactJson } from '../domain/exact-json.js';
import type { Millis } from '../domain/time.js';
import type { FailureReason } from '../platform/http-failure.js';
import type { HttpFailure, HttpResponse, HttpResult } from '../platform/http-messages.js';
import { redactText } from '../platform/redact.js';
import { isObject, type WireObject } from './wire-values.js';

const EVIDENCE_BYTES = 2_048;

/** The start of a body, short enough to be stored: as text, or in base64 with the prefix `base64:` if it is not text. */
function toEvidence(body: Buffer): string {
  const start = body.subarray(0, EVIDENCE_BYTES);
  const text = start.toString('utf8');
  const isText = isUtf8(body) && !text.includes('\u0000');
  return isText ? text : `base64:${start.toString('base64')}`;
}

/** A body as text. Bytes that are not UTF-8 become U+FFFD; in that case `original` is the body in base64. */
function decodeText(body: Buffer): { text: string; original?: string } {
  const text = body.toString('utf8');
  return isUtf8(body) ? { text } : { text, original: body.toString('base64') };
}

/** Whether a body is a web page, whatever its content type says. */
export function isHtml(body: Buffer): boolean {
  return isWebPage(body.toString('latin1', 0, 256));
}

/** Whether a body begins like a JSON object or array; a byte order mark may precede it. */
export function looksLikeJson(body: Buffer): boolean {
  return /^(\xef\xbb\xbf)?\s*[{[]/.test(body.toString('latin1', 0, 64));
}

/** A body that was JSON, whatever its content type said. */
export interface JsonBody {
  readonly ok: true;
  /** Integers beyond 2^53 are exact. */
  readonly json: unknown;
  readonly text: string;
  /** The body in base64, if it contained bytes that are not UTF-8. */
  readonly original?: string;
}

/** Reads a body as JSON; a web page, a truncated body and a broken body give a refusal with evidence. */
export function readJson(response: HttpResponse): JsonBody | Refused {
  const { body, truncated } = response;
  if (truncated) return refused(response, 'INVALID', `the answer is longer than ${body.length} bytes`);
  const decoded = decodeText(body);
  if (isNestedTooDeep(decoded.text)) {
    return refused(response, 'INVALID', 'answered JSON that is nested too deep');
  }
  try {
    return { ok: true, json: parseExactJson(decoded.text), ...decoded };
  } catch {
    return refused(response, 'INVALID', whyNotJson(response));
  }
}

/** Reads a value from a body that must be a JSON object; an error thrown by `read` becomes a refusal. */
export function readObjectAnswer<T>(
  response: HttpResponse,
  read: (object: WireObject, body: JsonBody) => T,
  notObject = 'answered JSON that is not an object',
): NodeAnswer<T> {
  const body = readJson(response);
  if (!body.ok) return body;
  if (!isObject(body.json)) return refused(response, 'INVALID', notObject);
  try {
    return answered(response, read(body.json, body));
  } catch (error) {
    return refused(response, 'INVALID', (error as Error).message);
  }
}

function whyNotJson(response: HttpResponse): string {
  if (response.body.length === 0) return 'answered nothing where JSON is due';
  return isHtml(response.body)
    ? 'answered a web page where JSON is due'
    : 'answered something that is not JSON';
}

/** Why an endpoint gave no value. */
export type RefusalState =
  /** The endpoint is switched off at the node. */
  | 'DISABLED'
  | 'NOT_AGGREGATOR'
  /** The node's version lacks the endpoint, or the settings say not to ask. */
  | 'NOT_SUPPORTED'
  /** The answer cannot be used. */
  | 'INVALID'
  | 'UNREACHABLE'
  /** The requested block, blob or metadata key does not exist (any more). */
  | 'MISSING'
  /** We cancelled the request; says nothing about the node. */
  | 'ABORTED';

/** Part of every answer, good or bad. */
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
  /** Set if the connection failed. */
  readonly reason?: FailureReason;
  /** The start of the unusable body, in base64 with the prefix `base64:` if it is not text. */
  readonly evidence?: string;
} & Contact;

export type NodeAnswer<T> = Answered<T> | Refused;

export function answered<T>(from: HttpResult, value: T): Answered<T> {
  return { ok: true, value, ...contactOf(from) };
}

/** Makes a refusal; a body that is not empty is kept as evidence. */
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

/** The refusal for a failed connection; `ABORTED` if we cancelled the request. */
export function unreachable(failure: HttpFailure): Refused {
  const state = failure.reason === 'ABORTED' ? 'ABORTED' : 'UNREACHABLE';
  return refused(failure, state, `${failure.reason.toLowerCase()}: ${failure.detail}`);
}

/** Describes an unexpected HTTP status in one line. */
export function describeStatus(response: HttpResponse): string {
  const { status, location } = response;
  if (status >= 300 && status < 400) {
    return `answered ${status}, a redirect to ${redactText(location ?? 'nowhere')}; Hindsight does not follow redirects`;
  }
  if (isTokenRefused(status))
    return `answered ${status}: it asks for authentication; check the token in "headers" of the node's settings`;
  if (status === TOO_MANY_REQUESTS) return `answered ${status}: it gets too many requests from Hindsight`;
  return `answered ${status}`;
}

/** Describes in one line an answer that did not come from a node. */
export function describeStranger(response: HttpResponse): string {
  const { status, body } = response;
  const isBare = status < 300 || (status >= 400 && !isRefusal(status));
  if (isBare && isHtml(body))
    return status === 200 ? 'answered a web page' : `answered ${status} with a web page`;
  if (!isBare) return describeStatus(response);
  const text = firstLine(body);
  return `answered ${status}${text && ` ("${text}")`}, and nothing at this address answers as a node`;
}

const LONGEST_LINE = 200;

/** The first 200 bytes of a body in one line. */
export function firstLine(body: Buffer): string {
  return body.toString('utf8', 0, LONGEST_LINE).trim().replace(/\s+/g, ' ');
}

function contactOf(from: HttpResult): Contact {
  const status = from.kind === 'response' ? from.status : (from.partial?.status ?? null);
  return {
    status,
    latencyMs: from.latencyMs,
    ...clockOf(from),
  };
}

/** The node's clock, if its answer has a time in the range that a clock can show. */
export function clockOf({ nodeClock }: HttpResult): Pick<Contact, 'nodeClock'> {
  const time = nodeClock === undefined ? null : toClockTime(nodeClock);
  return time === null ? {} : { nodeClock: time };
}
