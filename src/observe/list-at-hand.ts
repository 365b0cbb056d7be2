import type { SeenStretch } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

/** A series of polls that showed one list, with no other list and no emptied ring between them: one process answered them all. */
export interface ListRun {
  readonly list: number;
  /** When the first answer arrived. */
  readonly since: Millis;
  /** When the last poll was sent. */
  readonly askedAt: Millis;
}

interface ShownList {
  readonly list: number;
  readonly askedAt: Millis;
  readonly at: Millis;
  /** The ring was emptied before this poll, so another process may show it. */
  readonly isEmptied: boolean;
}

/** The list that a node shows now, for the observers of the same node that request other things from its process. */
export class ListAtHand {
  private run: (ListRun & { askedAt: Millis }) | undefined;

  /** Undefined before the first poll. */
  get current(): ListRun | undefined {
    return this.run;
  }

  note({ list, askedAt, at, isEmptied }: ShownList): void {
    if (this.run?.list === list && !isEmptied) this.run.askedAt = askedAt;
    else this.run = { list, since: at, askedAt };
  }

  /** The run as evidence that its process gave an answer. Undefined until a later poll proves it, and once the run has ended. */
  prove(run: ListRun, answeredAt: Millis): SeenStretch | undefined {
    if (run !== this.run || run.askedAt <= answeredAt) return undefined;
    return { list: run.list, since: run.since, last: run.askedAt };
  }
}
