import { useLayoutEffect, useState } from 'preact/hooks';
import { ask, AskError, KEY_GIVEN } from './ask.js';
import { takeEarly } from './early.js';
import { noteNow, nowMs } from './now.js';

const EVERY_MS = 30_000;

/** The last answer to a question. It stays when a newer one fails. */
export interface KeptAnswer<Answer> {
  readonly answer: Answer | undefined;
  /** When `answer` was made, by the server's clock; ms since 1970. */
  readonly answeredMs: number | undefined;
  readonly error: AskError | undefined;
  /** Asks at once, as after a key was given. */
  readonly again: () => void;
}

/**
 * Asks every `everyMs` while the page is visible; stops and aborts when its part is taken away.
 * @param question asks for `now` as well
 * @param id tells when the question is another one; nothing is asked where it is undefined
 * @param variables made anew for each time of asking
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
    // A page that slept asked about the time in which it fell asleep.
    return nowMs() - beforeMs > 2 * everyMs ? look(signal) : answer;
  };
  return useAsked(id === undefined ? undefined : `${id} ${question}`, look, everyMs);
}

/** As {@link useAnswer}, whoever is asked. @param look of the draw in which `id` became another one */
export function useAsked<Answer>(
  id: string | undefined,
  look: (signal: AbortSignal) => Promise<Answer>,
  everyMs = EVERY_MS,
): KeptAnswer<Answer> {
  const [kept, keep] = useState<{ id: string | undefined } & Omit<KeptAnswer<Answer>, 'again'>>();
  const [turn, setTurn] = useState(0);
  // At once, and not after the next frame.
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
