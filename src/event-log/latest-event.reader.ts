import type { EventType, RecordedEvent } from '../domain/events.js';
import type { Micros } from '../domain/time.js';
import type { Database } from '../platform/sql.js';
import { decodeBody, type LogRow, SELECT_EVENT, toRecordedEvent } from './logged-event.js';
import { findVersionsAt } from './stream-versions.js';

/** Events of a stream that are looked back over: the log has no index of types. */
export const MOST_EVENTS = 2_000n;

/** Where a stream was at a moment: its last event whose look was at that moment or before it. */
interface StreamPlace {
  readonly version: bigint;
  readonly position: bigint;
}

type Source = Pick<Database, 'query'>;

/**
 * Finds where a stream was at a moment; undefined before its first event.
 * @param at on the observer's clock
 */
export async function findPlaceAt(
  source: Source,
  stream: string,
  at: Micros,
): Promise<StreamPlace | undefined> {
  const version = (await findVersionsAt(source, [stream], at)).get(stream) ?? 0n;
  const rows = await source.query<StreamPlace[]>(
    'SELECT version, position FROM event WHERE stream = $1 AND version = $2',
    [stream, version],
  );
  return rows[0];
}

/** The last event of a type at a place of its stream or before it; undefined where none is near. */
export async function findLatestEvent<T extends EventType>(
  source: Source,
  stream: string,
  type: T,
  { version }: StreamPlace,
): Promise<Extract<RecordedEvent, { type: T }> | undefined> {
  const rows = await source.query<LogRow[]>(
    `${SELECT_EVENT} WHERE e.stream = $1 AND e.version <= $2 AND e.version > $3 AND e.type = $4
      ORDER BY e.version DESC LIMIT 1`,
    [stream, version, version - MOST_EVENTS, type],
  );
  return rows.map((row) => toRecordedEvent(row, decodeBody) as Extract<RecordedEvent, { type: T }>)[0];
}

/** The first event of a type behind a version of its stream; undefined where none is near. */
export async function findNextEvent<T extends EventType>(
  source: Source,
  stream: string,
  type: T,
  version: bigint,
): Promise<Extract<RecordedEvent, { type: T }> | undefined> {
  const rows = await source.query<LogRow[]>(
    `${SELECT_EVENT} WHERE e.stream = $1 AND e.version > $2 AND e.version <= $3 AND e.type = $4
      ORDER BY e.version LIMIT 1`,
    [stream, version, version + MOST_EVENTS, type],
  );
  return rows.map((row) => toRecordedEvent(row, decodeBody) as Extract<RecordedEvent, { type: T }>)[0];
}

/** The event of a position. */
export async function findEvent(source: Source, position: bigint): Promise<RecordedEvent | undefined> {
  const rows = await source.query<LogRow[]>(`${SELECT_EVENT} WHERE e.position = $1`, [position]);
  return rows.map((row) => toRecordedEvent(row, decodeBody))[0];
}
