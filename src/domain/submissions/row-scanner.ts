import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  endOfString,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  tryParseExactJson,
  type JsonValue,
} from '../exact-json.js';

/** A submissions answer, split into its rows without parsing them. */
export interface ScannedRows {
  /** The text of each row as sent, in the order sent. A row that is not JSON is included if its brackets close. */
  readonly rows: readonly string[];
  /** Whether the list and the document around it are closed. Also false if no list was found, which proves nothing. */
  readonly complete: boolean;
  /** The members around the list (`total`, `is_aggregator`, `message`), without those that are not JSON. */
  readonly rest: Readonly<Record<string, JsonValue>>;
}

interface TextSpan {
  readonly start: number;
  /** Index after the last character; -1 if the text ended or broke before the value did. */
  readonly end: number;
  /** Rows of a member that may be the list. */
  readonly rows?: readonly string[];
}

interface RowMembers {
  readonly spans: ReadonlyMap<string, TextSpan>;
  readonly isClosed: boolean;
}

const COMMA = 0x2c;
const COLON = 0x3a;
/** Members that may hold the list, the likeliest first. */
const LIST_NAMES = ['submissions', 'data', 'result'];

/**
 * Finds the list of submissions (a bare list, or under `submissions`, `data` or `result.submissions`) and cuts it into
 * rows. A truncated body gives the rows before the break and `complete: false`. A blank body, an empty object and `null` in
 * place of the list count as an empty list. Never throws; time is linear in the length.
 */
export function scanRows(body: string): ScannedRows {
  const start = skipBlanks(body, body.charCodeAt(0) === 0xfeff ? 1 : 0);
  if (start === body.length) return { rows: [], complete: true, rest: {} };
  if (body.charCodeAt(start) === OPEN_BRACKET) {
    const list = scanList(body, start);
    return { rows: list.rows, complete: list.end >= 0 && isAllRead(body, list.end), rest: {} };
  }
  return scanDocument(body, start, true);
}

/** Scans the document, or (one level down only) the document under its `result` or `data`. */
function scanDocument(body: string, start: number, isOutermost: boolean): ScannedRows {
  const { spans, isClosed } = scanMembers(body, start);
  const rest = parseMembers(body, spans);
  for (const name of LIST_NAMES) {
    const span = spans.get(name);
    if (span?.rows) return { rows: span.rows, complete: isClosed, rest };
    const isObject = span && body.charCodeAt(span.start) === OPEN_BRACE;
    if (isObject && isOutermost && name !== 'submissions') {
      const inner = scanDocument(span.end < 0 ? body : body.slice(0, span.end), span.start, false);
      return { rows: inner.rows, complete: inner.complete && isClosed, rest: { ...rest, ...inner.rest } };
    }
  }
  return { rows: [], complete: isClosed && isEmptyList(spans, rest), rest };
}

/** An object without a list has no rows if the list is `null`, the total is 0, or the object has no members. */
function isEmptyList(spans: RowMembers['spans'], rest: ScannedRows['rest']): boolean {
  const namesNoList = !LIST_NAMES.some((name) => spans.has(name));
  return spans.size === 0 || rest.submissions === null || (rest.total === 0 && namesNoList);
}

function parseMembers(body: string, spans: RowMembers['spans']): Record<string, JsonValue> {
  const rest: [string, JsonValue][] = [];
  for (const [name, { start, end, rows }] of spans) {
    const holdsList = rows || (LIST_NAMES.includes(name) && body.charCodeAt(start) === OPEN_BRACE);
    const value = holdsList || end < 0 ? undefined : tryParseExactJson(body.slice(start, end));
    if (value !== undefined) rest.push([name, value]);
  }
  return Object.fromEntries(rest);
}

/** The members of the object at `start`. With two of one name the last counts, as for `JSON.parse`. */
function scanMembers(body: string, start: number): RowMembers {
  const spans = new Map<string, TextSpan>();
  let at = body.charCodeAt(start) === OPEN_BRACE ? skipBlanks(body, start + 1) : body.length;
  if (body.charCodeAt(at) === CLOSE_BRACE) return { spans, isClosed: isAllRead(body, at + 1) };
  while (body.charCodeAt(at) === QUOTE) {
    const nameEnd = skipString(body, at);
    const name = nameEnd < 0 ? undefined : tryParseExactJson(body.slice(at, nameEnd));
    const colon = skipBlanks(body, nameEnd);
    if (typeof name !== 'string' || body.charCodeAt(colon) !== COLON) break;
    const span = scanMember(body, name, skipBlanks(body, colon + 1));
    spans.set(name, span);
    const next = span.end < 0 ? body.length : skipBlanks(body, span.end);
    if (body.charCodeAt(next) === CLOSE_BRACE) return { spans, isClosed: isAllRead(body, next + 1) };
    at = body.charCodeAt(next) === COMMA ? skipBlanks(body, next + 1) : body.length;
  }
  return { spans, isClosed: false };
}

/** Cuts the list into rows at once, so that no text is scanned twice. */
function scanMember(body: string, name: string, start: number): TextSpan {
  const isList = LIST_NAMES.includes(name) && body.charCodeAt(start) === OPEN_BRACKET;
  return isList ? { start, ...scanList(body, start) } : { start, end: skipValue(body, start) };
}

/** The rows of the list at `start`; a row counts only if a comma or the list's end follows. */
function scanList(body: string, start: number): { rows: string[]; end: number } {
  const rows: string[] = [];
  let at = skipBlanks(body, start + 1);
  if (body.charCodeAt(at) === CLOSE_BRACKET) return { rows, end: at + 1 };
  while (at < body.length) {
    const end = skipValue(body, at);
    const next = end < 0 ? body.length : skipBlanks(body, end);
    const separator = body.charCodeAt(next);
    if (separator !== COMMA && separator !== CLOSE_BRACKET) break;
    rows.push(body.slice(at, end));
    if (separator === CLOSE_BRACKET) return { rows, end: next + 1 };
    at = skipBlanks(body, next + 1);
  }
  return { rows, end: -1 };
}

/** Index after the value at `start`; -1 if the text ends first. */
function skipValue(body: string, start: number): number {
  const first = body.charCodeAt(start);
  if (first === QUOTE) return skipString(body, start);
  return first === OPEN_BRACE || first === OPEN_BRACKET ? skipNested(body, start) : skipWord(body, start);
}

function skipNested(body: string, start: number): number {
  let depth = 0;
  for (let at = start; at < body.length; at += 1) {
    const code = body.charCodeAt(at);
    if (code === QUOTE) {
      at = skipString(body, at) - 1;
      if (at < 0) return -1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      depth += 1;
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** Index after the string at `start`; -1 if the text ends first. */
function skipString(body: string, start: number): number {
  const end = endOfString(body, start);
  return end < body.length ? end + 1 : -1;
}

/** A number, `true`, `null`, or any other run up to a blank, comma or bracket; -1 where there is none. */
function skipWord(body: string, start: number): number {
  let at = start;
  while (at < body.length && !isBlank(body.charCodeAt(at)) && !',]}[{:"'.includes(body.charAt(at))) at += 1;
  return at === start ? -1 : at;
}

function skipBlanks(body: string, start: number): number {
  let at = start;
  while (isBlank(body.charCodeAt(at))) at += 1;
  return at;
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

function isAllRead(body: string, end: number): boolean {
  return skipBlanks(body, end) === body.length;
}
