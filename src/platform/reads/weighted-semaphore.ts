import { type Clock, SystemClock } from '../clock.js';

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

/**
 * Releases all that was taken, or part of it.
 * @returns what it released: nothing more once all is
 */
export type GiveBack = (weight?: number) => number;

/** A caller that has slots or waits for them. */
interface Taker {
  readonly weight: number;
  readonly own: number;
  readonly client: string;
}

interface Waiter {
  readonly taker: Taker;
  readonly give: () => void;
  readonly fail: (reason: Error) => void;
}

/** A weighted semaphore. The next slot goes to the waiting client that has the fewest, then to the earliest waiter. */
export class WeightedSemaphore {
  private readonly waiting = new Set<Waiter>();
  private readonly inside = new Set<Taker>();
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
    const taker = { weight, own, client };
    if ((this.waiting.size === 0 || own > 0) && this.hasRoom(taker)) this.enter(taker);
    else await this.wait(taker, ending);
    let left = weight;
    return (part = left) => {
      const given = Math.min(part, left);
      left -= given;
      if (left === 0) this.inside.delete(taker);
      this.free += given;
      this.serve();
      return given;
    };
  }

  get waitingCount(): number {
    return this.waiting.size;
  }

  private enter(taker: Taker): void {
    this.free -= taker.weight;
    this.inside.add(taker);
  }

  private hasRoom({ weight, own }: Taker): boolean {
    const { mostInside = Infinity } = this.limits;
    return this.inside.size < mostInside && (weight <= this.free || this.free + own >= this.count);
  }

  private serve(): void {
    for (let next = this.findNext(); next !== undefined; next = this.findNext()) {
      this.waiting.delete(next);
      this.enter(next.taker);
      next.give();
    }
  }

  /**
   * Small requests do not overtake large ones, which might otherwise never be granted. Only callers that have slots already may
   * overtake, since all others may wait for those slots.
   */
  private findNext(): Waiter | undefined {
    if (this.waiting.size === 0) return undefined;
    const timesOf = countClients(this.inside);
    const [first, ...others] = [...this.waiting].sort((a, b) => timesOf(a.taker) - timesOf(b.taker));
    if (first === undefined || this.hasRoom(first.taker)) return first;
    return others.find(({ taker }) => taker.own > 0 && this.hasRoom(taker));
  }

  private async wait(taker: Taker, ending: AbortSignal | undefined): Promise<void> {
    const { mostWaiting = Infinity, waitMs, full } = this.limits;
    if (this.waiting.size >= mostWaiting) this.makeRoom(taker);
    const settled = new AbortController();
    try {
      await new Promise<void>((give, reject) => {
        const fail = (reason: Error): void => {
          // A waiter that got its slots, or is gone, no longer waits.
          if (!this.waiting.delete(waiter)) return;
          reject(reason);
          // Others may have waited only because they were behind this one.
          this.serve();
        };
        const waiter = { taker, give, fail };
        this.waiting.add(waiter);
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
  private makeRoom(taker: Taker): void {
    const full = this.limits.full();
    const waiting = [...this.waiting];
    const timesOf = countClients(waiting.map((waiter) => waiter.taker));
    const most = Math.max(0, ...waiting.map((waiter) => timesOf(waiter.taker)));
    if (most <= timesOf(taker) + 1) throw full;
    waiting.findLast((waiter) => timesOf(waiter.taker) === most)?.fail(full);
  }
}

/** How many of the takers have the client of another one. */
function countClients(takers: Iterable<Taker>): (taker: Taker) => number {
  const counts = new Map<string, number>();
  for (const { client } of takers) counts.set(client, (counts.get(client) ?? 0) + 1);
  return ({ client }) => counts.get(client) ?? 0;
}
