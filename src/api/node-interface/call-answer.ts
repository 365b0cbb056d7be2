import { Code, ConnectError } from '@connectrpc/connect';
import type { CallResult } from '../../node-service/call.js';
import { ASK_AGAIN, retryAfter, type ApiError } from '../errors.js';
import { NO_PROVENANCE, provenanceHeaders, type Provenance } from './node-answer.js';

export type CallReply = CallResult | ConnectError;

/**
 * @param message by the names of its members; unknown members are left out
 * @param incomplete why the message must not be taken as complete
 */
export function callAnswer(message: object, standing: Provenance, incomplete?: string): CallResult {
  return { message, headers: provenanceHeaders(standing), missing: standing.missing ?? [], incomplete };
}

/** For a block that cannot be read or does not exist: the real node does not distinguish the two. */
export function noBlock(reason: string): ConnectError {
  return refusal(Code.Internal, `failed to retrieve block data: ${reason}`);
}

export function refusal(code: Code, message: string, standing: Provenance = NO_PROVENANCE): ConnectError {
  return new ConnectError(message, code, provenanceHeaders(standing));
}

/** The node reported that it has no such metadata key. */
export function noSuchKey(key: string, standing?: Provenance): ConnectError {
  return refusal(
    Code.NotFound,
    `failed to get metadata for key '${key}': datastore: key not found`,
    standing,
  );
}

/** For something that is not on record and that the node cannot be asked for. */
export function unrecorded(message: string, missing: readonly string[] = []): ConnectError {
  return refusal(Code.Unavailable, message, { ...NO_PROVENANCE, missing });
}

const CODES: Readonly<Record<number, Code>> = {
  400: Code.InvalidArgument,
  404: Code.NotFound,
  429: Code.ResourceExhausted,
  503: Code.Unavailable,
};

export function refuseFor(error: ApiError): ConnectError {
  const headers = ASK_AGAIN.has(error.status) ? { 'retry-after': retryAfter(error) } : {};
  return new ConnectError(error.message, CODES[error.status] ?? Code.Internal, headers);
}
