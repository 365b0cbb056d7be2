import { DecodeError, decoding } from '../domain/decode-error.js';
import { findMisshapen } from '../domain/event-shape.js';
import type { EventType, RecordedEvent } from '../domain/events.js';
import { selectList } from '../platform/rows/row-columns.js';
import { EventEntity } from '../tables/log/event.entity.js';
import { decodeBody } from './event-codec.js';

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

/** An event of the log whose body cannot be read. */
type UnreadableEvent = Omit<RecordedEvent, 'body'> & { readonly decodeError: DecodeError };

/** An event as a reader of the log gets it: one whose body cannot be read must not keep it from those behind. */
export type LoggedEvent = RecordedEvent | UnreadableEvent;

/** Turns a row of the log into an event, which carries why its body cannot be read if that is so. */
export function toLoggedEvent(row: LogRow): LoggedEvent {
  try {
    return toRecordedEvent(row, (type, text) =>
      decoding(`The body of a ${type}`, () => decodeWhole(type, text)),
    );
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    const { body: _, ...head } = toRecordedEvent(row, () => ({}));
    return { ...head, decodeError: error };
  }
}

function decodeWhole(type: EventType, text: string): RecordedEvent['body'] {
  const body = decodeBody(type, text);
  const misshapen = findMisshapen(type, body);
  if (misshapen !== undefined) throw new DecodeError(`its ${misshapen} is not what it should be`);
  return body;
}
