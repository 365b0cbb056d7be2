import type { Readable } from 'node:stream';
import type { Admission } from './admission.js';
import { toAnswerText } from './answer-text.js';
import type { HttpReply, HttpRequest } from './http-messages.js';

/** One request from its arrival until its answer was taken, with the place that an expensive one has. */
export class Operation {
  private readonly gone = new AbortController();
  private isAnswered = false;
  private leave: (() => void) | undefined;

  constructor(private readonly reply: HttpReply) {
    reply.raw.once('close', () => {
      this.gone.abort();
      // What is being computed for a client that has left still takes its place.
      if (this.isAnswered) this.leave?.();
    });
  }

  /** @throws ApiError RATE_LIMITED when no place becomes free in time */
  async enter(admission: Admission, cost: number): Promise<void> {
    const client = clientOf(this.reply.request);
    this.leave = await admission.enter({ client, cost }, this.gone.signal);
  }

  /** There is an answer, whatever it says, and it begins to be sent. */
  answer(payload: unknown): string | Readable {
    this.isAnswered = true;
    if (this.gone.signal.aborted) {
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
