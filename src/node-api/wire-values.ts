import { HIGHEST_HEIGHT } from '../domain/bounds.js';
import { hidesSomething } from '../domain/printable-text.js';
import { nanosByMagnitude, type Nanos, parseTime } from '../domain/time.js';

/** A JSON object as it came: nothing about its members is known yet. */
export type WireObject = Readonly<Record<string, unknown>>;

/** A member that cannot be read; `field` names it as the real node does. */
export class UnreadableField extends Error {
  constructor(
    readonly field: string,
    reason: string,
  ) {
    super(`${field} ${reason}`);
  }
}

const MAX_UINT64 = 2n ** 64n - 1n;
const LONGEST_CHAIN_ID = 256;
/** Matches times that include seconds. */
const TO_THE_SECOND = /:\d\d:\d\d(?:[.,]\d{1,18})?(?:Z|[+-]\d\d:?\d\d)?$/i;

export function isObject(value: unknown): value is WireObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member by its camelCase name or its snake_case twin; undefined when left out or null. */
export function member(object: WireObject, name: string): unknown {
  const value = object[name] ?? object[snakeCase(name)];
  return value ?? undefined;
}

const snakeNames = new Map<string, string>();

/** `lastHeaderHash` -> `last_header_hash`. */
export function snakeCase(name: string): string {
  let snake = snakeNames.get(name);
  if (snake === undefined) {
    snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, snake);
  }
  return snake;
}

/** A member that is an object; left out counts as empty. Throws `UnreadableField`. */
export function readObject(object: WireObject, name: string): WireObject {
  const value = member(object, name) ?? {};
  if (!isObject(value)) throw new UnreadableField(name, 'is not an object');
  return value;
}

/** Text; left out counts as empty. Throws `UnreadableField`. */
export function readText(object: WireObject, name: string): string {
  const value = member(object, name) ?? '';
  if (typeof value !== 'string') throw new UnreadableField(name, 'is not text');
  return value;
}

/** A chain's id; left out counts as empty. Throws `UnreadableField` for text that cannot be a chain id. */
export function readChainId(object: WireObject, name: string): string {
  const text = readText(object, name);
  if (text.length > LONGEST_CHAIN_ID || hidesSomething(text)) {
    throw new UnreadableField(name, 'is not the name of a chain');
  }
  return text;
}

/** An unsigned 64-bit integer sent as a number or as text; left out counts as 0. Throws `UnreadableField`. */
export function readUint64(object: WireObject, name: string): bigint {
  return toUint64(member(object, name) ?? 0, name);
}

/** A height; left out counts as 0. Throws `UnreadableField` for a number beyond all heights. */
export function readHeight(object: WireObject, name: string): bigint {
  const height = readUint64(object, name);
  if (height > HIGHEST_HEIGHT) throw new UnreadableField(name, 'is too large for a height');
  return height;
}

function toUint64(value: unknown, name: string): bigint {
  let integer: bigint;
  if (typeof value === 'bigint') {
    integer = value;
  } else if (typeof value === 'number' && Number.isSafeInteger(value)) {
    integer = BigInt(value);
  } else if (typeof value === 'string' && /^[+-]?\d{1,20}$/.test(value)) {
    integer = BigInt(value.replace('+', ''));
  } else {
    throw new UnreadableField(name, 'is not an integer');
  }
  if (integer < 0n || integer > MAX_UINT64) {
    throw new UnreadableField(name, integer < 0n ? 'is negative' : 'is beyond 64 bits');
  }
  return integer;
}

/**
 * A time, sent as an integer (seconds, milliseconds, microseconds or nanoseconds, distinguished by magnitude) or as ISO text.
 * The text has up to 18 decimals, of which the first nine count; without a zone it is UTC. A missing time and the year 1 count
 * as 0. Throws `UnreadableField`.
 */
export function readTimeNs(object: WireObject, name: string): Nanos {
  const value = member(object, name) ?? 0;
  return typeof value === 'string' && !/^[+-]?\d+$/.test(value)
    ? isoToNs(value, name)
    : nanosByMagnitude(toUint64(value, name));
}

function isoToNs(text: string, name: string): Nanos {
  if (text === '' || text.startsWith('0001-01-01T00:00:00')) return 0n;
  const ns = TO_THE_SECOND.test(text) ? parseTime(text, 'rolling') : undefined;
  if (ns === undefined) throw new UnreadableField(name, 'is not a time');
  if (ns < 0n) throw new UnreadableField(name, 'is before 1970');
  return ns;
}
