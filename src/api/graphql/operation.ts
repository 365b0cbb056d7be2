import type { Readable } from 'node:stream';
import { ReadRequest } from '../../platform/reads/read-request.js';
import { whenOver } from '../http/answer-over.js';
import type { Admission } from './admission.js';
import { toAnswerText } from './answer-text.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { EXPENSIVE_FROM } from './query-cost.js';

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
