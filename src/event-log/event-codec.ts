import type { EventType, NewEvent, RecordedEvent } from '../domain/events.js';
import { isNestedTooDeep } from '../domain/exact-json.js';
import { scanRows } from '../domain/submissions/row-scanner.js';

/** The version of each event type's body that this program writes. */
export const CURRENT_SCHEMA = 1;

/** Escapes of code points that Postgres accepts in `json` but refuses as soon as the value is read as text. */
const UNSTORABLE =
  /\\u0000|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}/;
const UNSTORABLE_ALL = new RegExp(UNSTORABLE, 'g');
const ROWS_MEMBER = ',"rows":';

/**
 * The text under which an event's body is stored.
 * Rows of submissions are put in as the node sent them, without being parsed and printed again.
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

/** Whether a row can stand in the log as the JSON that it is; the database refuses what is nested very deep. */
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
