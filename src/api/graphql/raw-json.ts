import { randomBytes } from 'node:crypto';

/** Marks the places of raw texts while the rest is printed. Nobody outside this process can guess it. */
const MARK = randomBytes(12).toString('hex');
const PLACES = new RegExp(`"${MARK}:(\\d+)"`, 'g');

/** The raw texts of the value that is being printed; undefined while another serialiser prints. */
let found: string[] | undefined;

/** JSON text that goes into an answer as it is, so that no digit of what a node sent passes through a double. */
export class RawJson {
  /** @param text must be JSON */
  constructor(readonly text: string) {}

  /** Its place, or what a serialiser prints that does not know this class. */
  toJSON(): unknown {
    return found === undefined ? JSON.parse(this.text) : `${MARK}:${found.push(this.text) - 1}`;
  }
}

/** `JSON.stringify` with raw texts in their places; undefined for what JSON does not have. */
function stringifyWithRaw(value: unknown): string | undefined {
  const texts: string[] = [];
  found = texts;
  try {
    // Nothing else runs until it is printed.
    const json = JSON.stringify(value) as string | undefined;
    return texts.length === 0
      ? json
      : json?.replace(PLACES, (_place, index: string) => texts[Number(index)] ?? 'null');
  } finally {
    found = undefined;
  }
}

/** Characters of a piece, about. */
const PIECE_LENGTH = 65_536;

/** Characters of elements that are handed on together, about. */
const HANDED_ON = PIECE_LENGTH / 64;

/**
 * The text that `JSON.stringify` would give, with raw texts in their places, in pieces of about 65,536 characters. An
 * element of a list is never cut, so that printing a piece is short where the elements are.
 * @param value an object or a list
 */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece: string[] = [];
  let length = 0;
  for (const token of jsonTokens(value)) {
    piece.push(token);
    length += token.length;
    if (length < PIECE_LENGTH) continue;
    yield piece.join('');
    piece = [];
    length = 0;
  }
  if (length > 0) yield piece.join('');
}

/** Objects member by member down to the first list on the way, and that element by element. */
function* jsonTokens(value: unknown): Generator<string> {
  if (Array.isArray(value)) {
    yield '[';
    yield* elementTokens(value);
    yield ']';
  } else if (typeof value !== 'object' || value === null || 'toJSON' in value) {
    yield stringifyWithRaw(value) ?? 'null';
  } else {
    yield* memberTokens(value);
  }
}

/** Elements one by one, short ones handed on together. */
function* elementTokens(list: readonly unknown[]): Generator<string> {
  let printed = '';
  for (const [index, element] of list.entries()) {
    printed += `${index === 0 ? '' : ','}${stringifyWithRaw(element) ?? 'null'}`;
    if (printed.length < HANDED_ON) continue;
    yield printed;
    printed = '';
  }
  yield printed;
}

function* memberTokens(value: object): Generator<string> {
  yield '{';
  let comma = '';
  for (const [name, member] of Object.entries(value) as [string, unknown][]) {
    if (member === undefined || typeof member === 'function' || typeof member === 'symbol') continue;
    yield `${comma}${JSON.stringify(name)}:`;
    yield* jsonTokens(member);
    comma = ',';
  }
  yield '}';
}
