import { type DocumentNode, getOperationAST, OperationTypeNode, parse, visit } from 'graphql';
import { ApiError, badUserInput } from '../errors.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { TOKEN_LIMIT } from './query-cost.js';

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

/** What a request asks, in its body or, of a GET, in its address. */
export function readQuestion(request: Pick<HttpRequest, 'method' | 'query' | 'body'>): unknown {
  return isByAddress(request) ? request.query : request.body;
}

function isByAddress({ method }: Pick<HttpRequest, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** @throws ApiError BAD_USER_INPUT unless the request has the form of GraphQL over HTTP; with 405 for a change by GET */
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

/** What comes by GET is repeated by proxies, and by browsers on their own: it may change nothing. */
function requireReading(
  query: string,
  operationName: string | null | undefined,
  reply: Pick<HttpReply, 'header'>,
): void {
  let document: DocumentNode;
  try {
    document = parse(query, { maxTokens: TOKEN_LIMIT });
  } catch {
    // It is parsed once more, and then the complaint is told.
    return;
  }
  const operation = getOperationAST(document, operationName);
  if (!operation) throw badUserInput('Name one of the operations in the query by `operationName`.');
  if (operation.operation !== OperationTypeNode.QUERY) {
    reply.header('allow', 'POST');
    throw new ApiError('BAD_USER_INPUT', 'Changes are made by POST only.', {}, 405);
  }
}

/** Documents whose own texts were found to be right: who asks the same again has the same document. */
const recordable = new WeakSet<DocumentNode>();

/**
 * Refuses texts that cannot have been recorded, wherever they stand in a question. No column takes U+0000, and half a
 * pair of surrogates is another character by the time it arrives there.
 * @throws ApiError BAD_USER_INPUT
 */
export function requireRecordableTexts(document: DocumentNode, variables: unknown): void {
  if (!recordable.has(document)) {
    visit(document, { StringValue: ({ value }) => requireRecordable(value) });
    recordable.add(document);
  }
  // Not recursive: what no operation declares may be nested as deeply as its bytes allow.
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
  if (text.includes('\0')) throw badUserInput('A text holds U+0000, which no recorded text does.');
  if (/\p{Surrogate}/u.test(text)) {
    throw badUserInput('A text holds half of a surrogate pair, which is no character.');
  }
}
