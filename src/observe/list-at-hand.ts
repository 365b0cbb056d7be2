import type { SeenStretch } from '../domain/events.js';
import type { Millis } from '../domain/time.js';

/** Polls that showed one list, with no other list and no emptied ring between them: so one process answered them all. */
export interface ListRun {
  readonly list: number;
  /** When the first answer came. */
  readonly since: Millis;
  /** When the last one was asked for. */
  readonly askedAt: Millis;
}

/** A poll that showed a list. */
interface ShownList {
  readonly list: number;
  readonly askedAt: Millis;
  readonly at: Millis;
  /** The ring was emptied before it: another process may show it. */
  readonly isEmptied: boolean;
}

/** Says which list a node shows now, to the observers of the same node that ask its process for something else. */
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

  /** The run as evidence that its process gave an answer. Undefined while nothing proves that, or no longer. */
  prove(run: ListRun, answeredAt: Millis): SeenStretch | undefined {
    if (run !== this.run || run.askedAt <= answeredAt) return undefined;
    return { list: run.list, since: run.since, last: run.askedAt };
  }
}
