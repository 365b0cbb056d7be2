/** Answers of nodes are not nested a tenth as deep; parsers and the database fail at some thousand levels. */
const DEEPEST_NESTING = 200;

export const QUOTE = 0x22;
const BACKSLASH = 0x5c;
export const OPEN_BRACKET = 0x5b;
export const CLOSE_BRACKET = 0x5d;
export const OPEN_BRACE = 0x7b;
export const CLOSE_BRACE = 0x7d;

/** Whether a JSON text is nested so deeply that a later reader might fail on it. Linear in the length. */
export function isNestedTooDeep(text: string): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      at = endOfString(text, at);
    } else if (code === OPEN_BRACKET || code === OPEN_BRACE) {
      depth += 1;
      if (depth > DEEPEST_NESTING) return true;
    } else if (code === CLOSE_BRACKET || code === CLOSE_BRACE) {
      depth -= 1;
    }
  }
  return false;
}

/**
 * Index of the end of the string that begins at `start`, the first quote after an even number of backslashes; the length of the
 * text if it has none.
 */
export function endOfString(text: string, start: number): number {
  let quote = text.indexOf('"', start + 1);
  while (quote >= 0) {
    let backslashes = 0;
    while (text.charCodeAt(quote - 1 - backslashes) === BACKSLASH) backslashes += 1;
    if (backslashes % 2 === 0) return quote;
    quote = text.indexOf('"', quote + 1);
  }
  return text.length;
}

/** Any JSON value. Numbers of sixteen digits or more are strings here: see `parseExactJson`. */
export type JsonValue = null | boolean | number | string | JsonValue[] | { [name: string]: JsonValue };

/** A number outside of strings that may have more digits than a double keeps. False alarms only cost time. */
const MAY_HOLD_LONG_NUMBER = /(?:^|[:,[\s])-?[\d.]{16}/;
/** A string or a number; strings are matched so that their contents are skipped. */
const STRING_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]*(?:[eE][+-]?\d+)?/g;
const LONG_NUMBER = 16;

/**
 * `JSON.parse` that loses no digit. A number of 16 digits or more becomes a string with its original text, so
 * 9007199254740993 stays exact. Throws `SyntaxError` where `JSON.parse` does.
 */
export function parseExactJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return MAY_HOLD_LONG_NUMBER.test(text) ? (JSON.parse(quoteLongNumbers(text)) as JsonValue) : value;
}

/** Like `parseExactJson`, but undefined where the text is not JSON. Never throws. */
export function tryParseExactJson(text: string): JsonValue | undefined {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/**
 * One text for all ways to write the same value: no blanks, members sorted by name, one way to escape. Text that is not
 * JSON (or is nested deeper than the stack) is only trimmed. Never throws.
 *
 * @param value the parsed text, if it is known already
 */
export function canonicalJson(text: string, value = tryParseExactJson(text)): string {
  try {
    return value === undefined ? text.trim() : writeSorted(value);
  } catch {
    return text.trim();
  }
}

/** Called only on text that `JSON.parse` accepts, so every match outside of a string is a well-formed number. */
function quoteLongNumbers(text: string): string {
  return text.replace(STRING_OR_NUMBER, (token) =>
    token.length >= LONG_NUMBER && !token.startsWith('"') ? `"${token}"` : token,
  );
}

/** Runs for every recorded row: building a new object with sorted members would take three times as long. */
function writeSorted(value: JsonValue): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(writeSorted).join(',')}]`;
  const members = sortedNames(value).map(
    (name) => `${JSON.stringify(name)}:${writeSorted(value[name] ?? null)}`,
  );
  return `{${members.join(',')}}`;
}

/** Integer names first, in the order that every object gives them, then the others sorted. */
function sortedNames(value: object): string[] {
  const names = Object.keys(value);
  const first = names.findIndex((name) => !isIndex(name));
  if (first === 0) return names.sort();
  return first === -1 ? names : [...names.slice(0, first), ...names.slice(first).sort()];
}

function isIndex(name: string): boolean {
  const index = Number(name) >>> 0;
  return String(index) === name && index < 2 ** 32 - 1;
}
