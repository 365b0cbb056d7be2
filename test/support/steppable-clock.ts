import type { Clock, HoldTimer } from '../../src/platform/clock.js';

/** A clock that can be set, as a computer's can: what was begun goes on regardless. */
export class SteppableClock implements Clock {
  /** By how much it is off, milliseconds. */
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
