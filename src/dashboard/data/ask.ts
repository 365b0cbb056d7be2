import { bodyOf } from './questions.js';

const KEY = 'hindsight-key';
const LONGEST_TROUBLE = 500;
const PATIENCE_MS = 15_000;

/** Why there is no answer: a key is needed, the server does not answer, or it refuses the query. */
export type FailureKind = 'key' | 'away' | 'refused';

export class AskError extends Error {
  constructor(
    readonly trouble: FailureKind,
    message: string,
  ) {
    super(message.slice(0, LONGEST_TROUBLE));
  }
}

/** Event on the window once a key was entered: code that waits for a key asks again. */
export const KEY_GIVEN = 'hindsight-key';

/** Event on the window when the server answers again: what failed is tried again at once. */
export const BACK = 'hindsight-back';

/**
 * Keeps an API key until the tab is closed, if the server takes it: a wrong one is sent once, not with every query of the page.
 * @throws AskError
 */
export async function tryKey(key: string): Promise<void> {
  sessionStorage.setItem(KEY, key);
  try {
    await ask('{ now }', {});
  } catch (error) {
    sessionStorage.removeItem(KEY);
    throw error;
  }
  window.dispatchEvent(new Event(KEY_GIVEN));
}

export function hasKey(): boolean {
  return sessionStorage.getItem(KEY) !== null;
}

/** The header with the key; empty without a key. */
export function keyHeader(): Readonly<Record<string, string>> {
  const key = sessionStorage.getItem(KEY);
  return key === null ? {} : { 'x-api-key': key };
}

/** The error for status 401. */
export function keyTrouble(): AskError {
  return new AskError(
    'key',
    hasKey() ? 'This server refuses that API key.' : 'This server requires an API key.',
  );
}

/**
 * Sends a query to our own server.
 * @param question a document of `data/`
 * @param signal ends the wait for an answer; after 15 s when left out
 * @returns `data` of the answer, as the server sent it
 * @throws AskError; DOMException when `signal` aborts
 */
export async function ask<Answer>(
  question: string,
  variables: object,
  signal = AbortSignal.timeout(PATIENCE_MS),
): Promise<Answer> {
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...keyHeader() },
    body: bodyOf(question, variables),
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new AskError('away', 'The server does not answer.');
  });
  if (response.status === 401) throw keyTrouble();
  const body = (await response.json().catch(() => ({}))) as GivenAnswer<Answer>;
  return read(response.ok ? body : { ...body, data: null }, response.status);
}

export interface GivenAnswer<Answer> {
  readonly data?: Answer | null;
  readonly errors?: readonly { readonly message: string }[];
}

/**
 * @returns `data` of an answer
 * @throws AskError
 */
export function read<Answer>({ data, errors }: GivenAnswer<Answer>, status: number): Answer {
  const refusal = errors?.[0]?.message;
  if (refusal !== undefined) throw new AskError('refused', refusal);
  if (!data) throw new AskError('away', `The server answers with ${status}.`);
  return data;
}
