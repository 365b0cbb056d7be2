import type { RecordedEvent } from '../domain/events.js';
import type { LoggedEvent } from '../event-log/logged-event.js';
import { type EventFault, MOST_FAULTS_OF_STREAM, toFaultText } from './faults.js';

/** The events of a page that can be applied, and the dead letters. */
export interface Cut {
  readonly events: readonly RecordedEvent[];
  readonly faults: readonly EventFault[];
}

/** A batch that a projection could not apply because of the data in one of its events; it was rolled back. */
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
 * Finds the event that poisons a batch. A failed batch is retried with half as many events, until one event fails alone.
 * After that each batch is twice as large as the one before. Each try is a short transaction of its own, and many poisoned
 * events cost a few tries each.
 */
export class BatchCutter {
  private size: number;
  /** Errors of events that failed alone, by position. The next try starts from the same state of the tables and omits them. */
  private readonly poisons = new Map<bigint, unknown>();

  /** @param largest the most events in a batch */
  constructor(private readonly largest: number) {
    this.size = largest;
  }

  /** The most events that the next batch reads. */
  get limit(): number {
    return this.size;
  }

  /**
   * Separates the events of a page, in order, into applicable events and dead letters.
   * @param counts dead letters of each stream before the page; updated here
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
 * Finds the row or cell that poisons a page of deferred work. A failed page is retried with half as much, until a single
 * row or cell fails. After that each page is twice as large as the one before.
 */
export class PageCutter {
  private size: number;
  private poison: unknown;

  /** @param largest the most rows or cells in a page */
  constructor(private readonly largest: number) {
    this.size = largest;
  }

  /** The most rows or cells that the next page takes. */
  get limit(): number {
    return this.size;
  }

  /** The error of the next row or cell, which failed alone and must be skipped; undefined if there is none. */
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
