import type { NewEvent, Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

/**
 * How a poll of a subject ended. `ok`: the node showed it, and what it showed is recorded. `refused`: it did not answer, or
 * showed nothing. `failed`: what it showed could not be recorded.
 */
export type PollOutcome = 'ok' | 'refused' | 'failed';

/** Notified of every poll and of what it brought into the log, to count them. */
export interface PollWatch {
  /** @param ms from the beginning of the poll until its findings were recorded */
  polled(subject: Subject, outcome: PollOutcome, ms: Millis): void;
  /** @param chain of the node from now on; null while it is not known */
  watches(node: string, chain: string | null): void;
  /** @param events of the node that are in the log */
  recorded(node: string, events: readonly NewEvent[]): void;
}
