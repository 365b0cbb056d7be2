import { isDeepStrictEqual } from 'node:util';
import type { NewEvent, RecordedEvent } from '../domain/events.js';
import type { EventStore } from '../event-log/event-store.js';

/** What an observer knows at the end of its stream. */
export interface StreamEnd<S> {
  readonly version: bigint;
  /** undefined at first contact */
  readonly state: S | undefined;
  /** Whether it was read from the database just now, so that whatever the observer keeps in memory must be built again. */
  readonly fresh: boolean;
}

/** Told once of each append whether its events are recorded; of one that failed, at the next `load`. */
export type Settled = (isRecorded: boolean) => void;

/** An append that failed: the commit may have happened, and only the word of it been lost. */
interface Doubt {
  readonly first: NewEvent;
  /** The version that its first event has, if it is recorded. */
  readonly version: bigint;
  readonly settled: Settled;
}

/**
 * One observer's place at the end of its stream.
 *
 * While its appends win it alone knows the end, and the database is not asked.
 * After a lost or failed append it is stale, and the next `load` reads again.
 */
export class StreamSession<S> {
  private end: StreamEnd<S> | undefined;
  private doubt: Doubt | undefined;

  constructor(
    private readonly store: EventStore,
    readonly stream: string,
  ) {}

  /** The end of the stream; to be called at the start of every look. */
  async load(): Promise<StreamEnd<S>> {
    if (this.end) return this.end;
    const { version, state } = await this.store.loadStream(this.stream);
    if (this.doubt) await this.settle(this.doubt, version);
    this.end = { version, state: state as S | undefined, fresh: false };
    return { ...this.end, fresh: true };
  }

  /** The version at the end, as far as it is known: 0 before a `load`. */
  get version(): bigint {
    return this.end?.version ?? 0n;
  }

  /** Whether it is not known yet if the last append happened. */
  get isInDoubt(): boolean {
    return this.doubt !== undefined;
  }

  /**
   * Appends events that were decided on the end as loaded, with the state after them (left out: it stays).
   *
   * @param settled what is to be done when it is known whether the events are recorded, which may be after a failure
   * @returns false when another process was first: the answer must be thrown away and the node looked at again
   */
  async append(events: readonly NewEvent[], state?: S, settled: Settled = () => undefined): Promise<boolean> {
    const end = this.end;
    if (!end) throw new Error(`${this.stream}: append before load`);
    // Until the commit is known to have happened, nothing is known about the end.
    this.end = undefined;
    const [first] = events;
    if (first) this.doubt = { first, version: end.version + 1n, settled };
    const result = await this.store.append({
      stream: this.stream,
      expectedVersion: end.version,
      events,
      state,
    });
    this.doubt = undefined;
    settled(result.won);
    if (!result.won) return false;
    this.end = { version: result.version, state: state ?? end.state, fresh: false };
    return true;
  }

  /** Finds out whether an append that failed happened: its first event then stands where it was to stand. */
  private async settle({ first, version, settled }: Doubt, end: bigint): Promise<void> {
    const [found] = end < version ? [] : await this.store.readStreamBack(this.stream, [], 1, version + 1n);
    this.doubt = undefined;
    settled(found !== undefined && isSameEvent(found, first));
  }
}

/** Nobody else writes an event of that type at that moment that carries the same looks. */
function isSameEvent(found: RecordedEvent, written: NewEvent): boolean {
  const looksOf = ({ body }: RecordedEvent | NewEvent): unknown => ('looks' in body ? body.looks : undefined);
  return (
    found.type === written.type &&
    found.observedAt === BigInt(Math.round(written.observedAt * 1000)) &&
    isDeepStrictEqual(looksOf(found), looksOf(written))
  );
}
