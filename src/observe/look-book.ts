import type { Looks, NewEvent, SeenStretch } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

export interface Look {
  readonly at: Millis;
  /** The node's own time at the poll; undefined if the answer has no `Date`. */
  readonly nodeClock: Millis | undefined;
  /**
   * The poll did not see the subject's present state (an error page, a part of an answer). What the next poll finds may be
   * older, so its lower bound remains the node's clock at the last poll that did see it.
   */
  readonly isBlind: boolean;
  /** The stretch of a list that this poll proves; null if it proves nothing. Absent for subjects without lists. */
  readonly seen?: SeenStretch | null;
}

/**
 * Counts the successful polls of one subject until an event carries them into the log.
 *
 * Polls that were never recorded (the process died) count as never made: the next poll then shows the gap, as it should.
 */
export class LookBook {
  private looks: Looks | undefined;
  private lastLook: Millis | undefined;
  private lastClock: Millis | undefined;

  note(at: Millis, nodeClock?: Millis, isBlind = false, seen?: SeenStretch | null): void {
    const look = { at, nodeClock, isBlind, ...(seen !== undefined && { seen }) };
    this.looks = this.with(look);
    this.noteCarried(look);
  }

  /** Returns the polls that no event has carried yet plus this one, without counting this one. */
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

  /** Remembers a poll that an event has carried itself. */
  noteCarried({ at, nodeClock, isBlind }: Look): void {
    this.lastLook = at;
    if (!isBlind) this.lastClock = nodeClock;
  }

  /** The polls that no event has carried yet, without removing them; undefined when there are none. */
  peek(): Looks | undefined {
    return this.looks;
  }

  /** Returns the same as `peek` and removes them, for an event that carries them. */
  take(): Looks | undefined {
    const looks = this.looks;
    this.looks = undefined;
    return looks;
  }

  /** Puts back polls whose event was not recorded. */
  giveBack(looks: Looks | undefined): void {
    this.looks = looks && this.looks ? joinLooks(looks, this.looks) : (looks ?? this.looks);
  }
}

/** The `looks` of an event when another event of the same poll carries the count. */
export function sameLook(at: Millis): Looks {
  return { first: at, last: at, count: 0, longestGapMs: 0 };
}

/** Makes one of a poll's events carry all polls so far. The other events keep their {@link sameLook}. */
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

/** Either argument may be the earlier one: two events that carried polls can fail in any order. */
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

/** The most stretches in one event. An address leads to few lists, and whatever breaks a stretch has an event of its own. */
const MOST_STRETCHES = 32;

/** Adds a stretch, and joins it with the last stretch of the same list if it continues that stretch. */
function addSeen(stretches: readonly SeenStretch[], seen: SeenStretch | null): readonly SeenStretch[] {
  if (seen === null) return stretches;
  const at = stretches.findLastIndex(({ list }) => list === seen.list);
  const before = stretches[at];
  if (before && seen.since <= before.last) return stretches.with(at, { ...before, last: seen.last });
  return [...stretches, seen].slice(-MOST_STRETCHES);
}
