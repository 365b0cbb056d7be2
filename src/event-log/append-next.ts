import type { NewEvent } from '../domain/events.js';
import type { EventStore } from './event-store.js';

/**
 * Appends an event whatever the stream holds: an order, or a statement of a person. If another writer was first, tries again.
 * @returns the version of the event
 */
export async function appendNext(
  store: Pick<EventStore, 'loadStream' | 'append'>,
  stream: string,
  event: NewEvent,
): Promise<bigint> {
  for (;;) {
    const { version } = await store.loadStream(stream);
    const appended = await store.append({ stream, expectedVersion: version, events: [event] });
    if (appended.won) return appended.version;
  }
}
