import { useLayoutEffect, useState } from 'preact/hooks';
import { ask, AskError, KEY_GIVEN } from './ask.js';
import { takeEarly } from './early.js';
import { noteNow, nowMs } from './now.js';

const EVERY_MS = 30_000;

/** The last answer to a query. It remains when a newer query fails. */
export interface KeptAnswer<Answer> {
  readonly answer: Answer | undefined;
  /** When `answer` was made, by the server's clock; ms since 1970. */
  readonly answeredMs: number | undefined;
  readonly error: AskError | undefined;
  /** Sends the query again at once, for example after a key was entered. */
  readonly again: () => void;
}

/**
 * Sends a query every `everyMs` while the page is visible; stops and aborts when its part is removed.
 * @param question must also ask for `now`
 * @param id changes when the query is another one; no query is sent while it is undefined
 * @param variables computed again for each request
 */
export function useAnswer<Answer extends { readonly now: string }>(
  question: string,
  id: string | undefined,
  variables: (nowMs: number) => object,
  everyMs = EVERY_MS,
): KeptAnswer<Answer> {
  const look = async (signal: AbortSignal): Promise<Answer> => {
    const beforeMs = nowMs();
    const early = takeEarly<Answer>(question, id);
    const answer = await (early ?? ask<Answer>(question, variables(beforeMs), signal));
    if (signal.aborted) return answer;
    noteNow(answer.now);
    // After a sleep the page would have asked about the time at which it fell asleep.
    return nowMs() - beforeMs > 2 * everyMs ? look(signal) : answer;
  };
  return useAsked(id === undefined ? undefined : `${id} ${question}`, look, everyMs);
}

/**
 * Like {@link useAnswer}, for any source of answers.
 * @param look taken from the draw in which `id` changed
 */
export function useAsked<Answer>(
  id: string | undefined,
  look: (signal: AbortSignal) => Promise<Answer>,
  everyMs = EVERY_MS,
): KeptAnswer<Answer> {
  const [kept, keep] = useState<{ id: string | undefined } & Omit<KeptAnswer<Answer>, 'again'>>();
  const [turn, setTurn] = useState(0);
  // At once, not after the next frame.
  useLayoutEffect(() => {
    if (id === undefined) return undefined;
    const aborter = new AbortController();
    let timer: number | undefined;
    const askNow = async (): Promise<void> => {
      window.clearTimeout(timer);
      try {
        const answer = await look(aborter.signal);
        if (aborter.signal.aborted) return;
        keep({ id, answer, answeredMs: nowMs(), error: undefined });
      } catch (error) {
        if (aborter.signal.aborted) return;
        const failure = error instanceof AskError ? error : new AskError('away', String(error));
        keep((old) => ({
          id,
          answer: old?.id === id ? old.answer : undefined,
          answeredMs: old?.id === id ? old.answeredMs : undefined,
          error: failure,
        }));
      }
      if (!document.hidden && !aborter.signal.aborted)
        timer = window.setTimeout(() => void askNow(), everyMs);
    };
    const onVisible = (): void => {
      window.clearTimeout(timer);
      if (!document.hidden) void askNow();
    };
    document.addEventListener('visibilitychange', onVisible);
    window.addEventListener(KEY_GIVEN, onVisible);
    void askNow();
    return () => {
      aborter.abort();
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', onVisible);
      window.removeEventListener(KEY_GIVEN, onVisible);
    };
  }, [id, everyMs, turn]);
  const shown = id !== undefined && kept?.id === id ? kept : undefined;
  return {
    answer: shown?.answer,
    answeredMs: shown?.answeredMs,
    error: shown?.error,
    again: () => setTurn((count) => count + 1),
  };
}
