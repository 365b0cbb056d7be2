const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

/** The wish of the outside to end. */
export interface StopSignals {
  /** Aborted at the first signal; those after it change nothing (npm passes on a Ctrl-C that came already). */
  readonly signal: AbortSignal;
  /** Gives the signals back to the system. */
  release(): void;
}

/** Listens to the signals that ask a process to end. */
export function catchStopSignals(): StopSignals {
  const stop = new AbortController();
  const onSignal = (): void => stop.abort();
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: stop.signal,
    release: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

/** A command ended because it was asked to; the program then ends with code 0. */
export class StoppedBySignal extends Error {
  override readonly name = 'StoppedBySignal';
}
