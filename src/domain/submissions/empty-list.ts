import type { Millis } from '../time.js';

/**
 * The longest time between two looks at an empty list for which both together say that no row was missed: a node that
 * writes rows and loses them with a restart is away for long enough to be noticed by looks this close.
 */
export const EMPTY_PROVES_MS: Millis = 5_000;

/** What happened between the last look that saw a list and this one. */
export interface BetweenLooks {
  readonly elapsedMs: Millis;
  /** How long the observer rests between looks just now. */
  readonly restMs: Millis;
  /** A look at the list failed. */
  readonly hasFailed: boolean;
  /** The node refused a connection, whatever for: it was not running. */
  readonly hasRefused: boolean;
}

/**
 * Whether the node may have restarted unseen: after a gap, which is longer than the rest between looks by far; after a
 * look that failed; or where nobody listened at its address. A head that goes back does not count: behind an address that
 * several nodes share it does so all the time.
 */
export function mayHideRestart({ elapsedMs, restMs, hasFailed, hasRefused }: BetweenLooks): boolean {
  return hasFailed || hasRefused || elapsedMs > Math.max(EMPTY_PROVES_MS, 2 * restMs);
}
