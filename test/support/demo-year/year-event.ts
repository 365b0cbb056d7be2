import type { Polls, NewEvent, ProvenTime, Subject } from '../../../src/domain/events.js';
import type { Millis } from '../../../src/domain/time.js';

/** An event with its stream, before it has a position in the log. */
export interface YearEvent {
  readonly stream: string;
  readonly event: NewEvent;
}

/** Poll interval of each subject. */
const EVERY_MS: Readonly<Record<Subject, Millis>> = {
  submissions: 2_000,
  blocks: 5_000,
  probes: 5_000,
  claims: 15_000,
  daNode: 20_000,
  execution: 20_000,
};
/** Delay of a poll after it is due. */
const LATE_MS = 600;
/** Duration of an answer. */
const ANSWER_MS = 40;

/** Counts polls of a node's subjects, as steady observers do: an event carries the polls since the event before it. */
export class YearLooks {
  private readonly last: Partial<Record<Subject, Millis>> = {};
  private readonly paused = new Set<Subject>();
  /** The last poll in which the node reported its clock, by subject, for subjects whose polls have failed since. */
  private readonly silentSince = new Map<Subject, Millis>();

  /** The polls of a subject up to the poll at `at`. */
  take(subject: Subject, at: Millis): Polls {
    const everyMs = EVERY_MS[subject];
    const before = this.last[subject];
    this.last[subject] = at;
    if (before === undefined)
      return { first: at, last: at, count: 1, longestGapMs: 0, nodeClock: second(at) };
    const isBroken = this.paused.delete(subject);
    const first = isBroken ? at : Math.min(at, before + everyMs);
    const gap = isBroken ? at - before : Math.min(at - before, everyMs + LATE_MS);
    const toldAt = this.silentSince.get(subject) ?? at - gap;
    this.silentSince.delete(subject);
    return {
      first,
      last: at,
      count: 1 + Math.round((at - first) / (everyMs + LATE_MS / 2)),
      longestGapMs: gap,
      nodeClockBefore: second(toldAt),
      nodeClock: second(at),
    };
  }

  /** Failed polls: the node reported no time. */
  takeFailed(subject: Subject, at: Millis): Polls {
    const { nodeClock: _, nodeClockBefore, ...looks } = this.take(subject, at);
    if (nodeClockBefore !== undefined) this.silentSince.set(subject, nodeClockBefore);
    return looks;
  }

  /** Polls of these subjects fail until the next {@link take}. */
  pause(...subjects: readonly Subject[]): void {
    for (const subject of subjects) this.paused.add(subject);
  }

  /** The node was not monitored until now. */
  forget(): void {
    for (const subject of Object.keys(this.last) as Subject[]) delete this.last[subject];
  }
}

/** The time up to which polls of one list are proven to have missed nothing. */
export class ProvenList {
  private provenTo: Millis | null = null;

  /** @param list lists count up; -1: no list */
  constructor(readonly list: number) {}

  /** The last poll that proved something; null before the first one. */
  get last(): Millis | null {
    return this.provenTo;
  }

  /** A poll at `at` that continues from the poll before it. */
  see(at: Millis): ProvenTime {
    const last = this.list < 0 ? at : at - ANSWER_MS;
    const since = this.provenTo ?? last;
    this.provenTo = last;
    return { list: this.list, since, last };
  }
}

function second(at: Millis): Millis {
  return Math.floor(at / 1000) * 1000;
}
