import { randomBytes } from 'node:crypto';

/** Marks the places of raw texts while the rest is printed. Nobody outside this process can guess the mark. */
const MARK = randomBytes(12).toString('hex');
const PLACES = new RegExp(`"${MARK}:(\\d+)"`, 'g');

/** The raw texts of the value being printed; undefined while another serializer prints. */
let found: string[] | undefined;

/** JSON text that is copied into a response unchanged, so that no digit that a node sent passes through a double. */
export class RawJson {
  /** @param text must be JSON */
  constructor(readonly text: string) {}

  /** The mark of this text; for other serializers, the parsed value. */
  toJSON(): unknown {
    return found === undefined ? JSON.parse(this.text) : `${MARK}:${found.push(this.text) - 1}`;
  }
}

/** Like `JSON.stringify`, with raw texts inserted unchanged; undefined for values that JSON does not have. */
function stringifyWithRaw(value: unknown): string | undefined {
  const texts: string[] = [];
  found = texts;
  try {
    // Synchronous: nothing else runs until it is printed.
    const json = JSON.stringify(value) as string | undefined;
    return texts.length === 0
      ? json
      : json?.replace(PLACES, (_place, index: string) => texts[Number(index)] ?? 'null');
  } finally {
    found = undefined;
  }
}

/** Approximate characters of a piece. */
const PIECE_LENGTH = 65_536;

/** Approximate characters of elements that are passed on together. */
const HANDED_ON = PIECE_LENGTH / 64;

/**
 * The text that `JSON.stringify` would return, with raw texts inserted unchanged, in pieces of about 65,536 characters. A list
 * element is never split, so printing a piece is short if the elements are.
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

/** Splits objects into members down to the first list on the way, and that list into elements. */
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

/** Prints elements one by one and passes short ones on together. */
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
