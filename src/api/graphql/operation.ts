import { Readable } from 'node:stream';
import { ReadRequest } from '../../platform/reads/read-request.js';
import { whenOver } from '../http/answer-pace.js';
import type { Admission } from './admission.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { EXPENSIVE_FROM } from './query-cost.js';
import { PIECE_BYTES, toPieces } from '../http/pieces.js';
import { nextTurn } from '../../platform/turns.js';
import { jsonPieces } from './raw-json.js';

/** One request from its arrival until its answer was taken, with the place that it has. */
export class Operation {
  /** Ends with its client, and so does the wait for a place. */
  private readonly asked = new ReadRequest();
  private isAnswered = false;
  private leave: (() => void) | undefined;

  constructor(private readonly reply: HttpReply) {
    whenOver(reply.raw, () => {
      this.asked.end();
      // What is being computed for a client that has left still takes its place.
      if (this.isAnswered) this.leave?.();
    });
  }

  /** @throws ApiError RATE_LIMITED when an expensive one gets no place in time, or too much is held for others */
  async enter(admission: Admission, cost: number): Promise<void> {
    const entrant = { client: clientOf(this.reply.request), cost };
    this.leave = cost < EXPENSIVE_FROM ? admission.hold(entrant) : await admission.enter(entrant, this.asked);
  }

  /** There is an answer, whatever it says, and it begins to be sent. */
  answer(payload: unknown): string | Readable {
    this.isAnswered = true;
    if (this.asked.reason !== undefined) {
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
