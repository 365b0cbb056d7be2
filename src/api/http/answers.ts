import { STATUS_CODES } from 'node:http';
import type { ApiError } from '../errors.js';

/** The type of every answer that is no file. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** What is sent for an error, whichever part of the server found it. */
export function toAnswer(error: ApiError): { readonly data: null; readonly errors: readonly object[] } {
  return { data: null, errors: [error.toJSON()] };
}

/** The same as it goes over the wire, for a connection on which HTTP itself went wrong; it is the last on it. */
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
