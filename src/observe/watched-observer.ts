import type { Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';
import type { Clock } from '../platform/clock.js';
import type { PollOutcome, PollWatch } from './poll-watch.js';
import type { SeeingObserver, SubjectObserver } from './subject-observer.js';

/** The observer of a subject, which tells a watch of each of its looks. A look that a stop cut short is none. */
export class WatchedObserver implements SubjectObserver {
  constructor(
    readonly subject: Subject,
    private readonly observer: SeeingObserver,
    private readonly polls: PollWatch,
    private readonly clock: Clock,
  ) {}

  async look(signal: AbortSignal): Promise<Millis> {
    const began = this.clock.monotonic();
    let outcome: PollOutcome = 'failed';
    try {
      const pauseMs = await this.observer.look(signal);
      outcome = this.observer.hasSeen ? 'ok' : 'refused';
      return pauseMs;
    } finally {
      if (!signal.aborted) this.polls.polled(this.subject, outcome, this.clock.monotonic() - began);
    }
  }
}
