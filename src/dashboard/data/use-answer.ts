import { useLayoutEffect, useState } from 'preact/hooks';
import { useLocation } from 'preact-iso';
import { ask, AskError, BACK, KEY_GIVEN } from './ask.js';
import { takeEarly } from './early.js';
import { onChange, type LiveChange } from './live.js';
import { noteNow, nowMs } from './now.js';
import { usePending } from './pending.js';
import type { Question } from './questions.js';
import { useTrouble } from './troubles.js';
import { isPast, viewOf } from './view.js';

const EVERY_MS = 30_000;
/** After this time a query without an answer is repeated, ms. */
const AGAIN_MS = 10_000;
let isAway = false;
/** Time that a page needs at most, mostly, to be connected to the changes of the record. */
const CONNECTED_WITHIN_MS = 2_000;

/** The last answer to a query. It remains when a newer query fails. */
export interface LatestAnswer<Answer> {
  readonly answer: Answer | undefined;
  /** When `answer` was made, by the server's clock; ms since 1970. */
  readonly answeredMs: number | undefined;
  readonly error: AskError | undefined;
  /** Sends the query again at once, for example after a key was entered. */
  readonly again: () => void;
}

export interface Repetition {
  /** The longest time between two queries of a visible page, in ms. */
  readonly everyMs?: number;
  /** Changes in the record after which the query is repeated at once. */
  readonly on?: readonly LiveChange[];
}

/**
 * Sends a query now and then while the page is visible and not paused; stops and aborts when its part is removed. The page
 * shows why there is no answer.
 * @param question must also query `now`; no query is sent while it is undefined
 */
export function useAnswer<Answer extends { readonly now: string }>(
  question: Question | undefined,
  { everyMs = EVERY_MS, on = [] }: Repetition = {},
): LatestAnswer<Answer> {
  const query = async (signal: AbortSignal): Promise<Answer> => {
    const [text, id, variables] = question ?? ['', '', () => ({})];
    const beforeMs = nowMs();
    const early = takeEarly<Answer>(text, id);
    const answer = await (early ?? ask<Answer>(text, variables(beforeMs), signal));
    if (signal.aborted) return answer;
    noteNow(answer.now);
    // After a sleep the page would have queried the time at which it fell asleep.
    return nowMs() - beforeMs > 2 * everyMs ? query(signal) : answer;
  };
  const latest = useFetched(question && `${question[1]} ${question[0]}`, query, { everyMs, on });
  useTrouble(latest);
  return latest;
}

/**
 * Like {@link useAnswer}, for any source of answers. The caller shows the error.
 * @param query taken from the draw in which `id` changed
 */
export function useFetched<Answer>(
  id: string | undefined,
  query: (signal: AbortSignal) => Promise<Answer>,
  { everyMs = EVERY_MS, on = [] }: Repetition = {},
): LatestAnswer<Answer> {
  const [kept, keep] = useState<{ id: string | undefined } & Omit<LatestAnswer<Answer>, 'again'>>();
  const [turn, setTurn] = useState(0);
  const { url } = useLocation();
  const isPaused = viewOf(url).get('live') === 'off' && kept?.id === id;
  // At once, not after the next frame.
  useLayoutEffect(() => {
    if (id === undefined || isPaused) return undefined;
    const aborter = new AbortController();
    let timer: number | undefined;
    let ends: readonly (() => void)[] | undefined;
    let hasFailed = false;
    const queryNow = async (): Promise<void> => {
      window.clearTimeout(timer);
      let nextMs = everyMs;
      try {
        const answer = await query(aborter.signal);
        if (aborter.signal.aborted) return;
        keep({ id, answer, answeredMs: nowMs(), error: undefined });
        hasFailed = false;
        if (isAway) window.dispatchEvent(new Event(BACK));
        isAway = false;
        // Only now is it known that this page may read. A change in between is found by the next query.
        if (ends === undefined && on.length > 0 && !isPast(viewOf(url))) {
          ends = on.map((change) => onChange(change, () => void queryNow()));
          nextMs = Math.min(everyMs, CONNECTED_WITHIN_MS);
        }
      } catch (error) {
        if (aborter.signal.aborted) return;
        const failure = error instanceof AskError ? error : new AskError('away', String(error));
        hasFailed = true;
        isAway ||= failure.trouble === 'away';
        nextMs = Math.min(everyMs, AGAIN_MS);
        keep((old) => ({
          id,
          answer: old?.id === id ? old.answer : undefined,
          answeredMs: old?.id === id ? old.answeredMs : undefined,
          error: failure,
        }));
      }
      window.clearTimeout(timer);
      if (!document.hidden && !aborter.signal.aborted)
        timer = window.setTimeout(() => void queryNow(), nextMs);
    };
    const onVisible = (): void => {
      window.clearTimeout(timer);
      if (!document.hidden) void queryNow();
    };
    const onBack = (): void => {
      if (hasFailed) onVisible();
    };
    document.addEventListener('visibilitychange', onVisible);
    window.addEventListener(KEY_GIVEN, onVisible);
    window.addEventListener(BACK, onBack);
    window.addEventListener('online', onBack);
    void queryNow();
    return () => {
      aborter.abort();
      window.clearTimeout(timer);
      ends?.forEach((end) => end());
      document.removeEventListener('visibilitychange', onVisible);
      window.removeEventListener(KEY_GIVEN, onVisible);
      window.removeEventListener(BACK, onBack);
      window.removeEventListener('online', onBack);
    };
  }, [id, everyMs, turn, isPaused]);
  const shown = id !== undefined && kept?.id === id ? kept : undefined;
  usePending(id !== undefined && shown === undefined);
  return {
    answer: shown?.answer,
    answeredMs: shown?.answeredMs,
    error: shown?.error,
    again: () => setTurn((count) => count + 1),
  };
}
