import { type Clock, SystemClock } from '../clock.js';

/** Limits on the holders of slots and on those that wait. */
export interface SlotLimits {
  /** Most holders at a time; any number when left out. */
  readonly mostInside?: number;
  /** Most waiters; any number when left out. */
  readonly mostWaiting?: number;
  /** Milliseconds that each may wait; no limit when left out. */
  readonly waitMs?: number;
  /** The computer's clock when left out. */
  readonly clock?: Clock;
  /** Creates the error for waiters beyond the limits. */
  readonly full: () => Error;
}

/** Releases all that was taken, or part of it; no more than that, however often it is called. */
export type GiveBack = (weight?: number) => void;

interface SemaphoreWaiter {
  readonly weight: number;
  readonly own: number;
  readonly client: string;
  readonly give: () => void;
  readonly fail: (reason: Error) => void;
}

/** A weighted semaphore. The next slot goes to the waiting client that has the fewest, then to the earliest waiter. */
export class WeightedSemaphore {
  private readonly waiting = new Set<SemaphoreWaiter>();
  /** Number of holders per client. */
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
   * Waits for a slot, or for several at once. A caller that wants more than exist gets them once nobody else has one.
   * @param ending ends the wait, with its reason
   * @param own slots that the caller has already
   * @param client slots are shared fairly among clients; all callers are one client when left out
   */
  async take(ending: AbortSignal | undefined, weight = 1, own = 0, client = ''): Promise<GiveBack> {
    ending?.throwIfAborted();
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

  get waitingCount(): number {
    return this.waiting.size;
  }

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

  private hasRoom({ weight, own }: Pick<SemaphoreWaiter, 'weight' | 'own'>): boolean {
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
   * Small requests do not overtake large ones, which might otherwise never be granted. Only callers that have slots already may
   * overtake, since all others may wait for those slots.
   */
  private findNext(): SemaphoreWaiter | undefined {
    const timesOf = ({ client }: SemaphoreWaiter): number => this.inside.get(client) ?? 0;
    const [first, ...others] = [...this.waiting].sort((a, b) => timesOf(a) - timesOf(b));
    if (first === undefined || this.hasRoom(first)) return first;
    return others.find((next) => next.own > 0 && this.hasRoom(next));
  }

  private async wait(
    ending: AbortSignal | undefined,
    { weight, own, client }: Pick<SemaphoreWaiter, 'weight' | 'own' | 'client'>,
  ): Promise<void> {
    const { mostWaiting = Infinity, waitMs, full } = this.limits;
    if (this.waiting.size >= mostWaiting) this.makeRoom(client);
    const settled = new AbortController();
    try {
      await new Promise<void>((resolve, reject) => {
        const fail = (reason: Error): void => {
          // A waiter that got its slots, or is gone, no longer waits.
          if (!this.waiting.delete(waiting)) return;
          reject(reason);
          // Others may have waited only because they were behind this one.
          this.serve();
        };
        const give = (): void => {
          this.waiting.delete(waiting);
          resolve();
        };
        const waiting = { weight, own, client, give, fail };
        this.waiting.add(waiting);
        ending?.addEventListener('abort', () => fail(ending.reason as Error), { signal: settled.signal });
        if (waitMs === undefined) return;
        void this.clock.sleep(waitMs, settled.signal).then(() => fail(full()));
      });
    } finally {
      settled.abort();
    }
  }

  /**
   * Rejects the last waiter of the client with the most waiters, so that no client has the whole queue.
   * @throws the error of `full` when no other client has more waiters
   */
  private makeRoom(client: string): void {
    const counts = new Map<string, number>();
    for (const waiting of this.waiting) counts.set(waiting.client, (counts.get(waiting.client) ?? 0) + 1);
    const [most] = [...counts].sort(([, a], [, b]) => b - a);
    const full = this.limits.full();
    if (most === undefined || most[1] <= (counts.get(client) ?? 0) + 1) throw full;
    [...this.waiting].findLast((waiting) => waiting.client === most[0])?.fail(full);
  }
}
