import { type Clock, SystemClock } from '../clock.js';

/** Bounds of those who have slots, and who wait for them. */
export interface SlotLimits {
  /** How many may have some at a time; any number when left out. */
  readonly mostInside?: number;
  /** How many may wait; any number when left out. */
  readonly mostWaiting?: number;
  /** Milliseconds that each may wait; any time when left out. */
  readonly waitMs?: number;
  /** The computer's when left out. */
  readonly clock?: Clock;
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
  readonly client: string;
  readonly give: () => void;
  readonly fail: (reason: Error) => void;
}

/**
 * Lets so many do something at a time, or so much of it. The others wait: the next turn is of the client that has the fewest, then of
 * who came first.
 */
export class Slots {
  private readonly waiting = new Set<Waiting>();
  /** How often each client is inside. */
  private readonly inside = new Map<string, number>();
  private free: number;
  private readonly clock: Clock;

  constructor(
    private readonly count: number,
    private readonly limits: SlotLimits,
  ) {
    this.free = count;
    this.clock = limits.clock ?? new SystemClock();
  }

  /**
   * Waits for a slot, or for several at once. Who wants more than there are gets them once nobody else has one.
   * @param ending of whoever asks: who has left does not wait on
   * @param own slots that who asks has already
   * @param client whose turn it is; all are one client when left out
   */
  async take(ending: Ending | undefined, weight = 1, own = 0, client = ''): Promise<GiveBack> {
    if (ending?.reason !== undefined) throw ending.reason;
    if ((this.waiting.size === 0 || own > 0) && this.hasRoom({ weight, own })) this.enter(weight, client);
    else await this.wait(ending, { weight, own, client });
    let left = weight;
    let isInside = true;
    return (part = left) => {
      const given = Math.min(part, left);
      left -= given;
      if (left === 0 && isInside) {
        isInside = false;
        this.countInside(client, -1);
      }
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

  private enter(weight: number, client: string): void {
    this.free -= weight;
    this.countInside(client, 1);
  }

  private countInside(client: string, by: 1 | -1): void {
    const times = (this.inside.get(client) ?? 0) + by;
    if (times > 0) this.inside.set(client, times);
    else this.inside.delete(client);
  }

  private hasRoom({ weight, own }: Pick<Waiting, 'weight' | 'own'>): boolean {
    const { mostInside = Infinity } = this.limits;
    let inside = 0;
    for (const times of this.inside.values()) inside += times;
    return inside < mostInside && (weight <= this.free || this.free + own >= this.count);
  }

  private serve(): void {
    for (let next = this.findNext(); next !== undefined; next = this.findNext()) {
      this.enter(next.weight, next.client);
      next.give();
    }
  }

  /**
   * Nobody overtakes another because it wants less: else who wants much might never have its turn. Only who has some already does,
   * since all may wait for those.
   */
  private findNext(): Waiting | undefined {
    const timesOf = ({ client }: Waiting): number => this.inside.get(client) ?? 0;
    const [first, ...others] = [...this.waiting].sort((a, b) => timesOf(a) - timesOf(b));
    if (first === undefined || this.hasRoom(first)) return first;
    return others.find((next) => next.own > 0 && this.hasRoom(next));
  }

  private async wait(
    ending: Ending | undefined,
    { weight, own, client }: Pick<Waiting, 'weight' | 'own' | 'client'>,
  ): Promise<void> {
    const { mostWaiting = Infinity, waitMs, full } = this.limits;
    if (this.waiting.size >= mostWaiting) this.makeRoom(client);
    const settled = new AbortController();
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (reason: Error): void => {
          // Who has a slot by then, or is gone, waits no longer.
          if (!this.waiting.delete(waiting)) return;
          reject(reason);
          // Others may have waited only for their turn behind it.
          this.serve();
        };
        const give = (): void => {
          this.waiting.delete(waiting);
          resolve();
        };
        const waiting = { weight, own, client, give, fail };
        this.waiting.add(waiting);
        const forget = ending?.onEnd(fail);
        settled.signal.addEventListener('abort', () => forget?.(), { once: true });
        if (waitMs === undefined) return;
        void this.clock.sleep(waitMs, settled.signal).then(() => fail(full()));
      });
    } finally {
      settled.abort();
    }
  }

  /** Sends away who waits with the most others of its client, so that no client has the line to itself. */
  private makeRoom(client: string): void {
    const counts = new Map<string, number>();
    for (const waiting of this.waiting) counts.set(waiting.client, (counts.get(waiting.client) ?? 0) + 1);
    const [most] = [...counts].sort(([, a], [, b]) => b - a);
    const full = this.limits.full();
    if (most === undefined || most[1] <= (counts.get(client) ?? 0) + 1) throw full;
    [...this.waiting].findLast((waiting) => waiting.client === most[0])?.fail(full);
  }
}
