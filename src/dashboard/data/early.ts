import { ask, read, type GivenAnswer } from './ask.js';
import { nowMs } from './now.js';
import { bodyOf, firstQuestions, type Question } from './questions.js';
import { zoneOf, type ReadonlyView } from './view.js';
import { findThere } from './find-there.js';

/** Queries that were sent before there was a part to draw their answers. */
const asked = new Map<string, Promise<unknown>>();

const nameOf = (text: string, id: string): string => JSON.stringify([text, id]);

/** Starts the first queries of an address's page while the scripts that draw it still load. */
export function askEarly(given: ReadonlyView): void {
  const atMs = nowMs();
  const served = new Set(
    questionsIn(servedZone(), given).map(([text, , variables]) => bodyOf(text, variables(atMs))),
  );
  const ownZone = zoneOf({ get: () => '' });
  document.cookie = `hindsight-zone=${ownZone}; SameSite=Strict; Path=/; Max-Age=31536000`;
  for (const [text, id, variablesAt] of questionsIn(ownZone, given)) {
    const variables = variablesAt(atMs);
    const answer = askOnce(text, variables, served);
    // The part that takes the answer handles its error; perhaps no part takes it.
    answer.catch(() => undefined);
    asked.set(nameOf(text, id), answer);
  }
}

/** The first queries of a page, in a zone unless the address names another one. */
function questionsIn(zone: string, given: ReadonlyView): Question[] {
  return firstQuestions({ ...given, get: (name) => given.get(name) || (name === 'zone' ? zone : '') });
}

/** The zone in which the server answers: it knows that of the browser from an earlier visit. */
function servedZone(): string {
  return document.querySelector('meta[name=zone]')?.getAttribute('content') ?? '';
}

/** The server runs the same queries meanwhile and sends their answers with the page. We send those that it omits. */
async function askOnce(text: string, variables: object, served: ReadonlySet<string>): Promise<unknown> {
  const body = bodyOf(text, variables);
  const findAnswer = (): HTMLDataElement | undefined =>
    [...document.querySelectorAll<HTMLDataElement>('data[data-question]')].find(
      ({ dataset }) => dataset['question'] === body,
    );
  const came = served.has(body) ? await findThere(findAnswer) : undefined;
  if (!came?.value) return ask(text, variables, new AbortController().signal);
  return read(JSON.parse(came.value) as GivenAnswer<unknown>, 200);
}

/** The answer to a query that was already sent; undefined for all others, and from the second call on. */
export function takeEarly<Answer>(text: Question[0], id: string): Promise<Answer> | undefined {
  const answer = asked.get(nameOf(text, id)) as Promise<Answer> | undefined;
  asked.delete(nameOf(text, id));
  return answer;
}

/** Drops answers that no part took when the page was first drawn: they are of no use later. */
export function forgetEarly(): void {
  asked.clear();
}
