import { badUserInput } from '../errors.js';
import type { HttpRequest } from './http-messages.js';

/** The media type that GraphQL over HTTP gives its answers; clients ask for it. */
export const GRAPHQL_TYPE = 'application/graphql-response+json';

/** Headers that no page can send to another origin that has not agreed: browsers ask that one first. */
const PREFLIGHT_HEADERS = [
  'graphql-require-preflight',
  'authorization',
  'x-api-key',
  'x-mercurius-operation-name',
  'mercurius-require-preflight',
];
/** Types of bodies of which the same holds. */
const PREFLIGHT_TYPE = /^application\/(?:json|graphql)\s*(?:;|$)/i;

/**
 * Refuses what a page of another origin can make a browser send without asking us: a form, a picture, a plain GET. The
 * page could not read the answer, but the work would be done. A GET without such a header is let in where `accept` asks
 * as GraphQL over HTTP has it. Pictures, forms and links cannot ask so. A browser may also say whose page it asks for;
 * then that must be none of another origin. All browsers since 2023 say so where nobody can listen in, as on localhost.
 * @param invited origins whose pages may ask
 * @throws ApiError BAD_USER_INPUT
 */
export function refuseForeignPages(
  { method, headers }: Pick<HttpRequest, 'method' | 'headers'>,
  invited: readonly string[],
): void {
  if (PREFLIGHT_HEADERS.some((name) => headers[name] !== undefined)) return;
  if (PREFLIGHT_TYPE.test(String(headers['content-type'] ?? ''))) return;
  if (method === 'GET' || method === 'HEAD') {
    const { origin } = headers;
    const site = headers['sec-fetch-site'];
    const isOwn =
      origin === undefined ? site === undefined || site === 'same-origin' : invited.includes(String(origin));
    if (acceptsGraphql(headers) && isOwn) return;
    throw badUserInput(
      `Ask by GET with \`accept: ${GRAPHQL_TYPE}\` or the header \`graphql-require-preflight\`, and for no page of another origin.`,
    );
  }
  throw badUserInput(
    'Send `content-type: application/json`, or the header `graphql-require-preflight`: no page of another origin can.',
  );
}

/** Whether an answer is asked for under the name that GraphQL over HTTP gives it. */
export function acceptsGraphql({ accept }: HttpRequest['headers']): boolean {
  return String(accept ?? '')
    .split(',')
    .some((type) => type.split(';')[0]?.trim().toLowerCase() === GRAPHQL_TYPE);
}
