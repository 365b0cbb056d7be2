import type { Logger } from '../platform/logger.js';

/** Failures that no code awaits: they would end the process before it has given back its database. */
export interface UncaughtFailures {
  /** Rejects at the first one; never resolves. */
  readonly failed: Promise<never>;
  /** Reports one from outside. */
  readonly fail: (error: unknown) => void;
  /** Gives them back to the system. */
  release(): void;
}

/** Catches what would end the process, and logs it. */
export function catchUncaught(logger: Logger): UncaughtFailures {
  let fail: (error: unknown) => void = () => undefined;
  const failed = new Promise<never>((_, reject) => (fail = reject));
  // Nobody may be listening yet; that alone must not end the process.
  failed.catch(() => undefined);
  const onUncaught = (error: unknown): void => {
    logger.fatal({ err: error }, 'unexpected failure');
    fail(error);
  };
  process.on('uncaughtException', onUncaught);
  return { failed, fail, release: () => void process.off('uncaughtException', onUncaught) };
}
