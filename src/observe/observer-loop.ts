import type { Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import type { SubjectObserver } from './subject-observer.js';

/** How long a loop waits after an error that is not the node's (the database is away, say): doubled from the first to the second. */
const ERROR_DELAYS_MS = { first: 500, longest: 15_000 };

/** Each delay is stretched or shrunk by up to this share, so that a thousand nodes do not beat together. */
const JITTER = 0.1;

/**
 * Runs one observer: at once, then whenever it says, never twice at a time.
 * One loop per node and subject, so a dead node delays nobody.
 */
export class ObserverLoop {
  private readonly stopping = new AbortController();
  private running: Promise<void> | undefined;

  constructor(
    private readonly observer: SubjectObserver,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Uniform in [0, 1). */
    private readonly random: () => number,
  ) {}

  /** Starts looking after `delayMs`. */
  start(delayMs = 0): void {
    this.running ??= this.run(delayMs);
  }

  /** Stops; resolves when a look under way has ended. */
  async stop(): Promise<void> {
    this.stopping.abort();
    await this.running;
  }

  private async run(delayMs: number): Promise<void> {
    const { signal } = this.stopping;
    if (delayMs > 0) await this.clock.sleep(delayMs, signal);
    let errorDelayMs = ERROR_DELAYS_MS.first;
    while (!signal.aborted) {
      let delay: number;
      try {
        delay = await this.observer.look(signal);
        errorDelayMs = ERROR_DELAYS_MS.first;
      } catch (error) {
        if (signal.aborted) return;
        this.logger.warn(
          { error: messageOf(error), retryInMs: errorDelayMs },
          'a look could not be recorded',
        );
        delay = errorDelayMs;
        errorDelayMs = Math.min(errorDelayMs * 2, ERROR_DELAYS_MS.longest);
      }
      if (signal.aborted) return;
      await this.clock.sleep(delay * (1 + JITTER * (2 * this.random() - 1)), signal);
    }
  }
}
