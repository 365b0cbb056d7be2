import type { Readable } from 'node:stream';
import { whenOver } from '../http/answer-over.js';
import type { Admission } from './admission.js';
import { toAnswerText } from './answer-text.js';
import type { HttpReply, HttpRequest } from './http-messages.js';
import { EXPENSIVE_FROM } from './query-cost.js';

/** One request from its arrival until its answer was taken, with the place that it has. */
export class Operation {
  /** Ends the wait for a place. */
  private waiting: AbortController | undefined;
  private isGone = false;
  private isAnswered = false;
  private leave: (() => void) | undefined;

  constructor(private readonly reply: HttpReply) {
    whenOver(reply.raw, () => {
      this.isGone = true;
      this.waiting?.abort();
      // What is being computed for a client that has left still takes its place.
      if (this.isAnswered) this.leave?.();
    });
  }

  /** @throws ApiError RATE_LIMITED when an expensive one gets no place in time, or too much is held for others */
  async enter(admission: Admission, cost: number): Promise<void> {
    const entrant = { client: clientOf(this.reply.request), cost };
    if (cost < EXPENSIVE_FROM) {
      this.leave = admission.hold(entrant);
      return;
    }
    this.waiting = new AbortController();
    if (this.isGone) this.waiting.abort();
    this.leave = await admission.enter(entrant, this.waiting.signal);
  }

  /** There is an answer, whatever it says, and it begins to be sent. */
  answer(payload: unknown): string | Readable {
    this.isAnswered = true;
    if (this.isGone) {
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
