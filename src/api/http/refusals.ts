import type { Socket } from 'node:net';
import { codeOf } from '../../platform/errors.js';
import { ApiError, badUserInput } from '../errors.js';
import type { HttpRequest } from '../graphql/http-messages.js';
import { toRawAnswer } from './answers.js';
import type { RoutedRequest } from './routed-request.js';

/** The part of a request that is checked before its body is read. */
export interface ArrivedRequest extends Pick<HttpRequest, 'method' | 'headers'> {
  readonly is404: boolean;
  /** The path of its route, as declared; undefined without a route. */
  readonly routeOptions: { readonly url?: string | undefined };
  readonly raw: Pick<RoutedRequest, 'url' | 'takesAnyMethod'> & { readonly rawHeaders: readonly string[] };
}

/** Pictures that pages of other origins may show: computed for all clients at once, and the same for all. */
const SHOWN_ELSEWHERE: ReadonlySet<string | undefined> = new Set(['/public/:chain/badge.svg']);

/** The reason why no route will accept a request, found before its body is read; undefined when a route may. */
export function findRefusal(request: ArrivedRequest): ApiError | undefined {
  // With two `Host` headers, a proxy may use the other one.
  if (countHosts(request.raw.rawHeaders) > 1) return badUserInput('Send exactly one `Host` header.');
  if (!request.raw.url?.startsWith('/')) return badUserInput('The target of a request must be a path.');
  if (isWorkForAPage(request)) {
    return new ApiError('FORBIDDEN', 'A page of another origin may not send this request.');
  }
  if (request.is404) {
    return new ApiError('NOT_FOUND', `There is no route for this ${request.method}; use /graphql, or see /.`);
  }
  const isReading = request.method === 'GET' || request.method === 'HEAD';
  if (isReading && !request.raw.takesAnyMethod && bringsBody(request)) {
    return badUserInput(`A ${request.method} must have no body.`);
  }
  return undefined;
}

/**
 * Whether a browser sends the request for a page of another origin that cannot read the response: as a picture, in a frame, by a
 * form. The server would do the work anyway. Following a link is allowed, and pages that want to read must be of an allowed
 * origin.
 */
function isWorkForAPage({ method, headers, routeOptions }: ArrivedRequest): boolean {
  if (SHOWN_ELSEWHERE.has(routeOptions.url)) return false;
  const headerOf = (name: string, usual: string): string => String(headers[`sec-fetch-${name}`] ?? usual);
  if (['same-origin', 'none'].includes(headerOf('site', 'none')) || headerOf('mode', 'cors') === 'cors')
    return false;
  const isLink = headerOf('mode', '') === 'navigate' && headerOf('dest', '') === 'document';
  return !isLink || !['GET', 'HEAD'].includes(method);
}

export function bringsBody({ headers }: Pick<HttpRequest, 'headers'>): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function countHosts(rawHeaders: readonly string[]): number {
  return rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === 'host').length;
}

/** Responds to a request whose address cannot be parsed, and closes its connection. */
export function refuseAddress(error: Error, socket: Socket): void {
  socket.end(toRawAnswer(badUserInput(error.message)));
}

/** Status and message for a connection whose bytes are not HTTP, too many, or too late. */
const TROUBLES: Readonly<Record<string, readonly [number, string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request was not sent in time.'],
  HPE_HEADER_OVERFLOW: [431, 'The headers are too large.'],
};

/** Responds on a connection without a valid request, and closes it. Sends nothing to a client that has left. */
export function refuseConnection(error: Error, socket: Socket): void {
  const code = codeOf(error) ?? '';
  if (code === 'ECONNRESET' || socket.destroyed) return;
  const [status, text] = TROUBLES[code] ?? [400, 'This is not HTTP.'];
  if (socket.writable) socket.write(toRawAnswer(new ApiError('BAD_USER_INPUT', text, {}, status)));
  socket.destroy();
}
