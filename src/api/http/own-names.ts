import { isIPv4 } from 'node:net';
import { ApiError } from '../errors.js';
import type { HttpRequest } from '../graphql/http-messages.js';

/**
 * Lets in only what means this computer, where no key is asked for. We listen on loopback then, but a web page may have
 * a name of its own point there. What it sends bears that name as `Host`. And a page of anywhere may send to
 * `localhost`. That bears the page's `Origin`, which is `null` for one that hides it. Programs send no `Origin`, and a
 * `Host` only where their HTTP knows one.
 * @param invited origins whose pages may ask all the same
 * @throws ApiError FORBIDDEN
 */
export function requireOwnNames({ headers }: Pick<HttpRequest, 'headers'>, invited: readonly string[]): void {
  const { host, origin } = headers;
  if (host !== undefined && !isOwnHost(String(host))) {
    throw new ApiError('FORBIDDEN', 'Without an API key this server answers only as localhost.');
  }
  if (origin !== undefined && !isOwnOrigin(String(origin)) && !invited.includes(String(origin))) {
    throw new ApiError('FORBIDDEN', 'Without an API key this server answers no pages of other origins.');
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
