import type { EventType, RecordedEvent } from '../domain/events.js';
import { selectList } from '../platform/rows/row-columns.js';
import { EventEntity } from '../tables/log/event.entity.js';

/** A row of `event` as `SELECT_EVENT` reads it: its body is the text that is stored. */
export type LogRow = Omit<EventEntity, 'body'> & { readonly body: string };

/** What a row of the log holds but its body. */
export const EVENT_HEAD = selectList(EventEntity, 'e', [
  'position',
  'stream',
  'version',
  'type',
  'schema',
  'observedAt',
  'recordedAt',
  'hash',
]);

/** Reads events with the body's text as stored. A WHERE clause follows. */
export const SELECT_EVENT = `SELECT ${EVENT_HEAD}, e.body::text AS body FROM event e`;

/** Turns a row into an event, its body by `decode`. */
export function toRecordedEvent(
  row: LogRow,
  decode: (type: EventType, text: string) => RecordedEvent['body'],
): RecordedEvent {
  const { hash: _hash, body, ...event } = row;
  return { ...event, body: decode(row.type as EventType, body) } as RecordedEvent;
}
