import type { Looks } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

/** A place in a `LookBook`. */
export interface LookMark {
  readonly looks: Looks | undefined;
  readonly lastLook: Millis | undefined;
  readonly lastClock: Millis | undefined;
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
  private taken = 0;

  /**
   * Notes a look. `nodeClock` is the node's own time at it, where its answer told.
   *
   * @param isBlind it did not see the subject as it is then (an error page, a part of an answer), so that what the
   *   next one finds may be older: the bound for that stays the clock at the last look that did see
   */
  note(at: Millis, nodeClock?: Millis, isBlind = false): void {
    const gap = this.lastLook === undefined ? 0 : Math.max(0, at - this.lastLook);
    const before = this.lastClock;
    this.looks = {
      first: this.looks?.first ?? at,
      last: at,
      count: (this.looks?.count ?? 0) + 1,
      longestGapMs: Math.max(this.looks?.longestGapMs ?? 0, gap),
      ...(before === undefined ? {} : { nodeClockBefore: before }),
      ...(nodeClock === undefined ? {} : { nodeClock }),
    };
    this.lastLook = at;
    if (!isBlind) this.lastClock = nodeClock;
  }

  /** Where the book stands, for `rewind`. */
  mark(): LookMark {
    const { looks, lastLook, lastClock } = this;
    return { looks, lastLook, lastClock };
  }

  /**
   * Strikes out looks that were noted since a mark, and taken: what they showed was not recorded, so they count as
   * never made.
   */
  rewind(mark: LookMark): void {
    this.lastLook = mark.lastLook;
    this.lastClock = mark.lastClock;
    // Older looks, that somebody else could not write down, may have come back meanwhile.
    const older = this.looks;
    this.looks = older && mark.looks ? joinLooks(older, mark.looks) : (older ?? mark.looks);
  }

  /** The looks that no event has carried yet; undefined when there are none. They stay. */
  peek(): Looks | undefined {
    return this.looks;
  }

  /** As `peek`, for an event that carries them: they are gone from here. */
  take(): Looks | undefined {
    const looks = this.looks;
    this.looks = undefined;
    this.taken += 1;
    return looks;
  }

  /** Puts back looks whose event was not recorded. */
  giveBack(looks: Looks | undefined): void {
    if (!looks) return;
    const later = this.looks;
    this.looks = later ? joinLooks(looks, later) : looks;
  }

  /** How often looks were taken. */
  get timesTaken(): number {
    return this.taken;
  }

  /** When the oldest look that is not written down yet was made. */
  get unwrittenSince(): Millis | undefined {
    return this.looks?.first;
  }
}

/** What an event carries whose look another event of the same look has carried. */
export function sameLook(at: Millis): Looks {
  return { first: at, last: at, count: 0, longestGapMs: 0 };
}

function joinLooks(earlier: Looks, later: Looks): Looks {
  return {
    ...later,
    first: earlier.first,
    count: earlier.count + later.count,
    longestGapMs: Math.max(earlier.longestGapMs, later.longestGapMs),
  };
}
