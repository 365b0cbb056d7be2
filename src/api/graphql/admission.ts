import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';
import { COST_LIMIT } from './query-cost.js';

/**
 * Expensive operations that are answered at a time, and what they may cost together: what one may alone, since each takes
 * processor time and memory from who records.
 */
const PLACES = 2;
const COST_INSIDE = COST_LIMIT;
/** Operations that wait for a place at most, and how long. */
const LONGEST_QUEUE = 16;
const LONGEST_WAIT_MS = 10_000;
/**
 * What operations without a place may cost together, of one client and of all, from their arrival until their answers were
 * taken: an answer that nobody takes stays in memory. A unit is about 25 bytes of it.
 */
const MOST_HELD_OF_CLIENT = 3_000_000;
const MOST_HELD = 6_000_000;
/** Below this an operation passes whatever others hold. */
const LITTLE = 10_000;
/** What a client that was turned away is told to wait. */
const RETRY_AFTER_S = 5;

/** What wants a place. */
export interface Entrant {
  /** Whose operation it is. */
  readonly client: string;
  readonly cost: number;
}

interface Waiting extends Entrant {
  /** Gives it a place, or an error. */
  settle(error?: ApiError): void;
}

/**
 * Lets a few expensive operations in at a time; the others of a short queue wait, and whoever is beyond it is told so. Of the
 * others it lets in as many as can be held in memory.
 */
@Injectable()
export class Admission {
  private readonly clock: Clock;
  /** The operations that have a place. */
  private readonly inside: Entrant[] = [];
  private readonly queue: Waiting[] = [];
  /** Cost of the operations without a place, by client. */
  private readonly held = new Map<string, number>();

  constructor(@Inject(API_OPTIONS) options: Pick<ApiOptions, 'clock'>) {
    this.clock = options.clock;
  }

  /**
   * Waits for a place, which goes to the client that has the fewest, then to who came first.
   * @param gone when it is aborted, nobody waits any more
   * @returns what gives the place back, once however often it is called
   * @throws ApiError RATE_LIMITED when the queue is full, or moves too slowly
   */
  async enter({ client, cost }: Entrant, gone: AbortSignal): Promise<() => void> {
    const entrant = { client, cost };
    if (this.queue.length === 0 && this.hasRoom(entrant)) this.inside.push(entrant);
    else await this.wait(entrant, gone);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.inside.splice(this.inside.indexOf(entrant), 1);
      this.callNext();
    };
  }

  /**
   * Notes an operation that needs no place.
   * @returns what ends it, once however often it is called
   * @throws ApiError RATE_LIMITED when answers that were not taken yet fill what there is for them
   */
  hold({ client, cost }: Entrant): () => void {
    const ofClient = this.held.get(client) ?? 0;
    let ofAll = 0;
    for (const held of this.held.values()) ofAll += held;
    const isTooMuch = cost >= LITTLE && ofAll + cost > MOST_HELD;
    if (isTooMuch || ofClient + cost > MOST_HELD_OF_CLIENT) throw busy();
    this.held.set(client, ofClient + cost);
    let isHeld = true;
    return () => {
      if (!isHeld) return;
      isHeld = false;
      const rest = (this.held.get(client) ?? 0) - cost;
      if (rest > 0) this.held.set(client, rest);
      else this.held.delete(client);
    };
  }

  private hasRoom({ cost }: Entrant): boolean {
    const costInside = this.inside.reduce((sum, each) => sum + each.cost, 0);
    return this.inside.length === 0 || (this.inside.length < PLACES && costInside + cost <= COST_INSIDE);
  }

  private async wait(entrant: Entrant, gone: AbortSignal): Promise<void> {
    if (this.queue.length >= LONGEST_QUEUE) this.makeRoom(entrant.client);
    const settled = new AbortController();
    try {
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = {
          ...entrant,
          settle: (error) => {
            this.queue.splice(this.queue.indexOf(waiting), 1);
            if (error === undefined) {
              this.inside.push(entrant);
              resolve();
            } else reject(error);
          },
        };
        this.queue.push(waiting);
        // Who has a place by then, or is gone, is no longer in the queue.
        const leave = (): void => {
          if (!this.queue.includes(waiting)) return;
          waiting.settle(busy());
          // Others may have waited only for their turn behind it.
          this.callNext();
        };
        gone.addEventListener('abort', leave, { signal: settled.signal });
        if (gone.aborted) leave();
        void this.clock.sleep(LONGEST_WAIT_MS, settled.signal).then(leave);
      });
    } finally {
      settled.abort();
    }
  }

  /** Sends away who waits with the most others of its client, so that no client has the queue to itself. */
  private makeRoom(client: string): void {
    const counts = new Map<string, number>();
    for (const waiting of this.queue) counts.set(waiting.client, (counts.get(waiting.client) ?? 0) + 1);
    const [most] = [...counts].sort(([, a], [, b]) => b - a);
    if (most === undefined || most[1] <= (counts.get(client) ?? 0) + 1) throw busy();
    this.queue.findLast((waiting) => waiting.client === most[0])?.settle(busy());
  }

  /** Nobody overtakes the next one because it costs less: else who costs much might never have its turn. */
  private callNext(): void {
    for (;;) {
      const placesOf = (client: string): number =>
        this.inside.filter((entrant) => entrant.client === client).length;
      const [next] = [...this.queue].sort((a, b) => placesOf(a.client) - placesOf(b.client));
      if (next === undefined || !this.hasRoom(next)) return;
      next.settle();
    }
  }
}

function busy(): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `Too many expensive queries are being answered; ask again in ${RETRY_AFTER_S} seconds, or for less.`,
    { retryAfter: RETRY_AFTER_S },
  );
}
