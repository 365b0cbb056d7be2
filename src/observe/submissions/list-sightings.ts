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

/** What an answer tells of a sighting beside the list itself. */
interface Evidence {
  /** A row of it is known, and proves how many came since. */
  readonly isAnchored: boolean;
  /** An event states that rows may be missing before it. */
  readonly isStated: boolean;
}

/** What a sighting proves. */
interface Proof {
  /** Null: nothing, as if nobody had looked. */
  readonly seen: SeenStretch | null;
  /** A time that is over and of which nothing is proven; it is to be stated. */
  readonly gap: { readonly from: Millis; readonly to: Millis } | null;
}

/** Remembers when each list behind an address was seen last, and what two sightings prove together. */
export class ListSightings {
  private known: readonly SeenList[] = [];
  private readonly last = new Map<number, Sighting>();

  get lists(): readonly SeenList[] {
    return this.known;
  }

  /** The last sighting of any; null before the first. */
  get lastAt(): Millis | null {
    const times = [...this.last.values()].map(({ at }) => at);
    return times.length === 0 ? null : Math.max(...times);
  }

  /** @param empty the lists that held nothing when they were seen last */
  restore(lists: readonly SeenList[], empty: ReadonlySet<number>): void {
    this.known = lists;
    this.last.clear();
    for (const { list, seen } of lists.filter((each) => each.list !== NO_LIST)) {
      this.last.set(list, { at: seen, list, isEmpty: empty.has(list), connection: null });
    }
  }

  /** Whether the process that showed the list empty has lived since. */
  isSameProcess(list: number, connection: number | null): boolean {
    return connection !== null && this.last.get(list)?.connection === connection;
  }

  /** Whether another list is held to have taken its place. */
  isReplaced(list: number): boolean {
    return this.known.some((each) => each.list === list && each.replacedAt !== null);
  }

  /** Up to when a list was proven; of one that was not seen yet, up to when all were that it may replace. Null: nothing was. */
  provenTo(list: number): Millis | null {
    return this.known.find((each) => each.list === list)?.seen ?? unprovenSince(this.known);
  }

  /** What a sighting proves, beside the ones before. */
  judge(sighting: Sighting, { isAnchored, isStated }: Evidence): Proof {
    const { at, list } = sighting;
    const known = this.known.find((each) => each.list === list);
    const before = this.last.get(list);
    if (known && before && !isStated && provenBetween(before, sighting, isAnchored)) {
      // A row that is known proves all since it was recorded; a process that lives all since it was seen alive.
      const since = before.isEmpty ? before.at : known.seen;
      const gap = since > known.seen ? { from: known.seen, to: since } : null;
      return { seen: { list, since, last: at }, gap };
    }
    return { seen: !known || isStated ? { list, since: at, last: at } : null, gap: null };
  }

  /** The node says that it is no aggregator. Twice in a row means all the time between. */
  seeNone(at: Millis): SeenStretch {
    const known = this.known.find(({ list }) => list === NO_LIST);
    return { list: NO_LIST, since: known?.replacedAt === null ? known.seen : at, last: at };
  }

  /** The same, as {@link note}. */
  noteNone(seen: SeenStretch): void {
    this.known = noteSeen(this.known, seen);
    // Its process lives on; the list that it had is gone.
    for (const [list, sighting] of this.last) this.last.set(list, { ...sighting, connection: null });
  }

  /** A sighting that counts: it is recorded, or will be with the next event. */
  note(sighting: Sighting, seen: SeenStretch | null): void {
    this.last.set(sighting.list, sighting);
    if (seen) this.known = noteSeen(this.known, seen);
    for (const list of this.last.keys()) {
      if (!this.known.some((each) => each.list === list)) this.last.delete(list);
    }
  }
}
