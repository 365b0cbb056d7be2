import type { Looks, NewEvent, SeenStretch } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

/** One look at a subject. */
export interface Look {
  readonly at: Millis;
  /** The node's own time at it, where its answer told. */
  readonly nodeClock: Millis | undefined;
  /**
   * It did not see the subject as it is then (an error page, a part of an answer). What the next one finds may be
   * older, so its bound stays the clock at the last look that did see.
   */
  readonly isBlind: boolean;
  /** Of a look at a list: what it proves of one; null: nothing. Left out: the subject has no lists. */
  readonly seen?: SeenStretch | null;
}

/**
 * Counts the successful looks at one subject until an event carries them into the log.
 *
 * Looks that were never written down (the process died) are looks that never were:
 * the next one then shows the gap, as it should.
 */
export class LookBook {
  private looks: Looks | undefined;
  private lastLook: Millis | undefined;
  private lastClock: Millis | undefined;

  /** Counts a look. */
  note(at: Millis, nodeClock?: Millis, isBlind = false, seen?: SeenStretch | null): void {
    const look = { at, nodeClock, isBlind, ...(seen !== undefined && { seen }) };
    this.looks = this.with(look);
    this.noteCarried(look);
  }

  /** The looks that no event has carried yet, and one more, which does not count by that. */
  with({ at, nodeClock, seen }: Look): Looks {
    const gap = this.lastLook === undefined ? 0 : Math.max(0, at - this.lastLook);
    const before = this.lastClock;
    return {
      first: this.looks?.first ?? at,
      last: at,
      count: (this.looks?.count ?? 0) + 1,
      longestGapMs: Math.max(this.looks?.longestGapMs ?? 0, gap),
      ...(before === undefined ? {} : { nodeClockBefore: before }),
      ...(nodeClock === undefined ? {} : { nodeClock }),
      ...(seen === undefined ? {} : { lists: addSeen(this.looks?.lists ?? [], seen) }),
    };
  }

  /** Remembers a look that an event has carried by itself. */
  noteCarried({ at, nodeClock, isBlind }: Look): void {
    this.lastLook = at;
    if (!isBlind) this.lastClock = nodeClock;
  }

  /** The looks that no event has carried yet; undefined when there are none. They stay. */
  peek(): Looks | undefined {
    return this.looks;
  }

  /** As `peek`, for an event that carries them: they are gone from here. */
  take(): Looks | undefined {
    const looks = this.looks;
    this.looks = undefined;
    return looks;
  }

  /** Puts back looks whose event was not recorded. */
  giveBack(looks: Looks | undefined): void {
    this.looks = looks && this.looks ? joinLooks(looks, this.looks) : (looks ?? this.looks);
  }
}

/** What an event carries whose look another event of the same look has carried. */
export function sameLook(at: Millis): Looks {
  return { first: at, last: at, count: 0, longestGapMs: 0 };
}

/** Lets one of the events of a look carry all looks; what the others say of looks is that they are of the same one. */
export function carryLooks(
  events: readonly NewEvent[],
  looks: Looks | undefined,
  carrier = 0,
): readonly NewEvent[] {
  const event = events[carrier];
  if (!event || !looks) return events;
  return events.with(carrier, {
    ...event,
    body: Object.assign({ looks }, event.body, { looks }),
  } as NewEvent);
}

/** Either may be the earlier one: two events that carried looks can fail in any order. */
function joinLooks(a: Looks, b: Looks): Looks {
  const [earlier, later] = a.first <= b.first ? [a, b] : [b, a];
  return {
    ...later,
    first: earlier.first,
    count: earlier.count + later.count,
    longestGapMs: Math.max(earlier.longestGapMs, later.longestGapMs),
    ...(later.lists && { lists: later.lists.reduce(addSeen, earlier.lists ?? []) }),
  };
}

/** Stretches that one event tells of at most: an address leads to few lists, and what breaks one has an event of its own. */
const MOST_STRETCHES = 32;

/** A stretch that goes on from one of the same list is one with it. */
function addSeen(stretches: readonly SeenStretch[], seen: SeenStretch | null): readonly SeenStretch[] {
  if (seen === null) return stretches;
  const at = stretches.findLastIndex(({ list }) => list === seen.list);
  const before = stretches[at];
  if (before && seen.since <= before.last) return stretches.with(at, { ...before, last: seen.last });
  return [...stretches, seen].slice(-MOST_STRETCHES);
}
