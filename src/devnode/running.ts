import type { Clock } from '../platform/clock.js';
import type { Millis } from '../domain/time.js';

/** Something that runs until it is told to end. */
export interface Running {
  readonly controller: AbortController;
  readonly done: Promise<unknown>;
}

/** Begins loops that end together: what breaks one of them is told, and ends the others. */
export function run(
  begin: (signal: AbortSignal) => readonly Promise<unknown>[],
  tell: (error: unknown) => void,
): Running {
  const controller = new AbortController();
  const done = Promise.all(begin(controller.signal)).catch((error: unknown) => {
    tell(error);
    controller.abort();
  });
  return { controller, done };
}

/** Does a task, waits so long, and so on until `signal` is aborted. */
export async function every(
  clock: Clock,
  ms: Millis,
  task: () => void | Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    await task();
    await clock.sleep(ms, signal);
  }
}
