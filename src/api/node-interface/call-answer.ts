import { Code, ConnectError } from '@connectrpc/connect';
import type { CallResult } from '../../node-service/call.js';
import { ASK_AGAIN, retryAfter, type ApiError } from '../errors.js';
import { NO_STANDING, standingHeaders, type Standing } from './node-answer.js';

/** An answer to a call, or its refusal. */
export type CallReply = CallResult | ConnectError;

/**
 * @param message by the names of its members; what is not known is left out
 * @param incomplete why the message is not to be taken for the whole one
 */
export function callAnswer(message: object, standing: Standing, incomplete?: string): CallResult {
  return { message, headers: standingHeaders(standing), missing: standing.missing ?? [], incomplete };
}

/** A block that cannot be read, or is not there: the real node tells no difference. */
export function noBlock(reason: string): ConnectError {
  return refusal(Code.Internal, `failed to retrieve block data: ${reason}`);
}

export function refusal(code: Code, message: string, standing: Standing = NO_STANDING): ConnectError {
  return new ConnectError(message, code, standingHeaders(standing));
}

/** The node said that it has no such key of metadata. */
export function noSuchKey(key: string, standing?: Standing): ConnectError {
  return refusal(
    Code.NotFound,
    `failed to get metadata for key '${key}': datastore: key not found`,
    standing,
  );
}

/** Something is not on record, and the node cannot be asked for it. */
export function unrecorded(message: string, missing: readonly string[] = []): ConnectError {
  return refusal(Code.Unavailable, message, { ...NO_STANDING, missing });
}

const CODES: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  404: Code.NotFound,
  429: Code.ResourceExhausted,
  503: Code.Unavailable,
};

/** Turns an error of ours into one of the protocol. */
export function refuseFor(error: ApiError): ConnectError {
  const headers = ASK_AGAIN.has(error.status) ? { 'retry-after': retryAfter(error) } : {};
  return new ConnectError(error.message, CODES[error.status] ?? Code.Internal, headers);
}
