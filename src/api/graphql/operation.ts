import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { ReadRequest } from '../../platform/reads/read-request.js';
import type { HttpRequest } from './http-messages.js';
import { EXPENSIVE_FROM, COST_LIMIT } from './query-cost.js';
import { PIECE_BYTES, toPieces } from '../http/pieces.js';
import { nextTimeSlice } from '../../platform/time-slices.js';
import { jsonPieces } from './raw-json.js';
import { WeightedSemaphore } from '../../platform/reads/weighted-semaphore.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { tooMany, type ApiError } from '../errors.js';

/**
 * Limits for expensive operations that run at the same time: their number, and their total cost. The total is what one operation
 * may cost alone, since each takes processor time and memory from the recorder.
 */
const PLACES = 2;
const COST_INSIDE = COST_LIMIT;
/** The longest queue for a slot, and the longest wait. */
const LONGEST_QUEUE = 16;
const LONGEST_WAIT_MS = 10_000;
/**
 * Limits for the total cost of operations that need no slot, for one client and for all clients. An operation counts until its
 * response was taken, since the response stays in memory until then. A unit is about 25 bytes of memory.
 */
const MOST_HELD_OF_CLIENT = 3_000_000;
const MOST_HELD = 6_000_000;
/** Operations below this cost pass, however much others have in memory. */
const LITTLE = 10_000;
const RETRY_AFTER_S = 5;

/** An operation to be admitted. */
export interface Entrant {
  /** The API key or address of the client. */
  readonly client: string;
  readonly cost: number;
}

/**
 * Admits a few expensive operations at a time; others wait in a short queue, and operations beyond the queue are rejected. Admits
 * as many other operations as fit in memory.
 */
@Injectable()
export class Admission {
  private readonly places: WeightedSemaphore;
  /** Total cost of the admitted operations that need no slot, by client. */
  private readonly held = new Map<string, number>();

  constructor(@Inject(API_OPTIONS) { clock }: Pick<ApiOptions, 'clock'>) {
    const waiting = { mostWaiting: LONGEST_QUEUE, waitMs: LONGEST_WAIT_MS };
    this.places = new WeightedSemaphore(COST_INSIDE, { mostInside: PLACES, ...waiting, clock, full: busy });
  }

  /**
   * Waits for a slot. A free slot goes to the client with the fewest slots, then to the operation that waited longest.
   * @param gone ends the wait when the client has left
   * @returns releases the slot; calling it again has no effect
   * @throws ApiError RATE_LIMITED when the queue is full or moves too slowly
   */
  enter({ client, cost }: Entrant, gone: AbortSignal | undefined): Promise<() => void> {
    return this.places.take(gone, cost, 0, client);
  }

  /**
   * Admits an operation that needs no slot.
   * @returns ends the operation; calling it again has no effect
   * @throws ApiError RATE_LIMITED when responses that were not taken yet use up the limit
   */
  hold({ client, cost }: Entrant): () => void {
    const ofClient = this.held.get(client) ?? 0;
    const ofAll = [...this.held.values()].reduce((sum, held) => sum + held, 0);
    const isTooMuch = cost >= LITTLE && ofAll + cost > MOST_HELD;
    if (isTooMuch || ofClient + cost > MOST_HELD_OF_CLIENT) throw busy();
    this.add(client, cost);
    let left = cost;
    return () => {
      this.add(client, -left);
      left = 0;
    };
  }

  private add(client: string, cost: number): void {
    const held = (this.held.get(client) ?? 0) + cost;
    if (held > 0) this.held.set(client, held);
    else this.held.delete(client);
  }
}

function busy(): ApiError {
  return tooMany(
    `Too many expensive queries are running; try again in ${RETRY_AFTER_S} seconds, or request less.`,
    RETRY_AFTER_S,
  );
}

/** One request, from its arrival until its response was taken, with its slot. */
export class Operation {
  private isAnswered = false;
  private leave: (() => void) | undefined;

  /** Aborts when the response was taken or the client has left, which also ends the wait for a slot. */
  private readonly over = ReadRequest.current?.signal;

  /** Must be called within the read request of the response. */
  constructor(private readonly request: HttpRequest) {
    this.over?.addEventListener('abort', () => {
      // While a response is still computed for a client that has left, it keeps its slot.
      if (this.isAnswered) this.leave?.();
    });
  }

  /** @throws ApiError RATE_LIMITED when an expensive operation gets no slot in time, or others use too much memory */
  async enter(admission: Admission, cost: number): Promise<void> {
    const entrant = { client: clientOf(this.request), cost };
    this.leave = cost < EXPENSIVE_FROM ? admission.hold(entrant) : await admission.enter(entrant, this.over);
  }

  /** Prints the response (data or errors) and begins to send it; an empty text when the client has left. */
  answer(payload: unknown): string | Readable {
    this.isAnswered = true;
    if (this.over?.aborted) {
      this.leave?.();
      return '';
    }
    return toAnswerText(payload);
  }
}

/** The client that slots are shared out to: its key, else its address. */
function clientOf({ caller, ip }: HttpRequest): string {
  return caller ? `key ${caller.name}` : ip;
}

/**
 * A response as JSON: text when short, a stream of pieces when long. Each piece is printed when the client has taken the previous
 * ones, and other work of the event loop runs in between. Destroying the stream stops the printing.
 */
export function toAnswerText(payload: unknown): string | Readable {
  const pieces = jsonPieces(payload);
  const first = pieces.next();
  const second = pieces.next();
  if (first.done) return '';
  if (second.done && first.value.length <= PIECE_BYTES) return first.value;
  const printed = second.done ? [first.value] : [first.value, second.value];
  return Readable.from(inTurns(printed, pieces), { highWaterMark: 1 });
}

async function* inTurns(printed: readonly string[], rest: Iterable<string>): AsyncGenerator<string | Buffer> {
  for (const piece of printed) yield* toPieces(piece);
  for (const piece of rest) {
    await nextTimeSlice();
    yield* toPieces(piece);
  }
}
