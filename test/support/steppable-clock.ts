import type { Clock, HoldTimer } from '../../src/platform/clock.js';

/** A clock that can be set, like a computer's: running sleeps continue regardless. */
export class SteppableClock implements Clock {
  /** The clock's error in milliseconds. */
  offBy = 0;

  constructor(private readonly right: Clock) {}

  now(): number {
    return this.right.now() + this.offBy;
  }

  monotonic(): number {
    return this.right.monotonic();
  }

  sleep(ms: number, signal?: AbortSignal, hold?: HoldTimer): Promise<void> {
    return this.right.sleep(ms, signal, hold);
  }
}
