import type { Clock } from '../../src/platform/clock.js';

interface Sleeper {
  readonly at: number;
  /** Sleepers of the same moment wake in the order in which they fell asleep. */
  readonly order: number;
  wake(): void;
}

/** In real time. */
const ASK_AGAIN_MS = 2;

/**
 * A clock that stops while any loop works, for loops that do real I/O in between. Time advances only when all of them sleep, and
 * then straight to the next one that wakes.
 */
export class VirtualClock implements Clock {
  private sleepers: Sleeper[] = [];
  private fallenAsleep = 0;
  private onSleep: (() => void) | undefined;

  /** @param time Unix milliseconds of the start */
  constructor(private time: number) {}

  now(): number {
    return Math.floor(this.time);
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
      const sleeper = { at: this.time + Math.max(0, ms), order: this.fallenAsleep++, wake };
      this.sleepers.push(sleeper);
      signal?.addEventListener('abort', wake);
      this.onSleep?.();
    });
  }

  /**
   * Advances to `until`, waking one sleeper at a time, while `loops` loops run on this clock. A function returns their present
   * number, and is asked again while real time passes.
   */
  async advance(until: number, loops: number | (() => number)): Promise<void> {
    for (;;) {
      await this.untilAsleep(typeof loops === 'number' ? () => loops : loops);
      const next = this.sleepers.reduce<Sleeper | undefined>(earlier, undefined);
      if (!next || next.at > until) break;
      this.time = Math.max(this.time, next.at);
      next.wake();
    }
    this.time = Math.max(this.time, until);
  }

  private async untilAsleep(loops: () => number): Promise<void> {
    while (this.sleepers.length < loops()) {
      await new Promise<void>((resolve) => {
        const again = setTimeout(resolve, ASK_AGAIN_MS);
        this.onSleep = () => {
          clearTimeout(again);
          resolve();
        };
      });
    }
    this.onSleep = undefined;
  }
}

function earlier(a: Sleeper | undefined, b: Sleeper): Sleeper {
  if (!a) return b;
  return b.at < a.at || (b.at === a.at && b.order < a.order) ? b : a;
}
