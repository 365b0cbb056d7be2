import type { DeliveryOutcome } from '../domain/alerts/alert-ledger.js';
import type { AlertDestination } from '../domain/alerts/destinations.js';
import type { Millis } from '../domain/time.js';
import { type Clock, within } from '../platform/clock.js';
import { HttpClient } from '../platform/http.js';
import type { Logger } from '../platform/logger.js';
import { JobPostponed } from '../platform/queues/job-kind.js';
import { PATIENCE, type SendFailure } from './send-failure.js';

/** A notice that a destination has not accepted in this time is given up. */
const DEADLINE_MS = 24 * 3_600_000;

/** Bounds of the pause before the next try, which is a quarter of the notice's age, or what the destination requests. */
const SHORTEST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 300_000;

/** How long a job waits for a destination. Then it frees its place in the queue, and sending continues without it. */
const HELD_MS = 1_000;

/** The destination has answered or timed out by then, so no other worker sends the same meanwhile. */
const ANSWERED_MS = PATIENCE.totalMs + 5_000;

interface Keyed {
  /** The same at each try. */
  readonly key: string;
  /** When it was decided to send it. */
  readonly at: Millis;
}

/** Sends a notice to a destination once. @returns undefined if it was accepted */
type Post<N> = (
  http: HttpClient,
  destination: AlertDestination,
  notice: N,
  now: Millis,
  signal: AbortSignal,
) => Promise<SendFailure | undefined>;

/** Records the final outcome of sending. */
export type RecordOutcome<N> = (
  notice: N,
  destination: string,
  outcome: DeliveryOutcome,
  detail: string,
) => Promise<void>;

/** Sends notices, one at a time to each destination, so that a hanging destination delays no other. */
export class Outbox<N extends Keyed> {
  private readonly http = new HttpClient();
  private readonly ending = new AbortController();
  /** The running sends by destination, and since when. `pause` resolves to the pause before the next try. */
  private readonly sending = new Map<string, { readonly pause: Promise<Millis>; readonly since: number }>();
  /** Until when a destination requested to be left alone, by the monotonic clock. */
  private readonly resting = new Map<string, number>();

  constructor(
    private readonly clock: Clock,
    private readonly logger: Logger,
    private readonly record: RecordOutcome<N>,
    private readonly post: Post<N>,
  ) {}

  async close(): Promise<void> {
    this.ending.abort();
    await Promise.allSettled([...this.sending.values()].map(({ pause }) => pause));
    await this.http.close();
  }

  /**
   * Sends a notice once, and records the outcome if it is final.
   * @throws JobPostponed if the job is to run again
   */
  async send(notice: N, destination: AlertDestination): Promise<void> {
    const { id } = destination;
    const until = this.clock.monotonic() + HELD_MS;
    for (;;) {
      const other = this.sending.get(id);
      if (other === undefined) break;
      // Jobs do not wait behind a hanging send: many messages would take all places of the queue.
      if (this.clock.monotonic() - other.since >= HELD_MS)
        throw new JobPostponed(ANSWERED_MS, `The destination ${id} does not answer.`);
      if ((await this.waitFor(other.pause, until)) === undefined)
        throw new JobPostponed(HELD_MS, `Another message is being sent to ${id}.`);
    }
    const rest = (this.resting.get(id) ?? 0) - this.clock.monotonic();
    if (rest > 0) throw new JobPostponed(rest, `The destination ${id} requested a pause.`);
    const attempt = this.attempt(notice, destination).finally(() => this.sending.delete(id));
    this.sending.set(id, { pause: attempt, since: this.clock.monotonic() });
    const pause = await this.waitFor(attempt, this.clock.monotonic() + HELD_MS);
    if (pause === undefined)
      throw new JobPostponed(ANSWERED_MS, `The destination ${id} has not answered yet.`);
    if (pause > 0) throw new JobPostponed(pause, `The destination ${id} did not accept the message.`);
  }

  /** Undefined if it takes longer. */
  private waitFor(attempt: Promise<Millis>, until: number): Promise<Millis | undefined> {
    const left = Math.max(0, until - this.clock.monotonic());
    return within(this.clock, left, attempt, '').catch(() => undefined);
  }

  /** @returns milliseconds until the next try; 0 if there is none */
  private async attempt(notice: N, destination: AlertDestination): Promise<Millis> {
    const { key, at } = notice;
    const { id } = destination;
    const failure = await this.post(this.http, destination, notice, this.clock.now(), this.ending.signal);
    if (failure === undefined) {
      await this.record(notice, id, 'DELIVERED', '');
      return 0;
    }
    this.logger.warn({ destination: id, notice: key, reason: failure.detail }, 'a message was not accepted');
    const requested = Math.min(failure.retryAfterMs ?? 0, LONGEST_PAUSE_MS);
    this.resting.set(id, this.clock.monotonic() + requested);
    const age = Math.max(0, this.clock.now() - at);
    const isOver = failure.isFinal || age > DEADLINE_MS;
    const least = Math.max(SHORTEST_PAUSE_MS, requested);
    if (!isOver) return Math.min(Math.max(age / 4, least), LONGEST_PAUSE_MS);
    await this.record(notice, id, failure.isFinal ? 'REFUSED' : 'GIVEN_UP', failure.detail);
    return 0;
  }
}
