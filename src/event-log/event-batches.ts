import type { Database } from '../platform/sql.js';
import { BODY_BYTES } from './log-pages.js';
import { type LogRow, SELECT_EVENT } from './logged-event.js';

/** Bytes of events in memory at once; a single event can contain a list of 32 MB. */
const BYTES_AT_ONCE = 32 * 1_048_576;
const EVENTS_AT_ONCE = 50;

/** The size of an event's body as text, in bytes. */
export interface EventSize {
  readonly position: bigint;
  readonly bytes: number;
}

/** The sizes of the events at these positions; positions without an event are left out. */
export function readEventSizes(
  source: Pick<Database, 'query'>,
  positions: readonly bigint[],
): Promise<EventSize[]> {
  return source.query<EventSize[]>(
    `SELECT position, ${BODY_BYTES} AS bytes FROM event WHERE position = ANY ($1::bigint[]) ORDER BY position`,
    [positions],
  );
}

/**
 * Bytes of memory needed to read events and keep a part of them.
 * @param mostKept upper bound for the bytes of that part
 */
export function bytesToRead(events: readonly EventSize[], mostKept: number): number {
  const all = events.reduce((sum, { bytes }) => sum + bytes, 0);
  return Math.min(all, mostKept + BYTES_AT_ONCE);
}

/** Reads events in batches that fit into memory. */
export async function* readEventBatches(
  source: Pick<Database, 'query'>,
  events: readonly EventSize[],
): AsyncGenerator<readonly LogRow[]> {
  for (let next = 0; next < events.length;) {
    const batch: bigint[] = [];
    let bytes = 0;
    for (; next < events.length && batch.length < EVENTS_AT_ONCE; next += 1) {
      const event = events[next];
      if (!event || (batch.length > 0 && bytes + event.bytes > BYTES_AT_ONCE)) break;
      batch.push(event.position);
      bytes += event.bytes;
    }
    yield source.query<LogRow[]>(`${SELECT_EVENT} WHERE position = ANY ($1::bigint[])`, [batch]);
  }
}
