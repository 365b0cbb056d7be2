import type { Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

/**
 * How a poll of a subject ended. `ok`: the node showed it, and what it showed is recorded. `refused`: it did not answer, or
 * showed nothing. `failed`: what it showed could not be recorded.
 */
export type PollOutcome = 'ok' | 'refused' | 'failed';

/** Told of every poll, for whoever counts them. */
export interface PollWatch {
  /** @param ms from the beginning of the poll until its findings were recorded */
  polled(subject: Subject, outcome: PollOutcome, ms: Millis): void;
}
