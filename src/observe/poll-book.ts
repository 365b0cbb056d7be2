import type { NewEvent, Polls, ProvenTime } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

export interface Poll {
  readonly at: Millis;
  /** The node's own time at the poll; undefined if the answer has no `Date`. */
  readonly nodeClock: Millis | undefined;
  /**
   * The poll did not see the subject's present state (an error page, a part of an answer). What the next poll finds may be
   * older, so its lower bound remains the node's clock at the last poll that did see it.
   */
  readonly isBlind: boolean;
  /** The time of a list that this poll proves; null if it proves nothing. Absent for subjects without lists. */
  readonly proven?: ProvenTime | null;
}

/**
 * Counts the polls of one subject until an event carries them into the log. Failed polls of blocks and claims do not count;
 * polls of the other subjects count even if the node did not answer.
 *
 * Polls that were never recorded (the process died) count as never made: the next poll then shows the gap, as it should.
 */
export class PollBook {
  private polls: Polls | undefined;
  private lastPoll: Millis | undefined;
  private lastClock: Millis | undefined;

  note(at: Millis, nodeClock?: Millis, isBlind = false, proven?: ProvenTime | null): void {
    const poll = { at, nodeClock, isBlind, ...(proven !== undefined && { proven }) };
    this.polls = this.with(poll);
    this.noteCarried(poll);
  }

  /** Returns the polls that no event has carried yet plus this one, without counting this one. */
  with({ at, nodeClock, proven }: Poll): Polls {
    const gap = this.lastPoll === undefined ? 0 : Math.max(0, at - this.lastPoll);
    const before = this.lastClock;
    return {
      first: this.polls?.first ?? at,
      last: at,
      count: (this.polls?.count ?? 0) + 1,
      longestGapMs: Math.max(this.polls?.longestGapMs ?? 0, gap),
      ...(before === undefined ? {} : { nodeClockBefore: before }),
      ...(nodeClock === undefined ? {} : { nodeClock }),
      ...(proven === undefined ? {} : { lists: addProven(this.polls?.lists ?? [], proven) }),
    };
  }

  /** Remembers a poll that an event has carried itself. */
  noteCarried({ at, nodeClock, isBlind }: Poll): void {
    this.lastPoll = at;
    if (!isBlind) this.lastClock = nodeClock;
  }

  /** The polls that no event has carried yet, without removing them; undefined when there are none. */
  peek(): Polls | undefined {
    return this.polls;
  }

  /** Returns the same as `peek` and removes them, for an event that carries them. */
  take(): Polls | undefined {
    const polls = this.polls;
    this.polls = undefined;
    return polls;
  }

  /** Puts back polls whose event was not recorded. */
  giveBack(polls: Polls | undefined): void {
    this.polls = polls && this.polls ? joinPolls(polls, this.polls) : (polls ?? this.polls);
  }
}

/** The `looks` of an event when another event of the same poll carries the count. */
export function samePoll(at: Millis): Polls {
  return { first: at, last: at, count: 0, longestGapMs: 0 };
}

/** Makes one of a poll's events carry all polls so far. The other events keep their {@link samePoll}. */
export function carryPolls(
  events: readonly NewEvent[],
  looks: Polls | undefined,
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
function joinPolls(a: Polls, b: Polls): Polls {
  const [earlier, later] = a.first <= b.first ? [a, b] : [b, a];
  return {
    ...later,
    first: earlier.first,
    count: earlier.count + later.count,
    longestGapMs: Math.max(earlier.longestGapMs, later.longestGapMs),
    ...(later.lists && { lists: later.lists.reduce(addProven, earlier.lists ?? []) }),
  };
}

/** The most proven times in one event. An address leads to few lists, and whatever ends such a time has an event of its own. */
const MOST_PROVEN_TIMES = 32;

/** Adds a proven time, and joins it with the last one of the same list if it continues that one. */
function addProven(times: readonly ProvenTime[], proven: ProvenTime | null): readonly ProvenTime[] {
  if (proven === null) return times;
  const at = times.findLastIndex(({ list }) => list === proven.list);
  const before = times[at];
  if (before && proven.since <= before.last) return times.with(at, { ...before, last: proven.last });
  return [...times, proven].slice(-MOST_PROVEN_TIMES);
}
