import { DecodeError, decoding } from '../domain/decode-error.js';
import { findMisshapen } from '../domain/event-shape.js';
import type { EventType, RecordedEvent } from '../domain/events.js';
import { decodeBody } from './event-codec.js';
import { type LogRow, toRecordedEvent } from './log-row.js';

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
