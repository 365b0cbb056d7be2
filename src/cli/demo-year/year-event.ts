import type { Looks, NewEvent, SeenStretch, Subject } from '../../domain/events.js';
import type { Millis } from '../../domain/time.js';

/** An event of the year, with its stream. */
export interface YearEvent {
  readonly stream: string;
  readonly event: NewEvent;
}

/** How often each subject is looked at. */
const EVERY_MS: Readonly<Record<Subject, Millis>> = {
  submissions: 2_000,
  blocks: 5_000,
  probes: 5_000,
  claims: 15_000,
};
/** A look comes a little later than it is due. */
const LATE_MS = 600;
/** An answer takes so long. */
const ANSWER_MS = 40;

/** Counts the looks at a node's subjects, as observers do that look steadily: an event carries those since the one before it. */
export class YearLooks {
  private readonly last: Partial<Record<Subject, Millis>> = {};
  private readonly paused = new Set<Subject>();
  /** The last look at which the node told its clock, of subjects whose looks failed since. */
  private readonly silentSince = new Map<Subject, Millis>();

  /** The looks at a subject up to one at `at`. */
  take(subject: Subject, at: Millis, everyMs = EVERY_MS[subject]): Looks {
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

  /** Looks that failed: the node told no time. */
  takeFailed(subject: Subject, at: Millis): Looks {
    const { nodeClock: _, nodeClockBefore, ...looks } = this.take(subject, at);
    if (nodeClockBefore !== undefined) this.silentSince.set(subject, nodeClockBefore);
    return looks;
  }

  /** Looks at them give nothing until the next one that is taken. */
  pause(...subjects: readonly Subject[]): void {
    for (const subject of subjects) this.paused.add(subject);
  }

  /** Nobody looked until now. */
  forget(): void {
    for (const subject of Object.keys(this.last) as Subject[]) delete this.last[subject];
  }
}

/** Up to when looks at one list are proven to have missed nothing. */
export class ProvenList {
  private provenTo: Millis | null = null;

  /** Lists count up; -1 stands for none. */
  constructor(readonly list: number) {}

  /** The last look that proved something; null before there was one. */
  get last(): Millis | null {
    return this.provenTo;
  }

  /** A look at `at` that goes on from the one before it. */
  see(at: Millis): SeenStretch {
    const last = this.list < 0 ? at : at - ANSWER_MS;
    const since = this.provenTo ?? last;
    this.provenTo = last;
    return { list: this.list, since, last };
  }
}

function second(at: Millis): Millis {
  return Math.floor(at / 1000) * 1000;
}
