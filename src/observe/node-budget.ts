import { spend, spentOn, timeFor, type DaySpending } from '../domain/byte-budget.js';
import { cutToFit } from '../domain/cut-events.js';
import type { NewEvent, Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

/** Blocks may have this many times the bytes of everything else. */
const BLOCKS_SHARE = 4;

/** Events that fit the budget, and what their stream's state remembers of it. */
export interface FittingEvents {
  readonly events: readonly NewEvent[];
  readonly spent: DaySpending;
  /**
   * How long the next look is to wait, so that a budget which is used up is not passed by much. 0 while it is not used
   * up.
   */
  readonly pauseMs: Millis;
}

/**
 * The bytes that one node may write into the log in a day of UTC. Beyond them long texts are cut, and the node is
 * looked at less often the more it writes. What each subject wrote is kept in the state of its stream, with the append
 * that wrote it. So a process that takes over goes on counting from there.
 */
export class NodeBudget {
  private readonly spent = new Map<Subject, DaySpending>();

  constructor(private readonly bytesPerDay: number) {}

  /** Takes over what the state of a stream says; a state without it changes nothing. */
  restore(subject: Subject, spent: DaySpending | undefined): void {
    if (spent) this.spent.set(subject, spent);
  }

  /** Bytes that are left of the day of `at`; 0 or less when the share is used up. */
  left(at: Millis): number {
    let left = this.bytesPerDay;
    for (const spent of this.spent.values()) left -= spentOn(spent, at);
    return left;
  }

  /** The events of a look as the budget allows; it is spent once they are written: see `restore`. */
  fit(subject: Subject, events: readonly NewEvent[], at: Millis): FittingEvents {
    const left = this.left(at);
    const fitting = cutToFit(events, left);
    const { bytes } = fitting;
    const beyond = bytes - Math.max(0, left);
    const pauseMs = beyond <= 0 ? 0 : timeFor(beyond, this.bytesPerDay);
    return { events: fitting.events, spent: spend(this.spent.get(subject), at, bytes), pauseMs };
  }

  /**
   * Blocks are nothing but short facts, so none is cut. But a node that makes up blocks without end is asked for them
   * more slowly, once it has written some times its share of texts. A real chain's backfill has room in that.
   *
   * @param written what it wrote before
   */
  fitBlocks(
    written: DaySpending | undefined,
    events: readonly NewEvent[],
    at: Millis,
  ): { readonly written: DaySpending; readonly pauseMs: Millis } {
    const most = BLOCKS_SHARE * this.bytesPerDay;
    let bytes = 0;
    for (const { body } of events) bytes += JSON.stringify(body).length;
    const after = spend(written, at, bytes);
    return { written: after, pauseMs: after.bytes < most ? 0 : timeFor(bytes, most) };
  }
}
