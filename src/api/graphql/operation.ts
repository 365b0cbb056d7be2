import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { ReadRequest } from '../../platform/reads/read-request.js';
import { whenOver } from '../http/answer-pace.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { EXPENSIVE_FROM, COST_LIMIT } from './query-cost.js';
import { PIECE_BYTES, toPieces } from '../http/pieces.js';
import { nextTurn } from '../../platform/turns.js';
import { jsonPieces } from './raw-json.js';
import { type Ending, Slots } from '../../platform/reads/slots.js';
import { API_OPTIONS, type ApiOptions } from '../api-options.js';
import { ApiError } from '../errors.js';

/**
 * How many expensive operations are answered at a time, and what they may cost together. That is no more than one may
 * cost alone, since each takes processor time and memory from who records.
 */
const PLACES = 2;
const COST_INSIDE = COST_LIMIT;
/** Operations that wait for a place at most, and how long. */
const LONGEST_QUEUE = 16;
const LONGEST_WAIT_MS = 10_000;
/**
 * The cost of operations without a place, added up: at most so much of one client, and of all clients. An operation counts until
 * its answer is taken, since the answer stays in memory until then. A unit is about 25 bytes of memory.
 */
const MOST_HELD_OF_CLIENT = 3_000_000;
const MOST_HELD = 6_000_000;
/** Below this an operation passes whatever others hold. */
const LITTLE = 10_000;
/** A client that was turned away may ask again after so many seconds. */
const RETRY_AFTER_S = 5;

/** An operation that asks for a place. */
export interface Entrant {
  /** The key or the address that sent it. */
  readonly client: string;
  readonly cost: number;
}

/**
 * Lets a few expensive operations in at a time; the others of a short queue wait, and whoever is beyond it is told so. Of the
 * others it lets in as many as can be held in memory.
 */
@Injectable()
export class Admission {
  private readonly places: Slots;
  /** Cost of the operations without a place, by client. */
  private readonly held = new Map<string, number>();

  constructor(@Inject(API_OPTIONS) { clock }: Pick<ApiOptions, 'clock'>) {
    const waiting = { mostWaiting: LONGEST_QUEUE, waitMs: LONGEST_WAIT_MS };
    this.places = new Slots(COST_INSIDE, { mostInside: PLACES, ...waiting, clock, full: busy });
  }

  /**
   * Waits for a place, which goes to the client that has the fewest, then to who came first.
   * @param gone tells when nobody waits any more
   * @returns what gives the place back, once however often it is called
   * @throws ApiError RATE_LIMITED when the queue is full, or moves too slowly
   */
  enter({ client, cost }: Entrant, gone: Ending): Promise<() => void> {
    return this.places.take(gone, cost, 0, client);
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
}

function busy(): ApiError {
  return new ApiError(
    'RATE_LIMITED',
    `Too many expensive queries are being answered; ask again in ${RETRY_AFTER_S} seconds, or for less.`,
    { retryAfter: RETRY_AFTER_S },
  );
}

/** One request from its arrival until its answer was taken, with the place that it has. */
export class Operation {
  /** Ends with its client, and so does the wait for a place. */
  private readonly reading = new ReadRequest();
  private isAnswered = false;
  private leave: (() => void) | undefined;

  constructor(private readonly reply: HttpReply) {
    whenOver(reply.raw, () => {
      this.reading.end();
      // What is being computed for a client that has left still takes its place.
      if (this.isAnswered) this.leave?.();
    });
  }

  /** @throws ApiError RATE_LIMITED when an expensive one gets no place in time, or too much is held for others */
  async enter(admission: Admission, cost: number): Promise<void> {
    const entrant = { client: clientOf(this.reply.request), cost };
    this.leave =
      cost < EXPENSIVE_FROM ? admission.hold(entrant) : await admission.enter(entrant, this.reading);
  }

  /** There is an answer, whatever it says, and it begins to be sent. */
  answer(payload: unknown): string | Readable {
    this.isAnswered = true;
    if (this.reading.reason !== undefined) {
      this.leave?.();
      return '';
    }
    return toAnswerText(payload);
  }
}

/** Who asks, as far as places are shared out by it: its key, else its address. */
function clientOf({ caller, ip }: HttpRequest): string {
  return caller ? `key ${caller.name}` : ip;
}

/**
 * An answer as JSON: a short one as text, a long one in pieces. A piece is printed when the client has taken those
 * before, with a turn of the event loop in between. Destroying the stream ends the printing.
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
    await nextTurn();
    yield* toPieces(piece);
  }
}
