import type { Logger } from '../platform/logger.js';

/** Failures that no code awaits: they would end the process before it has released its database. */
export interface UncaughtFailures {
  /** Rejects at the first failure; never resolves. */
  readonly failed: Promise<never>;
  /** Reports a failure from outside. */
  readonly fail: (error: unknown) => void;
  /** Restores the default handling. */
  release(): void;
}

/** Catches and logs failures that would end the process. */
export function catchUncaught(logger: Logger): UncaughtFailures {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  // Perhaps no code awaits it yet; that alone must not end the process.
  failed.catch(() => undefined);
  const onUncaught = (error: unknown): void => {
    logger.fatal({ err: error }, 'unexpected failure');
    fail(error);
  };
  process.on('uncaughtException', onUncaught);
  return { failed, fail, release: () => void process.off('uncaughtException', onUncaught) };
}
