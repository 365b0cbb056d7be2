import type { RecordedEvent } from '../domain/events.js';
import type { LoggedEvent } from '../event-log/logged-event.js';
import { HalvingSize } from './halving-size.js';
import { type DeadLetter, MOST_FAULTS_OF_STREAM, toFaultText } from './faults.js';

/** The events of a page that can be applied, and the dead letters. */
export interface CutBatch {
  readonly events: readonly RecordedEvent[];
  readonly faults: readonly DeadLetter[];
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

/** Finds the event that poisons a batch. Each try is a short transaction of its own. */
export class BatchCutter {
  /** Errors of events that failed alone, by position. The next try starts from the same state of the tables and omits them. */
  private readonly poisons = new Map<bigint, unknown>();

  /** The most events that the next batch reads. */
  readonly size: HalvingSize;

  constructor(largest: number) {
    this.size = new HalvingSize(largest);
  }

  /**
   * Separates the events of a page, in order, into applicable events and dead letters.
   * @param counts dead letters of each stream before the page; updated here
   */
  cut(page: readonly LoggedEvent[], counts: Map<string, number>): CutBatch {
    const events: RecordedEvent[] = [];
    const faults: DeadLetter[] = [];
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
    this.size.noteSuccess();
  }

  noteFailure({ events, cause }: PoisonedBatch): void {
    const [first] = events;
    if (this.size.noteFailure(events.length) && first) this.poisons.set(first.position, cause);
  }
}
