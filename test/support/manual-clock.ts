import type { Clock } from '../../src/platform/clock.js';

/** A clock that moves only when a test advances it. */
export class ManualClock implements Clock {
  private sleepers: { at: number; wake: () => void }[] = [];

  constructor(private time = Date.UTC(2026, 10, 21, 6, 0, 0)) {}

  now(): number {
    return this.time;
  }

  monotonic(): number {
    return this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = (): void => {
        this.sleepers = this.sleepers.filter((each) => each !== sleeper);
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const sleeper = { at: this.time + Math.max(0, ms), wake };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', wake);
    });
  }

  /** Advances by `ms`, wakes every sleeper at its own moment and lets it act before the next one wakes. */
  async advance(ms: number): Promise<void> {
    const end = this.time + ms;
    await settle();
    for (let next = this.nextSleeper(end); next; next = this.nextSleeper(end)) {
      this.time = Math.max(this.time, next.at);
      next.wake();
      await settle();
    }
    this.time = end;
  }

  private nextSleeper(end: number): { at: number; wake: () => void } | undefined {
    return this.sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }
}

/** Runs all code that does not wait for the clock. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
