/** Receives the timer of a sleep, so that a registry can list it. */
export type HoldTimer = (timer: NodeJS.Timeout) => void;

/** Source of time. All code that needs the time takes a clock, so that tests can set it. */
export interface Clock {
  /** Unix time in milliseconds, an integer, for display and the record. It jumps when the computer's clock is set. */
  now(): number;
  /** Milliseconds since some fixed moment, for pauses, deadlines and other durations. It never jumps or goes back. */
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

export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
}

/**
 * Waits at most `ms` milliseconds for `work`. A later result or error is ignored.
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
