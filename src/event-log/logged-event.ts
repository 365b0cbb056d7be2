import { DecodeError, decoding } from '../domain/decode-error.js';
import { findMisshapen } from '../domain/event-shape.js';
import type { EventType, RecordedEvent, NewEvent } from '../domain/events.js';
import { selectList } from '../platform/rows/row-columns.js';
import { EventEntity } from '../tables/log.entities.js';
import { isNestedTooDeep } from '../domain/exact-json.js';
import { scanRows } from '../domain/submissions/row-scanner.js';

/** A row of `event` as `SELECT_EVENT` reads it: its body is the text that is stored. */
export type LogRow = Omit<EventEntity, 'body'> & { readonly body: string };

/** SQL: the columns of an event without its body. */
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

/** Turns a row into an event; `decode` reads its body. */
export function toRecordedEvent(
  row: LogRow,
  decode: (type: EventType, text: string) => RecordedEvent['body'],
): RecordedEvent {
  const { hash: _hash, body, ...event } = row;
  return { ...event, body: decode(row.type as EventType, body) } as RecordedEvent;
}

/** An event of the log whose body cannot be read. */
type UnreadableEvent = Omit<RecordedEvent, 'body'> & { readonly decodeError: DecodeError };

/** An event as readers of the log get it. An event with an unreadable body must not block the events after it. */
export type LoggedEvent = RecordedEvent | UnreadableEvent;

/** Turns a row of the log into an event; if its body cannot be read, the event has a `decodeError` instead. */
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
  if (misshapen !== undefined) throw new DecodeError(`its ${misshapen} has an unexpected form`);
  return body;
}

/** The version of each event type's body that this program writes. */
export const CURRENT_SCHEMA = 1;

/** Escapes of code points that Postgres accepts in `json` but refuses as soon as the value is read as text. */
const UNSTORABLE =
  /\\u0000|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}/;
const UNSTORABLE_ALL = new RegExp(UNSTORABLE, 'g');
const ROWS_MEMBER = ',"rows":';

/**
 * The text that is stored as an event's body. Rows of submissions are inserted as the node sent them, without being parsed and
 * serialised again.
 */
export function encodeBody(event: NewEvent): string {
  if (event.type === 'SubmissionsObserved') return encodeSubmissions(event.body);
  const text = JSON.stringify(event.body);
  if (!UNSTORABLE.test(text)) return text;
  const storable = text.replace(UNSTORABLE_ALL, '\\ufffd');
  return `${storable.slice(0, -1)},"original":"${Buffer.from(text).toString('base64')}"}`;
}

function encodeSubmissions(body: Extract<NewEvent, { type: 'SubmissionsObserved' }>['body']): string {
  const { rows, originals: sent, ...head } = body;
  const originals: Record<string, string> = { ...sent };
  const texts = rows.map((row, index) => {
    const text = isJson(row) ? row : JSON.stringify(row);
    if (!UNSTORABLE.test(text)) return text;
    originals[index] ??= Buffer.from(row).toString('base64');
    return text.replace(UNSTORABLE_ALL, '\\ufffd');
  });
  const members = Object.keys(originals).length > 0 ? { ...head, originals } : head;
  return `${JSON.stringify(members).slice(0, -1)}${ROWS_MEMBER}[${texts.join(',')}]}`;
}

/** Whether a row can be stored as JSON unchanged; the database refuses very deep nesting. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return !text.startsWith('"') && !isNestedTooDeep(text);
  } catch {
    return false;
  }
}

/** The inverse of `encodeBody`: the body of a stored event of the given type. */
export function decodeBody(type: EventType, text: string): RecordedEvent['body'] {
  if (type !== 'SubmissionsObserved') return JSON.parse(text) as RecordedEvent['body'];
  // Everything before the rows was written by us and holds no free text, so the first match is the member itself.
  const at = text.indexOf(ROWS_MEMBER);
  const head = JSON.parse(`${text.slice(0, at)}}`) as { originals?: Record<string, string> };
  const rows = scanRows(text.slice(at + ROWS_MEMBER.length, -1)).rows.map((row) =>
    row.startsWith('"') ? (JSON.parse(row) as string) : row,
  );
  for (const [index, original] of Object.entries(head.originals ?? {})) {
    rows[Number(index)] = Buffer.from(original, 'base64').toString();
  }
  return { ...head, rows } as unknown as RecordedEvent['body'];
}
