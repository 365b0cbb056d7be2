import { type DocumentNode, getOperationAST, OperationTypeNode, parse, visit } from 'graphql';
import { ApiError, badUserInput } from '../errors.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { TOKEN_LIMIT } from './query-cost.js';

/** The response media type of GraphQL over HTTP; clients send it in `accept`. */
export const GRAPHQL_TYPE = 'application/graphql-response+json';

/** Headers that a page cannot send to another origin without its consent: browsers send a preflight request first. */
const PREFLIGHT_HEADERS = [
  'graphql-require-preflight',
  'authorization',
  'x-api-key',
  'x-mercurius-operation-name',
  'mercurius-require-preflight',
];
/** Body types that also need a preflight request. */
const PREFLIGHT_TYPE = /^application\/(?:json|graphql)\s*(?:;|$)/i;

/**
 * Rejects requests that a page of another origin can make a browser send without a preflight: a form, a picture, a plain GET. The
 * page could not read the response, but the server would do the work. A GET without such a header is accepted if `accept` has the
 * media type of GraphQL over HTTP, which pictures, forms and links cannot send. If the browser names the page's origin, it must
 * be our own or an invited one. All browsers since 2023 name it on connections that nobody can listen in on, such as localhost.
 * @param invited origins whose pages may send requests
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
      `Send GET requests with \`accept: ${GRAPHQL_TYPE}\` or the header \`graphql-require-preflight\`, and not from a page of another origin.`,
    );
  }
  throw badUserInput(
    'Send `content-type: application/json`, or the header `graphql-require-preflight`: pages of other origins cannot.',
  );
}

export function acceptsGraphql({ accept }: HttpRequest['headers']): boolean {
  return String(accept ?? '')
    .split(',')
    .some((type) => type.split(';')[0]?.trim().toLowerCase() === GRAPHQL_TYPE);
}

/** The GraphQL request: from the body or, for a GET, from the query string. */
export function readQuestion(request: Pick<HttpRequest, 'method' | 'query' | 'body'>): unknown {
  return isByAddress(request) ? request.query : request.body;
}

function isByAddress({ method }: Pick<HttpRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** @throws ApiError BAD_USER_INPUT unless the request has the form of GraphQL over HTTP; with status 405 for a mutation by GET */
export function requireQuestion(request: HttpRequest, reply: Pick<HttpReply, 'header'>): void {
  const question = readQuestion(request);
  if (typeof question !== 'object' || question === null)
    throw badUserInput('Send a JSON object with the member `query`.');
  const { query, operationName, variables } = question as Record<string, unknown>;
  if (typeof query !== 'string' || query.trim() === '')
    throw badUserInput('`query` must be the text of a query.');
  if (operationName !== undefined && operationName !== null && typeof operationName !== 'string') {
    throw badUserInput('`operationName` must be a string.');
  }
  if (isByAddress(request)) {
    requireReading(query, operationName, reply);
    return;
  }
  const isObject = typeof variables === 'object' && !Array.isArray(variables);
  if (variables !== undefined && !isObject) throw badUserInput('`variables` must be an object.');
}

/** Rejects mutations by GET: proxies and browsers may repeat a GET on their own. */
function requireReading(
  query: string,
  operationName: string | null | undefined,
  reply: Pick<HttpReply, 'header'>,
): void {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: TOKEN_LIMIT });
  } catch {
    // The query is parsed again later, and the syntax error is reported then.
    return;
  }
  const operation = getOperationAST(document, operationName);
  if (!operation) throw badUserInput('Name one of the operations in the query by `operationName`.');
  if (operation.operation !== OperationTypeNode.QUERY) {
    reply.header('allow', 'POST');
    throw new ApiError('BAD_USER_INPUT', 'Mutations need POST.', {}, 405);
  }
}

/** Documents whose texts passed the check. A repeated query has the same document. */
const recordable = new WeakSet<DocumentNode>();

/**
 * Rejects texts that cannot have been recorded, anywhere in a request. No column accepts U+0000, and half a surrogate pair
 * becomes another character on its way to the database.
 * @throws ApiError BAD_USER_INPUT
 */
export function requireRecordableTexts(document: DocumentNode, variables: unknown): void {
  if (!recordable.has(document)) {
    visit(document, { StringValue: ({ value }) => requireRecordable(value) });
    recordable.add(document);
  }
  // Not recursive: undeclared variables may be nested as deeply as the body limit allows.
  const left: unknown[] = [variables];
  while (left.length > 0) {
    const value = left.pop();
    if (typeof value === 'string') requireRecordable(value);
    else if (typeof value === 'object' && value !== null)
      for (const part of Object.values(value)) left.push(part);
  }
}

/** @throws ApiError BAD_USER_INPUT */
export function requireRecordable(text: string): void {
  if (text.includes('\0')) throw badUserInput('A text contains U+0000, which no recorded text contains.');
  if (/\p{Surrogate}/u.test(text)) {
    throw badUserInput('A text contains half of a surrogate pair, which is not a character.');
  }
}
