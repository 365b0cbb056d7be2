/** Is handed the timer of a sleep, for whoever looks for what runs by time. */
export type HoldTimer = (timer: NodeJS.Timeout) => void;

/** Where the time comes from. Everything that needs the time takes a clock, so that tests can turn it. */
export interface Clock {
  /** Unix time in milliseconds, an integer. It steps when the computer's clock is set: for what is shown or recorded. */
  now(): number;
  /** Milliseconds since some fixed moment. It never steps or goes back: for rests, deadlines and other lengths of time. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds, or at once (without an error) when `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal, hold?: HoldTimer): Promise<void>;
}

/** The computer's own clock. This file is the only one that reads it. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  sleep(ms: number, signal?: AbortSignal, hold?: HoldTimer): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.max(0, ms));
      signal?.addEventListener('abort', wake);
      hold?.(timer);
    });
  }
}

/** Something did not answer in time. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * Waits for `work` for `ms` milliseconds at most. What comes of it later is of no interest any more, not even an error.
 * @throws DeadlineError with `complaint`
 */
export async function within<T>(clock: Clock, ms: number, work: Promise<T>, complaint: string): Promise<T> {
  const given = new AbortController();
  const tooLate = clock.sleep(ms, given.signal).then(() => {
    throw new DeadlineError(complaint);
  });
  tooLate.catch(() => undefined);
  work.catch(() => undefined);
  try {
    return await Promise.race([work, tooLate]);
  } finally {
    given.abort();
  }
}
