import { isIPv4 } from 'node:net';
import { ApiError } from '../errors.js';
import type { HttpRequest } from '../graphql/http-messages.js';

/**
 * Rejects requests that do not name this computer, for use where no key is needed. The server then listens on loopback, but a web
 * page may have a host name that points to loopback; its requests have that name as `Host`. And a page of any origin may send
 * requests to `localhost`; these have the page's `Origin`, or `null` if the page hides it. Programs send no `Origin`, and a
 * `Host` only where their HTTP version has one.
 * @param invited origins whose pages may send requests anyway
 * @throws ApiError FORBIDDEN
 */
export function requireAllowedHost(
  { headers }: Pick<HttpRequest, 'headers'>,
  invited: readonly string[],
): void {
  const { host, origin } = headers;
  if (host !== undefined && !isOwnHost(String(host))) {
    throw new ApiError('FORBIDDEN', 'Without an API key this server answers only as localhost.');
  }
  if (origin !== undefined && !isOwnOrigin(String(origin)) && !invited.includes(String(origin))) {
    throw new ApiError('FORBIDDEN', 'Without an API key this server does not answer pages of other origins.');
  }
}

/** `localhost`, an address of 127.0.0.0/8 or `[::1]`, with a port or without. */
function isOwnHost(host: string): boolean {
  const name = /^([^:]+|\[::1\])(?::\d{1,5})?$/.exec(host)?.[1]?.toLowerCase() ?? '';
  return name === 'localhost' || name === '[::1]' || (name.startsWith('127.') && isIPv4(name));
}

function isOwnOrigin(origin: string): boolean {
  const host = /^https?:\/\/(.*)$/i.exec(origin)?.[1];
  return host !== undefined && isOwnHost(host);
}
