import type { EventType, RecordedEvent } from '../domain/events.js';

/** A row of `event` as `SELECT_EVENT` reads it; 64-bit integers come as text. */
export interface LogRow {
  readonly position: string;
  readonly stream: string;
  readonly version: string;
  readonly type: string;
  readonly schema: number;
  readonly observed_at: string;
  readonly recorded_at: string;
  readonly body: string;
  readonly hash: Buffer;
}

/** Reads events with times as Unix microseconds and the body's text as stored. A WHERE clause follows. */
export const SELECT_EVENT = `
  SELECT position, stream, version, type, schema, hash, body::text AS body,
         (extract(epoch FROM observed_at) * 1000000)::bigint AS observed_at,
         (extract(epoch FROM recorded_at) * 1000000)::bigint AS recorded_at
    FROM event`;

/** Turns a row into an event, its body by `decode`. */
export function toRecordedEvent(
  row: LogRow,
  decode: (type: EventType, schema: number, text: string) => RecordedEvent['body'],
): RecordedEvent {
  const type = row.type as EventType;
  return {
    position: BigInt(row.position),
    stream: row.stream,
    version: BigInt(row.version),
    type,
    schema: row.schema,
    observedAt: BigInt(row.observed_at),
    recordedAt: BigInt(row.recorded_at),
    body: decode(type, row.schema, row.body),
  } as RecordedEvent;
}
