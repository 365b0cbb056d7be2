import type { NewEvent } from '../domain/events.js';
import type { EventStore } from '../event-log/event-store.js';

/** An event to append to a stream, and the stream's new state. Without `state` the stream keeps its present one. */
interface StreamChange<S> {
  readonly event: NewEvent;
  readonly state?: S;
}

/** A writer that loses this many times is not just unlucky. */
const TRIES = 10;

/**
 * Appends an event that is decided from the state of a stream with several writers. If another writer was first, it decides
 * again from the new state. Use it only for changes that depend on nothing but the stream, not for answers of a node.
 *
 * @param decide returns undefined if there is nothing to change
 * @throws Error after `TRIES` lost attempts
 */
export async function changeStream<S>(
  store: EventStore,
  stream: string,
  decide: (state: S | undefined) => StreamChange<S> | undefined,
): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt += 1) {
    const { version, state: before } = await store.loadStream(stream);
    const change = decide(before as S | undefined);
    if (!change) return;
    const { event, state } = change;
    const { won } = await store.append({ stream, expectedVersion: version, events: [event], state });
    if (won) return;
  }
  throw new Error(`${stream}: other processes kept changing it`);
}
