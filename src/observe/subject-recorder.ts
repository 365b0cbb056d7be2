import { type DaySpending, spend, spentOn, timeFor } from '../domain/byte-budget.js';
import type { NewEvent, Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';
import type { EventStore } from '../event-log/event-store.js';
import type { Poll, PollBook } from './poll-book.js';
import { type SessionState, StreamSession } from './stream-session.js';
import { cutToFit } from '../domain/cut-events.js';

/** Blocks may use this many times the bytes of everything else. */
const BLOCKS_SHARE = 4;

/** Events that fit the budget, and the spending to store in their stream's state. */
export interface FittingEvents {
  readonly events: readonly NewEvent[];
  readonly spent: DaySpending;
  /** How long the next poll must wait, so that an exhausted budget is not exceeded by much. 0 while some budget is left. */
  readonly pauseMs: Millis;
}

/**
 * The bytes that one node may write into the log in a UTC day. Beyond them long texts are cut, and the node is polled less
 * often the more it writes. The spending of each subject is stored in the state of its stream, with the append that caused
 * it. A process that takes over continues counting from there.
 */
export class NodeBudget {
  private readonly spent = new Map<Subject, DaySpending>();

  constructor(private readonly bytesPerDay: number) {}

  /** Takes over the spending from a stream's state; a state without it changes nothing. */
  restore(subject: Subject, spent: DaySpending | undefined): void {
    if (spent) this.spent.set(subject, spent);
  }

  /** Bytes left on the day of `at`; 0 or less when the share is used up. */
  left(at: Millis): number {
    let left = this.bytesPerDay;
    for (const spent of this.spent.values()) left -= spentOn(spent, at);
    return left;
  }

  /** Cuts the events of a poll to the budget. The budget is charged only after they are written: see `restore`. */
  fit(subject: Subject, events: readonly NewEvent[], at: Millis): FittingEvents {
    const left = this.left(at);
    const fitting = cutToFit(events, left);
    const { bytes } = fitting;
    const beyond = bytes - Math.max(0, left);
    const pauseMs = beyond <= 0 ? 0 : timeFor(beyond, this.bytesPerDay);
    return { events: fitting.events, spent: spend(this.spent.get(subject), at, bytes), pauseMs };
  }

  /**
   * Blocks contain only short facts, so none is cut. But a node that invents blocks without end is polled for them more
   * slowly, once it has written several times its share of texts. The limit leaves room for a real chain's backfill.
   *
   * @param written the bytes written before
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

/** The part that every subject's stream state has in common. */
interface Spending {
  /** The node's spending of its daily share; absent in states of older versions. */
  readonly spent?: DaySpending;
}

export interface PollFindings<S> {
  readonly at: Millis;
  /** In order; one of them carries the polls that no event has carried yet. */
  readonly events: readonly NewEvent[];
  /** The stream's new state. The events are cut where the daily share is used up. */
  state(events: readonly NewEvent[]): S;
  /** No event carries polls: the polls wait for an event that does. */
  readonly carryNoPolls?: boolean;
  /**
   * The poll that found them, if the book does not have it yet: it counts only if the events are recorded. If left out, the
   * poll counts in any case and waits for the next event.
   */
  readonly poll?: Poll;
  /** Called when it is known whether the events are recorded, which may be after a failure. */
  settled?(isRecorded: boolean): void;
}

export interface RecorderParts {
  readonly node: { readonly id: string };
  readonly store: EventStore;
  readonly book: PollBook;
  readonly budget: NodeBudget;
  /** Called with events that are in the log. */
  readonly recorded?: (events: readonly NewEvent[]) => void;
}

/**
 * Appends an observer's findings to its stream, with the polls that no event has carried yet and within the node's daily
 * share. If the append is not recorded, both stay as they were.
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

  /** The version at the end of the stream, as far as known; 0 before a `load`. */
  get version(): bigint {
    return this.session.version;
  }

  /** Returns the end of the stream; call it at the start of every poll. */
  async load(): Promise<SessionState<S>> {
    const end = await this.session.load();
    if (end.fresh) this.parts.budget.restore(this.subject, end.state?.spent);
    return end;
  }

  /**
   * @returns the minimum wait before the next poll while the daily share is used up. Undefined when another process was
   * first: discard the answer and poll the node again
   */
  async record(findings: PollFindings<S>): Promise<Millis | undefined> {
    const { book, budget } = this.parts;
    const { at, poll } = findings;
    const taken = findings.carryNoPolls ? undefined : book.take();
    const { events, spent, pauseMs } = budget.fit(this.subject, findings.events, at);
    const state = { ...findings.state(events), spent };
    const isWon = await this.session.append(events, state, (isRecorded) => {
      if (!isRecorded) book.giveBack(taken);
      else if (poll) book.noteCarried(poll);
      if (isRecorded) this.parts.recorded?.(events);
      findings.settled?.(isRecorded);
    });
    if (!isWon) return undefined;
    budget.restore(this.subject, spent);
    return pauseMs;
  }
}
