import type { NewEvent } from '../domain/events.js';
import type { EventStore } from '../event-log/event-store.js';

/** What an observer knows at the end of its stream. */
export interface StreamEnd<S> {
  readonly version: bigint;
  /** undefined at first contact */
  readonly state: S | undefined;
  /** Whether it was read from the database just now, so that whatever the observer keeps in memory must be built again. */
  readonly fresh: boolean;
}

/**
 * One observer's place at the end of its stream.
 *
 * While its appends win it alone knows the end, and the database is not asked.
 * After a lost or failed append it is stale, and the next `load` reads again.
 */
export class StreamSession<S> {
  private end: StreamEnd<S> | undefined;

  constructor(
    private readonly store: EventStore,
    readonly stream: string,
  ) {}

  /** The end of the stream; to be called at the start of every look. */
  async load(): Promise<StreamEnd<S>> {
    if (this.end) return this.end;
    const { version, state } = await this.store.loadStream(this.stream);
    this.end = { version, state: state as S | undefined, fresh: false };
    return { ...this.end, fresh: true };
  }

  /**
   * Appends events that were decided on the end as loaded, with the state after them (left out: it stays).
   *
   * @returns false when another process was first: the answer must be thrown away and the node looked at again
   */
  async append(events: readonly NewEvent[], state?: S): Promise<boolean> {
    const end = this.end;
    if (!end) throw new Error(`${this.stream}: append before load`);
    // Until the commit is known to have happened, nothing is known about the end.
    this.end = undefined;
    const result = await this.store.append({
      stream: this.stream,
      expectedVersion: end.version,
      events,
      state,
    });
    if (!result.won) return false;
    this.end = { version: result.version, state: state ?? end.state, fresh: false };
    return true;
  }
}
