import type { DataSource } from 'typeorm';
import type { EventType, NewEvent } from '../../src/domain/events.js';
import type { EventStore } from '../../src/event-log/event-store.js';

/**
 * Appends a number of plain events to the `node` stream of each name, alternating between streams.
 *
 * @returns the positions of each stream's new events
 */
export async function appendToLog(
  store: EventStore,
  counts: Readonly<Record<string, number>>,
): Promise<Record<string, bigint[]>> {
  const positions: Record<string, bigint[]> = {};
  const from = await store.lastPosition();
  const appends: Promise<unknown>[] = [];
  const longest = Math.max(...Object.values(counts));
  const versions = new Map<string, bigint>();
  for (const name of Object.keys(counts)) {
    versions.set(name, (await store.loadStream(`${name}/node`)).version);
  }
  for (let turn = 0; turn < longest; turn += 1) {
    for (const [name, count] of Object.entries(counts)) {
      if (turn >= count) continue;
      const expectedVersion = versions.get(name) ?? 0n;
      versions.set(name, expectedVersion + 1n);
      const events: NewEvent[] = [{ type: 'NodeRetired', observedAt: turn, body: {} }];
      appends.push(store.append({ stream: `${name}/node`, expectedVersion, events }));
    }
  }
  await Promise.all(appends);
  const end = await store.lastPosition();
  const { events } = await store.readRange(from, end, ['NodeRetired'], 1_000_000);
  for (const { stream, position } of events) (positions[stream.replace(/\/node$/, '')] ??= []).push(position);
  return positions;
}

/** Appends an event with this text as its body, bypassing all validation. */
export async function appendRawBody(
  dataSource: DataSource,
  { stream, type, body }: { readonly stream: string; readonly type: EventType; readonly body: string },
): Promise<void> {
  await dataSource.query('SELECT ensure_event_partition(clock_timestamp())');
  await dataSource.query(
    `WITH log_end AS (UPDATE log_head SET position = position + 1, recorded_at = clock_timestamp()
                   RETURNING position, recorded_at),
          stream_end AS (INSERT INTO stream_head (stream, version, hash) VALUES ($1, 1, '\\x00')
                      ON CONFLICT (stream) DO UPDATE SET version = stream_head.version + 1 RETURNING version)
     INSERT INTO event (position, stream, version, type, schema, observed_at, body, hash, recorded_at)
     SELECT position, $1, version, $2, 1, recorded_at, $3::json, '\\x00', recorded_at FROM log_end, stream_end`,
    [stream, type, body],
  );
}
