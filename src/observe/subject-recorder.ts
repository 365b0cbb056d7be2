import type { DaySpending } from '../domain/byte-budget.js';
import type { NewEvent, Subject } from '../domain/events.js';
import type { Millis } from '../domain/time.js';
import type { EventStore } from '../event-log/event-store.js';
import type { Look, LookBook } from './look-book.js';
import type { NodeBudget } from './node-budget.js';
import { type StreamEnd, StreamSession } from './stream-session.js';

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
