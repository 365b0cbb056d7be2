import type { Clock } from '../platform/clock.js';
import type { Millis } from '../domain/time.js';

export interface RunningTask {
  readonly controller: AbortController;
  readonly done: Promise<unknown>;
}

/** Begins loops that end together: an error in one of them is reported, and ends the others. */
export function run(
  begin: (signal: AbortSignal) => readonly Promise<unknown>[],
  report: (error: unknown) => void,
): RunningTask {
  const controller = new AbortController();
  const done = Promise.all(begin(controller.signal)).catch((error: unknown) => {
    report(error);
    controller.abort();
  });
  return { controller, done };
}

/** Repeats a task with pauses of `ms` until `signal` is aborted. */
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
