import type { SeenStretch } from '../events.js';
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

/** A list that an address has shown. */
export interface SeenList {
  readonly list: number;
  readonly first: Millis;
  /** Up to when it is known: nothing proves what it held since. */
  readonly seen: Millis;
  /** When another list took its place, as after a restart; null while it counts. */
  readonly replacedAt: Millis | null;
  /** Whether an event says up to then that rows may be missing. */
  readonly isStated: boolean;
}

/**
 * Stands for no list at all: the node says that it is no aggregator. It takes the place of a list, and is replaced, as
 * a list is. But whoever says it again may be somebody else, and nothing can be missed of it.
 */
export const NO_LIST = -1;

/** Lists that are remembered, the last ones by sight. More behind one address are never all proven, so it is not covered. */
const REMEMBERED = 8;

/**
 * Which lists an address leads to, after one of them was seen.
 *
 * A list that is seen for the first time takes the place of the one that was not seen for longest. If that one is seen again, they
 * exist side by side. Then it was another one, not seen since, whose place was taken. Or there is one list more than was known: so
 * the list before the returned one was not replaced by it, but by the next.
 */
export function noteSeen(lists: readonly SeenList[], { list, since, last }: SeenStretch): SeenList[] {
  const others = lists.filter((each) => each.list !== list);
  const found = lists.find((each) => each.list === list);
  const known = list === NO_LIST && found?.replacedAt !== null ? undefined : found;
  const first = known?.first ?? since;
  const seen = { list, first, seen: Math.max(known?.seen ?? last, last), replacedAt: null, isStated: false };
  return [seen, ...moveOver(others, known, { list, since })].slice(0, REMEMBERED);
}

/** The other lists, when one is seen: for the first time, again, or in its turn. */
function moveOver(
  others: readonly SeenList[],
  known: SeenList | undefined,
  { list, since }: Pick<SeenStretch, 'list' | 'since'>,
): readonly SeenList[] {
  const at = known ? known.replacedAt : since;
  if (at === null) return others;
  const gone = longestUnseen(others, known ? at : undefined);
  // Of a list in whose place there is none no event tells.
  const isStated = list !== NO_LIST;
  if (gone) return others.map((each) => (each === gone ? { ...each, replacedAt: at, isStated } : each));
  const isBefore = ({ replacedAt }: SeenList) => known !== undefined && replacedAt === known.first;
  return others.map((each) => (isBefore(each) ? { ...each, replacedAt: at, isStated: false } : each));
}

/** From when on something may be missing when a list is seen for the first time, whichever it replaces. Null: there was none. */
export function unprovenSince(lists: readonly SeenList[]): Millis | null {
  return longestUnseen(lists)?.seen ?? null;
}

/** Of the lists that count the one that was not seen for longest. @param before only one that was not seen from then on */
function longestUnseen(lists: readonly SeenList[], before: Millis = Infinity): SeenList | undefined {
  return lists
    .filter(({ replacedAt, seen }) => replacedAt === null && seen < before)
    .reduce<SeenList | undefined>(
      (oldest, each) => (oldest && oldest.seen <= each.seen ? oldest : each),
      undefined,
    );
}
