/** Bounds of those who wait for a slot. */
export interface SlotLimits {
  /** How many may wait; any number when left out. */
  readonly mostWaiting?: number;
  /** Milliseconds that each may wait; any time when left out. */
  readonly waitMs?: number;
  /** What they are told beyond the bounds. */
  readonly full: () => Error;
}

/** Tells when whoever asked needs no answer any more. */
export interface Ending {
  /** Why; undefined while the answer is needed. */
  readonly reason: Error | undefined;
  /** @returns takes the callback back */
  onEnd(callback: (reason: Error) => void): () => void;
}

interface Waiting {
  readonly give: () => void;
  readonly fail: (reason: Error) => void;
}

/** Lets so many do something at a time; the others wait in the order in which they came. */
export class Slots {
  private readonly waiting = new Set<Waiting>();
  private free: number;

  constructor(
    count: number,
    private readonly limits: SlotLimits,
  ) {
    this.free = count;
  }

  /**
   * Waits for a slot.
   * @param ending of whoever asks: who has left does not wait on
   * @returns gives the slot back; to be called once
   */
  async take(ending: Ending | undefined): Promise<() => void> {
    if (ending?.reason !== undefined) throw ending.reason;
    if (this.free > 0) this.free -= 1;
    else await this.wait(ending);
    return () => this.giveBack();
  }

  /** How many wait. */
  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Fails all who wait. */
  failWaiting(reason: Error): void {
    for (const { fail } of this.waiting) fail(reason);
  }

  private giveBack(): void {
    const [next] = this.waiting;
    if (next === undefined) this.free += 1;
    else next.give();
  }

  private wait(ending: Ending | undefined): Promise<void> {
    const { mostWaiting = Infinity, waitMs, full } = this.limits;
    if (this.waiting.size >= mostWaiting) return Promise.reject(full());
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiting.delete(waiting);
        clearTimeout(timer);
        forget?.();
      };
      const fail = (reason: Error): void => {
        leave();
        reject(reason);
      };
      const give = (): void => {
        leave();
        resolve();
      };
      const waiting = { give, fail };
      const timer = waitMs === undefined ? undefined : setTimeout(() => fail(full()), waitMs);
      const forget = ending?.onEnd(fail);
      this.waiting.add(waiting);
    });
  }
}
