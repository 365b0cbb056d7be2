import type { Clock } from './clock.js';

/** Asks at most once in a time, however many callers there are; all of them get the same answer. A failure is not kept. */
export function keptFor<Answer>(
  clock: Pick<Clock, 'monotonic'>,
  ms: number,
  ask: () => Promise<Answer>,
): () => Promise<Answer> {
  let last: { readonly at: number; readonly answer: Promise<Answer> } | undefined;
  return () => {
    const at = clock.monotonic();
    if (last === undefined || at - last.at >= ms) {
      const answer = ask();
      last = { at, answer };
      answer.catch(() => {
        if (last?.answer === answer) last = undefined;
      });
    }
    return last.answer;
  };
}
