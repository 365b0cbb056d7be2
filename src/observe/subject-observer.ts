import type { Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

/** Watches one subject of one node. */
export interface SubjectObserver {
  readonly subject: Subject | 'node';
  /**
   * Looks once and records what is new. A node that misbehaves is an observation, not an error:
   * only a failing database may make it throw.
   *
   * @returns how long until the next look is due
   */
  look(signal: AbortSignal): Promise<Millis>;
}

/** An observer that tells whether its last look saw the subject: the node answered, and had something to show. */
export interface SeeingObserver extends SubjectObserver {
  readonly hasSeen: boolean;
}

/** A node to be observed, from the settings. */
export interface ObservedNode {
  readonly id: string;
  readonly url: string;
  readonly statusUrl?: string;
  readonly service?: string;
  readonly chain?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly statusHeaders?: Readonly<Record<string, string>>;
  /** Whether nothing stands between us and it; left out: its answers tell, as far as they can. */
  readonly direct?: boolean;
  /** Which transactions are kept with a block. */
  readonly record: 'none' | 'hashes' | 'full';
  /** Where the backfill of blocks begins. */
  readonly backfillFrom: 'first' | 'oldest' | bigint;
}
