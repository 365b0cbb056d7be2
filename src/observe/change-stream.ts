import type { NewEvent } from '../domain/events.js';
import type { EventStore } from '../event-log/event-store.js';

/** An event for the end of a stream, and what the stream is to remember with it; left out: what it does now. */
interface Change<S> {
  readonly event: NewEvent;
  readonly state?: S;
}

/** Whoever loses this often is not just unlucky. */
const TRIES = 10;

/**
 * Appends what is decided on the end of a stream that several write. Where another writer was first, it is decided
 * again on what that one left. This is only for changes that rest on nothing but the stream, not for answers of a node.
 *
 * @param decide undefined: there is nothing to change
 * @throws Error when others keep being first
 */
export async function changeStream<S>(
  store: EventStore,
  stream: string,
  decide: (state: S | undefined) => Change<S> | undefined,
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
