import type { SeenStretch } from '../../domain/events.js';
import {
  NO_LIST,
  noteSeen,
  provenBetween,
  type SeenList,
  type Sighting,
  unprovenSince,
} from '../../domain/submissions/seen-lists.js';
import type { Millis } from '../../domain/time.js';

/** Evidence from an answer in addition to the list itself. */
interface Evidence {
  /** A known row is in the list and proves how many rows came since. */
  readonly isAnchored: boolean;
  /** An event states that rows may be missing before it. */
  readonly isStated: boolean;
}

interface Proof {
  /** Null: it proves nothing, as if the list had not been polled. */
  readonly seen: SeenStretch | null;
  /** A past interval for which nothing is proven; it must be stated. */
  readonly gap: { readonly from: Millis; readonly to: Millis } | null;
}

/** Remembers when each list behind an address was last observed, and what two observations prove together. */
export class ListSightings {
  private known: readonly SeenList[] = [];
  private readonly last = new Map<number, Sighting>();

  get lists(): readonly SeenList[] {
    return this.known;
  }

  /** Time of the last observation of any list; null before the first. */
  get lastAt(): Millis | null {
    const times = [...this.last.values()].map(({ at }) => at);
    return times.length === 0 ? null : Math.max(...times);
  }

  /** @param empty the lists that were empty when last observed */
  restore(lists: readonly SeenList[], empty: ReadonlySet<number>): void {
    this.known = lists;
    this.last.clear();
    for (const { list, seen } of lists.filter((each) => each.list !== NO_LIST)) {
      this.last.set(list, { at: seen, list, isEmpty: empty.has(list), connection: null });
    }
  }

  /** Whether the process that showed the list empty has lived since then. */
  isSameProcess(list: number, connection: number | null): boolean {
    return connection !== null && this.last.get(list)?.connection === connection;
  }

  /** Whether another list is considered to have replaced it. */
  isReplaced(list: number): boolean {
    return this.known.some((each) => each.list === list && each.replacedAt !== null);
  }

  /**
   * The time up to which a list is proven. For a new list: the time up to which all lists that it may replace are proven.
   * Null: nothing is proven.
   */
  provenTo(list: number): Millis | null {
    return this.known.find((each) => each.list === list)?.seen ?? unprovenSince(this.known);
  }

  /** Judges what an observation proves together with the earlier ones. */
  judge(sighting: Sighting, { isAnchored, isStated }: Evidence): Proof {
    const { at, list } = sighting;
    const known = this.known.find((each) => each.list === list);
    const before = this.last.get(list);
    if (known && before && !isStated && provenBetween(before, sighting, isAnchored)) {
      // A known row proves everything since it was recorded; a living process everything since it was last seen alive.
      const since = before.isEmpty ? before.at : known.seen;
      const gap = since > known.seen ? { from: known.seen, to: since } : null;
      return { seen: { list, since, last: at }, gap };
    }
    return { seen: !known || isStated ? { list, since: at, last: at } : null, gap: null };
  }

  /** The node reports that it is no aggregator. Two such answers in a row prove all the time between them. */
  seeNone(at: Millis): SeenStretch {
    const known = this.known.find(({ list }) => list === NO_LIST);
    return { list: NO_LIST, since: known?.replacedAt === null ? known.seen : at, last: at };
  }

  /** Records the stretch, as {@link note} does. */
  noteNone(seen: SeenStretch): void {
    this.known = noteSeen(this.known, seen);
    // The process lives on, but its list is gone.
    for (const [list, sighting] of this.last) this.last.set(list, { ...sighting, connection: null });
  }

  /** Takes over an observation that counts: it is recorded, or will be with the next event. */
  note(sighting: Sighting, seen: SeenStretch | null): void {
    this.last.set(sighting.list, sighting);
    if (seen) this.known = noteSeen(this.known, seen);
    for (const list of this.last.keys()) {
      if (!this.known.some((each) => each.list === list)) this.last.delete(list);
    }
  }
}
