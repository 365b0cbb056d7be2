import { type DaySpending, spend, spentOn, timeFor } from '../domain/byte-budget.js';
import type { NewEvent, Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';
import type { EventStore } from '../event-log/event-store.js';
import type { Look, LookBook } from './look-book.js';
import { type StreamEnd, StreamSession } from './stream-session.js';
import { cutToFit } from '../domain/cut-events.js';

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

/** What the state of every subject's stream holds beside its own. */
interface Spending {
  /** What the node has written of its day's share; states of older versions do not say. */
  readonly spent?: DaySpending;
}

/** What a look found. */
export interface Findings<S> {
  readonly at: Millis;
  /** In order; one of them carries the looks that no event has carried yet. */
  readonly events: readonly NewEvent[];
  /** What the stream is to remember with these events, which are cut where the day's share is used up. */
  state(events: readonly NewEvent[]): S;
  /** None of the events carries looks: they wait for one that does. */
  readonly carryNoLooks?: boolean;
  /**
   * The look that found them, if it is not in the book yet: unless they are recorded, it counts as never made. Left out, it
   * counts all the same, and waits for the next event.
   */
  readonly look?: Look;
  /** Told when it is known whether the events are recorded, which may be after a failure. */
  settled?(isRecorded: boolean): void;
}

/** What a recorder needs of an observer's parts. */
export interface RecorderParts {
  readonly node: { readonly id: string };
  readonly store: EventStore;
  readonly book: LookBook;
  readonly budget: NodeBudget;
  /** Told of events that are in the log. */
  readonly recorded?: (events: readonly NewEvent[]) => void;
}

/**
 * Appends what an observer finds to its stream, with the looks that no event has carried yet and within the node's share
 * of the day. What is not recorded leaves both as they were.
 */
export class SubjectRecorder<S extends Spending> {
  private readonly session: StreamSession<S>;

  constructor(
    private readonly subject: Subject,
    private readonly parts: RecorderParts,
  ) {
    this.session = new StreamSession(parts.store, `${parts.node.id}/${subject}`);
  }

  get stream(): string {
    return this.session.stream;
  }

  /** The version at the end of the stream, as far as it is known: 0 before a `load`. */
  get version(): bigint {
    return this.session.version;
  }

  /** The end of the stream; to be called at the start of every look. */
  async load(): Promise<StreamEnd<S>> {
    const end = await this.session.load();
    if (end.fresh) this.parts.budget.restore(this.subject, end.state?.spent);
    return end;
  }

  /**
   * @returns how long the next look is to wait at least while the share of the day is used up. Undefined when
   * another process was first: the answer must be thrown away and the node looked at again
   */
  async record(findings: Findings<S>): Promise<Millis | undefined> {
    const { book, budget } = this.parts;
    const { at, look } = findings;
    const taken = findings.carryNoLooks ? undefined : book.take();
    const { events, spent, pauseMs } = budget.fit(this.subject, findings.events, at);
    const state = { ...findings.state(events), spent };
    const isWon = await this.session.append(events, state, (isRecorded) => {
      if (!isRecorded) book.giveBack(taken);
      else if (look) book.noteCarried(look);
      if (isRecorded) this.parts.recorded?.(events);
      findings.settled?.(isRecorded);
    });
    if (!isWon) return undefined;
    budget.restore(this.subject, spent);
    return pauseMs;
  }
}
