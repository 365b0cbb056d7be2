import { constants } from 'node:os';

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const;

export interface StopSignals {
  /**
   * Aborted at the first signal, with a {@link StoppedBySignal}. Later signals change nothing (npm forwards a Ctrl-C that the
   * process has already received).
   */
  readonly signal: AbortSignal;
  /** Restores the default handling of the signals. */
  release(): void;
}

/** Listens to the signals that ask a process to end. */
export function catchStopSignals(): StopSignals {
  const stop = new AbortController();
  const onSignal = (name: NodeJS.Signals): void => stop.abort(new StoppedBySignal(name));
  for (const name of SIGNALS) process.on(name, onSignal);
  return {
    signal: stop.signal,
    release: () => {
      for (const name of SIGNALS) process.off(name, onSignal);
    },
  };
}

/** A signal ended a command before its work was done. */
export class StoppedBySignal extends Error {
  override readonly name = 'StoppedBySignal';
  /** As shells report a program that a signal ended. */
  readonly exitCode: number;

  constructor(signal: NodeJS.Signals) {
    super(`stopped by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}
