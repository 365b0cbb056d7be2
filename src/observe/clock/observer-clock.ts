import type { Clock, HoldTimer } from '../../platform/clock.js';
import type { Millis } from '../../domain/time.js';

/**
 * The time of all observers of a process: what it was given at the start, and steady from there. It never goes back,
 * whatever happens to the computer's clock.
 */
export class ObserverClock implements Clock {
  /** The time at which the monotonic clock stood at 0. */
  private origin: Millis;
  private shown: Millis = -Infinity;

  /**
   * @param clock its monotonic time is used
   * @param startsAt what the time is
   */
  constructor(
    private readonly clock: Clock,
    startsAt: Millis,
  ) {
    this.origin = startsAt - clock.monotonic();
  }

  now(): Millis {
    this.shown = Math.max(this.shown, Math.floor(this.origin + this.clock.monotonic()));
    return this.shown;
  }

  monotonic(): Millis {
    return this.clock.monotonic();
  }

  sleep(ms: Millis, signal?: AbortSignal, hold?: HoldTimer): Promise<void> {
    return this.clock.sleep(ms, signal, hold);
  }

  /** Corrects the time. Where that would be back, it stands still for as long. */
  correct(byMs: Millis): void {
    this.now();
    this.origin += byMs;
  }
}
