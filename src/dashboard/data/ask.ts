const KEY = 'hindsight-key';
const LONGEST_TROUBLE = 500;

/** Why there is no answer: a key is needed, the server does not answer, or it refuses the question. */
export type Trouble = 'key' | 'away' | 'refused';

/** A question that was not answered. */
export class AskError extends Error {
  constructor(
    readonly trouble: Trouble,
    message: string,
  ) {
    super(message.slice(0, LONGEST_TROUBLE));
  }
}

/** Keeps an API key until the tab is closed. */
export function keepKey(key: string): void {
  sessionStorage.setItem(KEY, key);
}

/**
 * Asks our own server.
 * @param question a document of `data/`
 * @returns `data` of the answer, as the server sent it
 * @throws AskError; DOMException when `signal` aborts
 */
export async function ask<Answer>(question: string, variables: object, signal: AbortSignal): Promise<Answer> {
  const key = sessionStorage.getItem(KEY);
  const response = await fetch('/graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(key !== null && { 'x-api-key': key }) },
    body: JSON.stringify({ query: question, variables }),
    signal,
  }).catch((error: unknown) => {
    if (signal.aborted) throw error;
    throw new AskError('away', 'The server does not answer.');
  });
  if (response.status === 401) throw new AskError('key', 'This server wants an API key.');
  const body = (await response.json().catch(() => ({}))) as {
    data?: Answer | null;
    errors?: { message: string }[];
  };
  const refusal = body.errors?.[0]?.message;
  if (refusal !== undefined) throw new AskError('refused', refusal);
  if (!response.ok || !body.data) throw new AskError('away', `The server answers with ${response.status}.`);
  return body.data;
}
