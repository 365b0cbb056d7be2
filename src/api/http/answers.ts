import { STATUS_CODES } from 'node:http';
import type { ApiError } from '../errors.js';

/** The content type of every response that is not a file. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The response body for an error, from any part of the server. */
export function toAnswer(error: ApiError): { readonly data: null; readonly errors: readonly object[] } {
  return { data: null, errors: [error.toJSON()] };
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
