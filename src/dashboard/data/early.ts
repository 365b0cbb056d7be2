import { ask } from './ask.js';
import { firstQuestions, type Question } from './questions.js';
import type { Looked } from './view.js';

/** Questions that were sent before there was a part to draw their answers. */
const sent = new Map<string, Promise<unknown>>();

const nameOf = (text: string, id: string | undefined): string => JSON.stringify([text, id]);

/** Sends what the page of an address asks first, while the scripts that draw it are still loaded. */
export function askEarly(view: Looked): void {
  for (const [text, id, variables] of firstQuestions(view)) {
    const answer = ask(text, variables(), new AbortController().signal);
    // Whoever takes it is told; nobody need.
    answer.catch(() => undefined);
    sent.set(nameOf(text, id), answer);
  }
}

/** The answer to a question that was sent already; undefined for all others, and from the second time on. */
export function takeEarly<Answer>(text: Question[0], id: string | undefined): Promise<Answer> | undefined {
  const answer = sent.get(nameOf(text, id)) as Promise<Answer> | undefined;
  sent.delete(nameOf(text, id));
  return answer;
}

/** Whatever nobody took when the page was drawn first is of no use later. */
export function forgetEarly(): void {
  sent.clear();
}
