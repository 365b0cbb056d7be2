import type { Question } from './random-question.js';
import type { RestRequest } from './random-request.js';

/** The answer to one query. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

interface AnswerError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

/** Statuses of valid answers, and of queries that are wrong in themselves or for the moment. */
const PROPER_STATUS = new Set([200, 400, 401, 403, 404, 405, 413, 415, 429, 503]);

const PROPER_CODES = new Set([
  'BAD_USER_INPUT',
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
  'TOO_EXPENSIVE',
  'RATE_LIMITED',
  'UNAVAILABLE',
]);

/** Internals of the program and its database, which a message must never show. */
const INSIDES =
  /node_modules|\.[jt]s:\d+|at .* \(|SELECT |relation "|column "|syntax error at or near|QueryFailedError|ECONN|password/;

/** All faults of an answer, one sentence each; empty for a proper answer. */
export function findFaults({ query }: Question, { status, text }: Reply): string[] {
  if (!PROPER_STATUS.has(status)) return [`status ${status}`];
  let answer: { data?: unknown; errors?: AnswerError[] };
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    return ['the answer is no JSON'];
  }
  const errors = answer.errors ?? [];
  const isSilent = errors.length === 0 && (answer.data === undefined || answer.data === null);
  if (status === 503 && errors.every(({ extensions }) => extensions?.code !== 'UNAVAILABLE')) {
    return ['status 503 without its reason'];
  }
  return [
    ...(isSilent ? ['neither data nor errors'] : []),
    ...errors.flatMap(({ message, extensions }) => {
      const code = extensions?.code ?? 'none';
      if (!PROPER_CODES.has(code)) return [`code ${code}: ${message}`];
      // The parser quotes the query, which may contain such words itself.
      const isLeak = INSIDES.test(message) && !query.includes(message.slice(0, 20));
      return isLeak ? [`a message shows insides: ${message.slice(0, 300)}`] : [];
    }),
  ];
}

/** Larger than any answer from a small record. */
const LARGEST_ANSWER = 50_000_000;

const PROPER_REST_STATUS = new Set([...PROPER_STATUS, 414, 431]);

/** All faults of an answer to a request, one sentence each; empty for a proper answer. */
export function findRestFaults({ method }: RestRequest, { status, text }: Reply): string[] {
  if (!PROPER_REST_STATUS.has(status)) return [`status ${status}: ${text.slice(0, 300)}`];
  if (text.length > LARGEST_ANSWER) return [`an answer of ${text.length} characters`];
  if (status < 400 || status === 503 || method === 'HEAD') return [];
  // A Connect service answers like this to a wrong method, and a node to an unknown path; both answers are passed through.
  if (status === 405 && text === '') return [];
  if (status === 404 && text === '404 page not found\n') return [];
  let answer: { errors?: AnswerError[] };
  try {
    answer = JSON.parse(text) as typeof answer;
  } catch {
    return [`status ${status} without JSON: ${text.slice(0, 300)}`];
  }
  const [error] = answer.errors ?? [];
  if (!error || !PROPER_CODES.has(error.extensions?.code ?? ''))
    return [`no proper error: ${text.slice(0, 300)}`];
  return INSIDES.test(error.message.replaceAll(/"[^"]*"/g, '""'))
    ? [`a message shows insides: ${error.message.slice(0, 300)}`]
    : [];
}
