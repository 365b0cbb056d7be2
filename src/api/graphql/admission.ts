import { Inject, Injectable } from '@nestjs/common';
import type { Clock } from '../../platform/clock.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';

/** Expensive operations that are answered at a time: each takes processor time and memory from who records. */
const PLACES = 2;
/** Operations that wait for a place at most, and how long. */
const LONGEST_QUEUE = 16;
const LONGEST_WAIT_MS = 10_000;
/** What a client that was turned away is told to wait. */
export const RETRY_AFTER_S = 5;

interface Waiting {
  readonly client: string;
  /** Gives it a place, or an error. */
  settle(error?: ApiError): void;
}

/** Lets a few expensive operations in at a time; the others of a short queue wait, and whoever is beyond it is told so. */
@Injectable()
export class Admission {
  private readonly clock: Clock;
  /** Clients of the operations that have a place. */
  private readonly inside: string[] = [];
  private readonly queue: Waiting[] = [];

  constructor(@Inject(API_OPTIONS) options: Pick<ApiOptions, 'clock'>) {
    this.clock = options.clock;
  }

  /**
   * Waits for a place.
   * @param client whose operation it is: a place goes to the client that has the fewest, then to who came first
   * @param gone when it is aborted, nobody waits any more
   * @returns what gives the place back, once however often it is called
   * @throws ApiError RATE_LIMITED when the queue is full, or moves too slowly
   */
  async enter(client: string, gone: AbortSignal): Promise<() => void> {
    if (this.inside.length < PLACES) this.inside.push(client);
    else await this.wait(client, gone);
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.inside.splice(this.inside.indexOf(client), 1);
      this.callNext();
    };
  }

  private async wait(client: string, gone: AbortSignal): Promise<void> {
    if (this.queue.length >= LONGEST_QUEUE) this.makeRoom(client);
    const settled = new AbortController();
    try {
      await new Promise<void>((resolve, reject) => {
        const waiting: Waiting = {
          client,
          settle: (error) => {
            this.queue.splice(this.queue.indexOf(waiting), 1);
            if (error === undefined) resolve();
            else reject(error);
          },
        };
        this.queue.push(waiting);
        // Who has a place by then, or is gone, is no longer in the queue.
        const leave = (): void => {
          if (this.queue.includes(waiting)) waiting.settle(busy());
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

  private callNext(): void {
    const placesOf = (client: string): number => this.inside.filter((each) => each === client).length;
    const [next] = [...this.queue].sort((a, b) => placesOf(a.client) - placesOf(b.client));
    if (next === undefined) return;
    this.inside.push(next.client);
    next.settle();
  }
}

function busy(): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `Too many expensive queries are being answered; ask again in ${RETRY_AFTER_S} seconds, or for less.`,
    { retryAfter: RETRY_AFTER_S },
  );
}
