import type { RecordedEvent } from '../domain/events.js';
import type { LoggedEvent } from '../event-log/logged-event.js';
import { type EventFault, MOST_FAULTS_OF_STREAM, toFaultText } from './faults.js';

/** What of a page of the log is to be applied, and what is set aside. */
export interface Cut {
  readonly events: readonly RecordedEvent[];
  readonly faults: readonly EventFault[];
}

/** Events that a projection could not take because of what is in one of them; nothing of them was kept. */
export class PoisonedBatch extends Error {
  override readonly name = 'PoisonedBatch';

  constructor(
    readonly events: readonly RecordedEvent[],
    cause: unknown,
  ) {
    super('An event of the batch cannot be applied', { cause });
  }
}

/**
 * Finds the event that poisons a batch. A batch that failed is tried again with half as many events, until one fails
 * alone. From there on each batch is twice as large as the one before. So each try is a short transaction of its own,
 * and many poisoned events cost a few tries each.
 */
export class BatchCutter {
  private size: number;
  /** Errors of events that failed alone, by position. The next try, from the same state of the tables, leaves them out. */
  private readonly poisons = new Map<bigint, unknown>();

  /** @param largest events of a batch at most */
  constructor(private readonly largest: number) {
    this.size = largest;
  }

  /** Events that the next batch reads at most. */
  get limit(): number {
    return this.size;
  }

  /**
   * Sorts the events of a page, in their order.
   *
   * @param counts faults of each stream before the page; counted on
   */
  cut(page: readonly LoggedEvent[], counts: Map<string, number>): Cut {
    const events: RecordedEvent[] = [];
    const faults: EventFault[] = [];
    for (const event of page) {
      const { position, stream, type } = event;
      const before = counts.get(stream) ?? 0;
      if (before >= MOST_FAULTS_OF_STREAM) continue;
      if (!('decodeError' in event) && !this.poisons.has(position)) {
        events.push(event);
        continue;
      }
      const error = 'decodeError' in event ? event.decodeError : this.poisons.get(position);
      faults.push({ position, stream, type, error: toFaultText(error) });
      counts.set(stream, before + 1);
    }
    return { events, faults };
  }

  noteSuccess(): void {
    this.poisons.clear();
    this.size = Math.min(2 * this.size, this.largest);
  }

  noteFailure({ events, cause }: PoisonedBatch): void {
    const [only, ...others] = events;
    if (only && others.length === 0) this.poisons.set(only.position, cause);
    else this.size = Math.max(1, Math.floor(Math.min(events.length, this.size) / 2));
  }
}

/**
 * Finds out what poisons a page of the work that an event left. A page that failed is tried again with half as much,
 * until a single row or cell fails. From there on each page is twice as large as the one before.
 */
export class PageCutter {
  private size: number;
  private poison: unknown;

  /** @param largest rows or cells of a page at most */
  constructor(private readonly largest: number) {
    this.size = largest;
  }

  /** Rows or cells that the next page takes at most. */
  get limit(): number {
    return this.size;
  }

  /** The error of the next row or cell, which failed alone and is to be left out; undefined: there is none. */
  get error(): unknown {
    return this.poison;
  }

  noteSuccess(): void {
    this.poison = undefined;
    this.size = Math.min(2 * this.size, this.largest);
  }

  noteFailure(error: unknown): void {
    if (this.size === 1) this.poison = error;
    else this.size = Math.max(1, Math.floor(this.size / 2));
  }
}
