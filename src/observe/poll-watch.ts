import type { NewEvent, Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

/**
 * How a poll of a subject ended. `ok`: the node showed the subject, and the result is recorded. `refused`: the node did not
 * answer, or showed nothing. `failed`: the result could not be recorded.
 */
export type PollOutcome = 'ok' | 'refused' | 'failed';

/** Notified of every poll and of the events it recorded, for counting. */
export interface PollWatch {
  /** @param ms from the beginning of the poll until its result was recorded */
  polled(subject: Subject, outcome: PollOutcome, ms: Millis): void;
  /** @param chain the node's chain from now on; null while it is not known */
  watches(node: string, chain: string | null): void;
  /** @param events of the node that are in the log */
  recorded(node: string, events: readonly NewEvent[]): void;
}
