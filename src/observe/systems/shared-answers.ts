import type { Millis } from '../../domain/time.js';
import type { Clock } from '../../platform/clock.js';

/** An answer with the times of its request. */
interface Shared {
  readonly answer: Promise<unknown>;
  readonly askedAt: Millis;
  /** The nodes whose polls this answer was for. */
  readonly takers: Set<string>;
}

/**
 * Answers of systems that several nodes have in common: a poll gets the answer to another node's poll while that is due or
 * fresh, so each endpoint is asked once. No node gets an answer twice: a second poll confirms the first one. Bounded: one answer
 * for each endpoint.
 */
export class SharedAnswers {
  private readonly answers = new Map<string, Shared>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /**
   * @param taker the node that polls
   * @param freshMs an answer to a request that began within this time is used again
   */
  take<T>(name: string, taker: string, freshMs: Millis, ask: () => Promise<T>): Promise<T> {
    const known = this.answers.get(name);
    const now = this.clock.monotonic();
    if (known !== undefined && now - known.askedAt < freshMs && !known.takers.has(taker)) {
      known.takers.add(taker);
      return known.answer as Promise<T>;
    }
    const answer = ask();
    this.answers.set(name, { answer, askedAt: now, takers: new Set([taker]) });
    return answer;
  }
}
