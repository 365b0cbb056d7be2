import type { Route } from './http-messages.js';

/**
 * Headers with which a server describes what it sends. Whatever else there is may come from something in between: `Server`, `Via`,
 * `X-Cache`, `CF-Ray` and the like. The real node sends nothing but these.
 */
const OWN_HEADERS = new Set(
  (
    'content-type content-length content-encoding content-language transfer-encoding connection keep-alive date vary ' +
    'etag last-modified cache-control pragma expires trailer allow x-content-type-options'
  ).split(' '),
);

/** @param headers by their names in lower case */
export function routeOf(headers: Readonly<Record<string, unknown>>, connection: number | null): Route {
  const isForeign = (name: string) => !OWN_HEADERS.has(name) && !name.startsWith('access-control-');
  return {
    connection,
    isProxied: Object.keys(headers).some(isForeign),
    isAged: headers['age'] !== undefined,
  };
}
