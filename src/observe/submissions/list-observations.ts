import type { ProvenTime } from '../../domain/events.js';
import {
  type KnownList,
  NO_LIST,
  noteObserved,
  type Observation,
  provenBetween,
  unprovenSince,
} from '../../domain/coverage/observations.js';
import type { RingScalars } from '../../domain/submissions/known-ring.js';
import type { Millis } from '../../domain/time.js';
import type { EventStore } from '../../event-log/event-store.js';

/** Evidence from an answer in addition to the list itself. */
interface Evidence {
  /** A known row is in the list and proves how many rows came since. */
  readonly isAnchored: boolean;
  /** An event states that rows may be missing before it. */
  readonly isStated: boolean;
}

interface Proof {
  /** Null: it proves nothing, as if the list had not been polled. */
  readonly proven: ProvenTime | null;
  /** A past interval for which nothing is proven; it must be stated. */
  readonly gap: { readonly from: Millis; readonly to: Millis } | null;
}

/**
 * Remembers when each list behind an address was last observed, and what two observations prove together. Other observers of
 * the node request other things from the process that shows the present list.
 */
export class ListObservations {
  private known: readonly KnownList[] = [];
  private readonly last = new Map<number, Observation>();
  private run: (ProvenTime & { last: Millis }) | undefined;

  get lists(): readonly KnownList[] {
    return this.known;
  }

  /**
   * The latest polls that showed one list, with no other list and no emptied ring between them: one process answered them
   * all. The same object while they continue. Undefined before the first.
   */
  get currentRun(): ProvenTime | undefined {
    return this.run;
  }

  /** Time of the last observation of any list; null before the first. */
  get lastAt(): Millis | null {
    const times = [...this.last.values()].map(({ at }) => at);
    return times.length === 0 ? null : Math.max(...times);
  }

  /** @param empty the lists that were empty when last observed */
  restore(lists: readonly KnownList[], empty: ReadonlySet<number>): void {
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
  judge(observation: Observation, { isAnchored, isStated }: Evidence): Proof {
    const { at, list } = observation;
    const known = this.known.find((each) => each.list === list);
    const before = this.last.get(list);
    if (known && before && !isStated && provenBetween(before, observation, isAnchored)) {
      // A known row proves everything since it was recorded; a living process everything since it was last seen alive.
      const since = before.isEmpty ? before.at : known.seen;
      const gap = since > known.seen ? { from: known.seen, to: since } : null;
      return { proven: { list, since, last: at }, gap };
    }
    return { proven: !known || isStated ? { list, since: at, last: at } : null, gap: null };
  }

  /** The node reports that it is no aggregator. Two such answers in a row prove all the time between them. */
  judgeNone(at: Millis): ProvenTime {
    const known = this.known.find(({ list }) => list === NO_LIST);
    return { list: NO_LIST, since: known?.replacedAt === null ? known.seen : at, last: at };
  }

  /** The lists as they are once a proven time is noted. */
  listsAfter(proven: ProvenTime | null): readonly KnownList[] {
    return proven ? noteObserved(this.known, proven) : this.known;
  }

  /** Records that the node had no list, as {@link note} does. */
  noteNone(proven: ProvenTime): void {
    this.known = this.listsAfter(proven);
    // The process lives on, but its list is gone.
    for (const [list, before] of this.last) this.last.set(list, { ...before, connection: null });
  }

  /**
   * Takes over an observation that counts: it is recorded, or will be with the next event.
   * @param at when the answer arrived
   * @param isEmptied whether the ring was emptied before it, so that another process may show it
   */
  note(
    observation: Observation,
    proven: ProvenTime | null,
    { at, isEmptied }: { readonly at: Millis; readonly isEmptied: boolean },
  ): void {
    const { list, at: askedAt } = observation;
    this.last.set(list, observation);
    this.known = this.listsAfter(proven);
    for (const each of this.last.keys()) {
      if (!this.known.some((known) => known.list === each)) this.last.delete(each);
    }
    if (this.run?.list === list && !isEmptied) this.run.last = askedAt;
    else this.run = { list, since: at, last: askedAt };
  }

  /** A run as evidence that its process gave an answer. Undefined until a later poll proves it, and once the run has ended. */
  proveAnswer(run: ProvenTime, answeredAt: Millis): ProvenTime | undefined {
    return run === this.run && run.last > answeredAt ? { ...run } : undefined;
  }
}

/** The part of the stream's state about lists. */
interface SavedLists {
  readonly ring: RingScalars | null;
  readonly lists?: readonly KnownList[];
  readonly lastLook?: Millis | null;
}

/**
 * The lists behind the address and up to when each is proven, according to the log: the stream's last append, and later
 * polls in which nothing happened.
 */
export async function loadLists(
  store: Pick<EventStore, 'readStreamBack'>,
  nodeId: string,
  state: SavedLists | undefined,
): Promise<readonly KnownList[]> {
  if (!state) return [];
  const lists = state.lists ?? listsOf(state);
  const newest = lists.reduce((latest, { seen }) => Math.max(latest, seen), -Infinity);
  const [watched] = await store.readStreamBack(`${nodeId}/node`, ['NodeWatched'], 1);
  const looks = watched?.type === 'NodeWatched' ? watched.body.looks.submissions : undefined;
  const later = (looks?.lists ?? []).filter(({ last }) => last > newest);
  return later.reduce<readonly KnownList[]>(noteObserved, lists);
}

/** For states of versions that stored one time for all lists: all lists but the first were not seen since. */
function listsOf({ ring, lastLook }: SavedLists): KnownList[] {
  if (lastLook === null || lastLook === undefined) return [];
  return (ring?.windows ?? []).map(({ source }, index) => ({
    list: source,
    first: lastLook,
    seen: lastLook,
    replacedAt: index === 0 ? null : lastLook,
    isStated: index !== 0,
  }));
}
