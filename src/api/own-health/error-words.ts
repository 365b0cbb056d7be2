import { toPrintable } from '../../domain/printable-text.js';
import { redactText } from '../../platform/redact.js';

/** Node's system errors after the code: `connect ECONNREFUSED 127.0.0.1:5432`, `getaddrinfo ENOTFOUND db`. */
const SYSTEM_CALL =
  /\b(connect|getaddrinfo|read|write|listen|bind) (E[A-Z0-9_]+)(?: [^\s;,]+)?(?: - Local \([^)]*\))?/g;

/** IPv4 and IPv6 addresses, host names with a port, and Unix sockets. */
const ADDRESS =
  /\b\d{1,3}(?:\.\d{1,3}){3}(?::\d{1,5})?\b|\[?(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}\]?(?::\d{1,5})?|\b[a-z0-9][a-z0-9.-]*:\d{2,5}\b|\/\S*\.s\.PGSQL\.\d+/gi;

const LONGEST = 500;

/** The text of an error for a health check, without the addresses and ports of servers. */
export function withoutAddresses(text: string): string {
  return toPrintable(redactText(text).replace(SYSTEM_CALL, '$1 $2').replace(ADDRESS, '(address)'), LONGEST);
}
