/** Where the time comes from. Everything that needs the time takes a clock, so that tests can turn it. */
export interface Clock {
  /** Unix time in milliseconds, an integer. */
  now(): number;
  /** Milliseconds since an arbitrary moment. Never goes back, and no one can set it: for measuring how long something takes. */
  monotonic(): number;
  /** Resolves after `ms` milliseconds, or at once (without an error) when `signal` is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The computer's own clock. This file is the only one that reads it. */
export class SystemClock implements Clock {
  now(): number {
    return Date.now();
  }

  monotonic(): number {
    return performance.now();
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', done);
        resolve();
      };
      const timer = setTimeout(done, Math.max(0, ms));
      signal?.addEventListener('abort', done, { once: true });
    });
  }
}
