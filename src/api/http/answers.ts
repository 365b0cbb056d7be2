import { STATUS_CODES } from 'node:http';
import { type ApiError, ASK_AGAIN, retryAfter } from '../errors.js';
import type { HttpReply } from '../graphql/http-messages.js';

/** The content type of every response that is not a file. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The response body for an error, from any part of the server. */
function toAnswer(error: ApiError): { readonly data: null; readonly errors: readonly object[] } {
  return { data: null, errors: [error.toJSON()] };
}

/** Sends an error as the response, with the time of the next try where one may help. */
export function refuse(reply: Pick<HttpReply, 'code' | 'header' | 'send'>, error: ApiError): unknown {
  if (ASK_AGAIN.has(error.status)) reply.header('retry-after', retryAfter(error));
  return reply.code(error.status).send(toAnswer(error));
}

/** The complete HTTP response for an error, for a connection whose HTTP failed; it is the last on that connection. */
export function toRawAnswer(error: ApiError): string {
  const body = JSON.stringify(toAnswer(error));
  const lines = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'connection: close',
  ];
  return `${lines.join('\r\n')}\r\n\r\n${body}`;
}
