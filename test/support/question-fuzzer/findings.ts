import type { Question } from './random-question.js';
import type { RestRequest } from './random-request.js';

/** What one question got. */
export interface Reply {
  readonly status: number;
  readonly text: string;
}

interface AnswerError {
  readonly message: string;
  readonly extensions?: { readonly code?: string };
}

/** Statuses that say that the question, or its moment, was the wrong one. */
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

/** What a message may never show: how the program and its database are made. */
const INSIDES =
  /node_modules|\.[jt]s:\d+|at .* \(|SELECT |relation "|column "|syntax error at or near|QueryFailedError|ECONN|password/;

/** Everything that is wrong with an answer, a sentence each; nothing for a proper one. */
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
      // The parser quotes the question, which may hold such words itself.
      const isLeak = INSIDES.test(message) && !query.includes(message.slice(0, 20));
      return isLeak ? [`a message shows insides: ${message.slice(0, 300)}`] : [];
    }),
  ];
}

/** More than any answer of a small record takes. */
const LARGEST_ANSWER = 50_000_000;

const PROPER_REST_STATUS = new Set([...PROPER_STATUS, 414, 431]);

/** Everything that is wrong with an answer to a request, a sentence each; nothing for a proper one. */
export function findRestFaults({ method }: RestRequest, { status, text }: Reply): string[] {
  if (!PROPER_REST_STATUS.has(status)) return [`status ${status}: ${text.slice(0, 300)}`];
  if (text.length > LARGEST_ANSWER) return [`an answer of ${text.length} characters`];
  if (status < 400 || status === 503 || method === 'HEAD') return [];
  // A Connect service answers the wrong method so, a node an unknown path; both are served as they are.
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
