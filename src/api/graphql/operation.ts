import type { Readable } from 'node:stream';
import type { Clock } from '../../platform/clock.js';
import type { Admission } from './admission.js';
import { toAnswerText } from './answer-text.js';
import type { HttpReply, HttpRequest } from './http-messages.js';

/** A client that takes its answer more slowly is cut off: what is not taken stays in memory. */
const LONGEST_SENDING_MS = 30_000;

/** One request from its arrival until its answer was taken, with the place that an expensive one has. */
export class Operation {
  private readonly gone = new AbortController();
  private isAnswered = false;
  private leave: (() => void) | undefined;

  constructor(
    private readonly reply: HttpReply,
    private readonly clock: Clock,
  ) {
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
    const text = toAnswerText(payload);
    if (typeof text !== 'string') void this.endSending();
    return text;
  }

  private async endSending(): Promise<void> {
    await this.clock.sleep(LONGEST_SENDING_MS, this.gone.signal);
    if (!this.gone.signal.aborted) this.reply.raw.destroy();
  }
}

/** Who asks, as far as places are shared out by it: its key, else its address. */
function clientOf({ headers, ip }: HttpRequest): string {
  const key = headers['authorization'] ?? headers['x-api-key'];
  return key === undefined ? ip : String(key);
}
