import type { DataSource } from 'typeorm';
import type { NewEvent, RecordedEvent } from '../../src/domain/events.js';
import { microsToMillis } from '../../src/domain/time.js';
import { EventStore } from '../../src/event-log/event-store.js';
import { projectAll } from './read-models.js';

/** Appends events to a database's log in their order, as observers would, and projects them into all read models. */
export async function appendLog(dataSource: DataSource, events: readonly RecordedEvent[]): Promise<void> {
  const store = new EventStore(dataSource);
  const versions = new Map<string, bigint>();
  for (let from = 0; from < events.length;) {
    const stream = events[from]?.stream ?? '';
    const length = events.slice(from).findIndex((event) => event.stream !== stream);
    const run = length < 0 ? events.slice(from) : events.slice(from, from + length);
    const fresh = run.map(
      ({ type, observedAt, body }) => ({ type, body, observedAt: microsToMillis(observedAt) }) as NewEvent,
    );
    const expectedVersion = versions.get(stream) ?? (await store.loadStream(stream)).version;
    const result = await store.append({ stream, expectedVersion, events: fresh });
    if (!result.won) throw new Error(`somebody else writes to ${stream}`);
    versions.set(stream, result.version);
    from += run.length;
  }
  await projectAll(dataSource);
}
