import type { SeenStretch } from '../events.js';
import type { Millis } from '../time.js';

/** A list that an address has shown. */
export interface SeenList {
  readonly list: number;
  readonly first: Millis;
  /** Up to when it is known: nothing proves what it held since. */
  readonly seen: Millis;
  /** When another list took its place, as after a restart; null while it counts. */
  readonly replacedAt: Millis | null;
}

/** Lists that are remembered, the last ones by sight. More behind one address are never all proven, so it is not covered. */
const REMEMBERED = 8;

/**
 * Which lists an address leads to, after one of them was seen.
 *
 * A list that is seen for the first time takes the place of the one that was not seen for longest. If that one is seen again, they
 * exist side by side: then it was another one, not seen since, whose place was taken; or there is one list more.
 */
export function noteSeen(lists: readonly SeenList[], { list, since, last }: SeenStretch): SeenList[] {
  const known = lists.find((each) => each.list === list);
  const seen = {
    list,
    first: known?.first ?? since,
    seen: Math.max(known?.seen ?? last, last),
    replacedAt: null,
  };
  const others = lists.filter((each) => each !== known);
  const tookPlaceAt = known ? known.replacedAt : since;
  const gone = tookPlaceAt === null ? undefined : longestUnseen(others, known && tookPlaceAt);
  const after = others.map((each) => (each === gone ? { ...each, replacedAt: tookPlaceAt } : each));
  return [seen, ...after].slice(0, REMEMBERED);
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
