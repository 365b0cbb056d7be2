import { isDeepStrictEqual } from 'node:util';
import type { NewEvent, RecordedEvent } from '../domain/events.js';
import type { EventStore } from '../event-log/event-store.js';

export interface SessionState<S> {
  readonly version: bigint;
  /** Undefined at first contact. */
  readonly state: S | undefined;
  /** Whether the end was just read from the database, so that the observer must rebuild what it keeps in memory. */
  readonly fresh: boolean;
}

/** Called once per append with whether its events are recorded; after a failed append, during the next `load`. */
export type Settled = (isRecorded: boolean) => void;

/** A failed append: the commit may have happened and only its confirmation been lost. */
interface UnconfirmedAppend {
  readonly first: NewEvent;
  /** The version of its first event, if it is recorded. */
  readonly version: bigint;
  readonly settled: Settled;
}

/**
 * One observer's position at the end of its stream.
 *
 * While its appends win, only it changes the end, and the database is not asked. After a lost or failed append the position
 * is stale, and the next `load` reads it again.
 */
export class StreamSession<S> {
  private end: SessionState<S> | undefined;
  private doubt: UnconfirmedAppend | undefined;

  constructor(
    private readonly store: EventStore,
    readonly stream: string,
  ) {}

  /** Returns the end of the stream; call it at the start of every poll. */
  async load(): Promise<SessionState<S>> {
    if (this.end) return this.end;
    const { version, state } = await this.store.loadStream(this.stream);
    if (this.doubt) await this.settle(this.doubt, version);
    this.end = { version, state: state as S | undefined, fresh: false };
    return { ...this.end, fresh: true };
  }

  /** The version at the end, as far as known; 0 before a `load`. */
  get version(): bigint {
    return this.end?.version ?? 0n;
  }

  /** Whether it is still unknown if the last append was recorded. */
  get isInDoubt(): boolean {
    return this.doubt !== undefined;
  }

  /**
   * Appends events that were decided from the loaded end, with the state after them. Without `state` the stream keeps its
   * present one.
   *
   * @param settled called as soon as it is known whether the events are recorded, which may be after a failure
   * @returns false when another process was first: discard the answer and poll the node again
   */
  async append(events: readonly NewEvent[], state?: S, settled: Settled = () => undefined): Promise<boolean> {
    const end = this.end;
    if (!end) throw new Error(`${this.stream}: append before load`);
    // Until the commit is confirmed, the end is unknown.
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

  /** Finds out whether a failed append happened: then its first event is at the expected version. */
  private async settle({ first, version, settled }: UnconfirmedAppend, end: bigint): Promise<void> {
    const [found] = end < version ? [] : await this.store.readStreamBack(this.stream, [], 1, version + 1n);
    this.doubt = undefined;
    settled(found !== undefined && isSameEvent(found, first));
  }
}

/** No other writer appends an event of that type at that moment with the same `looks`. */
function isSameEvent(found: RecordedEvent, written: NewEvent): boolean {
  const looksOf = ({ body }: RecordedEvent | NewEvent): unknown => ('looks' in body ? body.looks : undefined);
  return (
    found.type === written.type &&
    found.observedAt === BigInt(Math.round(written.observedAt * 1000)) &&
    isDeepStrictEqual(looksOf(found), looksOf(written))
  );
}
