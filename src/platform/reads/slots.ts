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

/** Gives back what was taken, or so much of it; no more than that, however often it is called. */
export type GiveBack = (weight?: number) => void;

interface Waiting {
  readonly weight: number;
  readonly own: number;
  readonly give: () => void;
  readonly fail: (reason: Error) => void;
}

/** Lets so many do something at a time, or so much of it; the others wait in the order in which they came. */
export class Slots {
  private readonly waiting = new Set<Waiting>();
  private free: number;

  constructor(
    private readonly count: number,
    private readonly limits: SlotLimits,
  ) {
    this.free = count;
  }

  /**
   * Waits for a slot, or for several at once. Who wants more than there are gets them once nobody else has one.
   * @param ending of whoever asks: who has left does not wait on
   * @param own slots that who asks has already
   */
  async take(ending: Ending | undefined, weight = 1, own = 0): Promise<GiveBack> {
    if (ending?.reason !== undefined) throw ending.reason;
    if ((this.waiting.size === 0 || own > 0) && this.hasRoom({ weight, own })) this.free -= weight;
    else await this.wait(ending, weight, own);
    let left = weight;
    return (part = left) => {
      const given = Math.min(part, left);
      left -= given;
      this.free += given;
      this.serve();
    };
  }

  /** How many wait. */
  get waitingCount(): number {
    return this.waiting.size;
  }

  /** Fails all who wait. */
  failWaiting(reason: Error): void {
    for (const { fail } of this.waiting) fail(reason);
  }

  private hasRoom({ weight, own }: Pick<Waiting, 'weight' | 'own'>): boolean {
    return weight <= this.free || this.free + own >= this.count;
  }

  /**
   * Nobody overtakes another because it wants less: else who wants much might never have its turn. Only who has some already does,
   * since all may wait for those.
   */
  private serve(): void {
    let isHeldUp = false;
    for (const next of this.waiting) {
      if (isHeldUp && next.own === 0) continue;
      if (this.hasRoom(next)) {
        this.free -= next.weight;
        next.give();
      } else isHeldUp = true;
    }
  }

  private wait(ending: Ending | undefined, weight: number, own: number): Promise<void> {
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
        // Others may have waited only for their turn behind it.
        this.serve();
      };
      const give = (): void => {
        leave();
        resolve();
      };
      const waiting = { weight, own, give, fail };
      const timer = waitMs === undefined ? undefined : setTimeout(() => fail(full()), waitMs);
      const forget = ending?.onEnd(fail);
      this.waiting.add(waiting);
    });
  }
}
