import type { ProvenTime } from '../events.js';
import type { Millis } from '../time.js';

/** One poll that saw a list of submissions. */
export interface Observation {
  /** When it was requested: rows that came since then may be missing from it. */
  readonly at: Millis;
  /** The list seen: the ring of one process, numbered behind its address. */
  readonly list: number;
  readonly isEmpty: boolean;
  /**
   * The connection that carried it, if nothing lies between Hindsight and the process. As long as it is open, the process
   * at its other end lives. Null if that is not known.
   */
  readonly connection: number | null;
}

/**
 * Whether two consecutive observations prove that nothing of a list can have been missed between them. They do if they
 * share an anchor, or if the list was empty both times and its process has lived throughout.
 *
 * Two empty lists share no row: a process that writes rows and dies leaves the list as it found it.
 *
 * @param isAnchored whether a row of the second observation is known from the first, and proves how many came since
 */
export function provenBetween(before: Observation, after: Observation, isAnchored: boolean): boolean {
  if (before.list !== after.list) return false;
  if (!before.isEmpty) return isAnchored;
  return before.connection !== null && before.connection === after.connection;
}

/** A list that an address has shown. */
export interface KnownList {
  readonly list: number;
  readonly first: Millis;
  /** Last time at which its rows are known: nothing proves its content since. */
  readonly seen: Millis;
  /** When another list took its place, as after a restart; null while the list counts. */
  readonly replacedAt: Millis | null;
  /** Whether an event states that rows may be missing until then. */
  readonly isStated: boolean;
}

/**
 * Represents the absence of a list: the node says that it is no aggregator. It replaces a list and is replaced like a list.
 * But another process may repeat the statement, and no rows can be missed.
 */
export const NO_LIST = -1;

/** Number of remembered lists, those seen last. More lists behind one address are never all proven, so it is not covered. */
const REMEMBERED = 8;

/**
 * The lists behind an address, after one of them was seen.
 *
 * A list that is seen for the first time replaces the list that was unseen for longest. If that one is seen again, the two
 * exist side by side. Then either another list, not seen since, was the one replaced. Or there is one list more than was
 * known: the list before the returned one was not replaced by it, but by the next one.
 */
export function noteObserved(lists: readonly KnownList[], { list, since, last }: ProvenTime): KnownList[] {
  const others = lists.filter((each) => each.list !== list);
  const found = lists.find((each) => each.list === list);
  const known = list === NO_LIST && found?.replacedAt !== null ? undefined : found;
  const first = known?.first ?? since;
  const seen = { list, first, seen: Math.max(known?.seen ?? last, last), replacedAt: null, isStated: false };
  return [seen, ...moveOver(others, known, { list, since })].slice(0, REMEMBERED);
}

/** The other lists when one is seen: for the first time, again after it was replaced, or as expected. */
function moveOver(
  others: readonly KnownList[],
  known: KnownList | undefined,
  { list, since }: Pick<ProvenTime, 'list' | 'since'>,
): readonly KnownList[] {
  const at = known ? known.replacedAt : since;
  if (at === null) return others;
  const gone = longestUnseen(others, known ? at : undefined);
  // No event states the gap of a list that was replaced by no list at all.
  const isStated = list !== NO_LIST;
  if (gone) return others.map((each) => (each === gone ? { ...each, replacedAt: at, isStated } : each));
  const isBefore = ({ replacedAt }: KnownList) => known !== undefined && replacedAt === known.first;
  return others.map((each) => (isBefore(each) ? { ...each, replacedAt: at, isStated: false } : each));
}

/** When the unproven time begins if a list is seen for the first time, whichever it replaces. Null: there was no list. */
export function unprovenSince(lists: readonly KnownList[]): Millis | null {
  return longestUnseen(lists)?.seen ?? null;
}

/** The list unseen for longest, of those that count. @param before only a list that was not seen from then on */
function longestUnseen(lists: readonly KnownList[], before: Millis = Infinity): KnownList | undefined {
  return lists
    .filter(({ replacedAt, seen }) => replacedAt === null && seen < before)
    .reduce<KnownList | undefined>(
      (oldest, each) => (oldest && oldest.seen <= each.seen ? oldest : each),
      undefined,
    );
}
