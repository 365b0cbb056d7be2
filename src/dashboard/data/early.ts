import { ask, read, type GivenAnswer } from './ask.js';
import { nowMs } from './now.js';
import { bodyOf, firstQuestions, type Question } from './questions.js';
import type { Looked } from './view.js';
import { findThere } from './find-there.js';

/** Questions that were asked before there was a part to draw their answers. */
const asked = new Map<string, Promise<unknown>>();

const nameOf = (text: string, id: string | undefined): string => JSON.stringify([text, id]);

/** Sees to what the page of an address asks first, while the scripts that draw it are still loaded. */
export function askEarly(view: Looked): void {
  for (const [text, id, variables] of firstQuestions(view)) {
    const answer = askOnce(text, variables);
    // Whoever takes it is told; nobody need.
    answer.catch(() => undefined);
    asked.set(nameOf(text, id), answer);
  }
}

/** The server asks itself the same meanwhile, and its answers come with the page. What it leaves to us, or leaves out, we ask for. */
async function askOnce(text: string, variablesAt: Question[2]): Promise<unknown> {
  const variables = variablesAt(nowMs());
  const body = bodyOf(text, variables);
  const came = await findThere(() =>
    [...document.querySelectorAll<HTMLDataElement>('data[data-question]')].find(
      ({ dataset }) => dataset['question'] === body,
    ),
  );
  if (!came?.value) return ask(text, variables, new AbortController().signal);
  return read(JSON.parse(came.value) as GivenAnswer<unknown>, 200);
}

/** The answer to a question that was asked already; undefined for all others, and from the second time on. */
export function takeEarly<Answer>(text: Question[0], id: string | undefined): Promise<Answer> | undefined {
  const answer = asked.get(nameOf(text, id)) as Promise<Answer> | undefined;
  asked.delete(nameOf(text, id));
  return answer;
}

/** Whatever nobody took when the page was drawn first is of no use later. */
export function forgetEarly(): void {
  asked.clear();
}
