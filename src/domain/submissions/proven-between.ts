import type { Millis } from '../time.js';

/** One look that saw a list of submissions. */
export interface Sighting {
  /** When it was asked for: what came since then need not be in it. */
  readonly at: Millis;
  /** The list that it saw: the ring of one process, numbered behind its address. */
  readonly list: number;
  readonly isEmpty: boolean;
  /**
   * The connection that brought it, where nothing stands between us and the process. As long as it is open, the process
   * at its other end lives. Null where that is not known.
   */
  readonly connection: number | null;
}

/**
 * Whether two sightings, one after the other, prove that nothing of a list can have been missed between them. They do
 * where they share an anchor, or the list was empty both times and its process has lived throughout.
 *
 * An empty list shares nothing with what it was: a process that writes rows and dies leaves it as it found it.
 *
 * @param isAnchored whether a row of the second sighting is known from the first, and proves how many came since
 */
export function provenBetween(before: Sighting, after: Sighting, isAnchored: boolean): boolean {
  if (before.list !== after.list) return false;
  if (!before.isEmpty) return isAnchored;
  return before.connection !== null && before.connection === after.connection;
}
