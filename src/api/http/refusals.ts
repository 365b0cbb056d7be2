import type { Socket } from 'node:net';
import { codeOf } from '../../platform/errors.js';
import { ApiError, badUserInput } from '../errors.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { toRawAnswer } from './answers.js';
import type { RoutedRequest } from './routed-request.js';

/** What we look at before anything of a request's body is read. */
export interface ArrivedRequest extends Pick<HttpRequest, 'method' | 'headers'> {
  /** No route takes it. */
  readonly is404: boolean;
  readonly raw: Pick<RoutedRequest, 'url' | 'takesAnyMethod'> & { readonly rawHeaders: readonly string[] };
}

/** Why no route will take a request, told before its body is read; undefined when one may. */
export function findRefusal(request: ArrivedRequest): ApiError | undefined {
  // Whose request it is would depend on who reads it: a proxy may take the other one.
  if (countHosts(request.raw.rawHeaders) > 1) return badUserInput('Send one `Host`.');
  if (!request.raw.url?.startsWith('/')) return badUserInput('The target of a request must be a path.');
  if (isWorkForAPage(request)) {
    return new ApiError('FORBIDDEN', 'A page of another origin may not have this done.');
  }
  if (request.is404) {
    return new ApiError('NOT_FOUND', `Nothing here answers a ${request.method}; ask /graphql, or look at /.`);
  }
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (isReading && !request.raw.takesAnyMethod && bringsBody(request)) {
    return badUserInput(`A ${request.method} brings no body.`);
  }
  return undefined;
}

/**
 * Whether a browser asks for a page of another origin that cannot read the answer: as a picture, in a frame, by a form. The work would
 * be done all the same. To follow a link there is another thing, and who wants to read must be of an origin that is named.
 */
function isWorkForAPage({ method, headers }: ArrivedRequest): boolean {
  const headerOf = (name: string, usual: string): string => String(headers[`sec-fetch-${name}`] ?? usual);
  if (['same-origin', 'none'].includes(headerOf('site', 'none')) || headerOf('mode', 'cors') === 'cors')
    return false;
  const isLink = headerOf('mode', '') === 'navigate' && headerOf('dest', '') === 'document';
  return !isLink || !['GET', 'HEAD'].includes(method);
}

/** Whether a body follows the request's headers. */
export function bringsBody({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

/** Answers a request whose address cannot be read, and ends its connection. */
export function refuseAddress(error: Error, socket: Socket): void {
  socket.end(toRawAnswer(badUserInput(error.message)));
}

/** What is said on a connection whose bytes are no HTTP, too many, or too late. */
const TROUBLES: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request was not sent in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
};

/** Answers a connection on which no request came to be, and ends it. A client that has left is told nothing. */
export function refuseConnection(error: Error, socket: Socket): void {
  const code = codeOf(error) ?? '';
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const [status, text] = TROUBLES[code] ?? [400, 'This is no HTTP.'];
  if (socket.writable) socket.write(toRawAnswer(new ApiError('BAD_USER_INPUT', text, {}, status)));
  socket.destroy();
}
