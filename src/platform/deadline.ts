import type { Clock } from './clock.js';

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
