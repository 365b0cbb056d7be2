import { member, UnreadableField, type WireObject } from './wire-values.js';

/** Encodings in which nodes write byte strings. Base64 covers its URL alphabet too, with and without padding. */
export type BytesEncoding = 'base64' | 'hex';

// A search for the first wrong character needs no backtracking, so a value of many megabytes costs one pass.
const NOT_HEX = /[^0-9a-fA-F]/;
const NOT_BASE64 = /[^A-Za-z0-9+/_-]/;
const HEX_PREFIX = /^0x/i;

/** Lengths that hashes, addresses, keys and signatures have in any known scheme. */
const USUAL_LENGTHS: ReadonlySet<number> = new Set([20, 32, 33, 36, 37, 64, 65]);

/**
 * Detects how a node writes bytes, by the first of `samples` whose length decides it. 32 bytes are 44 or 43 characters of
 * base64, or 64 of hex. Null if no sample decides it.
 */
export function detectEncoding(samples: readonly unknown[]): BytesEncoding | null {
  for (const sample of samples) {
    if (typeof sample !== 'string' || sample === '') continue;
    const hexDigits = withoutPrefix(sample);
    const base64Digits = withoutPadding(sample);
    const isHex = USUAL_LENGTHS.has(hexDigits.length / 2) && !NOT_HEX.test(hexDigits);
    const isBase64 = USUAL_LENGTHS.has(base64Length(base64Digits)) && !NOT_BASE64.test(base64Digits);
    if (isHex !== isBase64) return isHex ? 'hex' : 'base64';
  }
  return null;
}

/** Signatures of all known schemes, including post-quantum ones, are shorter. */
const LONGEST_BYTES = 65_536;

/**
 * A member that is a hash, an address, a key or a signature, as lower-case hex; a missing member counts as empty. If only one
 * encoding explains the length, that encoding is used, else the encoding of the rest of the answer. Throws `UnreadableField`,
 * also for more than `longest` bytes.
 */
export function readHex(
  object: WireObject,
  name: string,
  encoding: BytesEncoding | null,
  longest = LONGEST_BYTES,
): string {
  const value = member(object, name) ?? '';
  const bytes = toBytes(value, name, detectEncoding([value]) ?? encoding);
  if (bytes.length > longest) {
    throw new UnreadableField(name, `is ${bytes.length} bytes long, more than ${longest}`);
  }
  return bytes.toString('hex');
}

/**
 * Decodes bytes of any length. If the encoding is unknown, text with the prefix `0x` is hex, other text base64, which the real
 * node writes. Text that is invalid in one encoding is read in the other. Throws `UnreadableField`.
 */
export function toBytes(value: unknown, name: string, encoding: BytesEncoding | null): Buffer {
  if (typeof value !== 'string') throw new UnreadableField(name, 'is not a byte string');
  const isHex = encoding === 'hex' || (encoding === null && HEX_PREFIX.test(value));
  const bytes = isHex ? (fromHex(value) ?? fromBase64(value)) : (fromBase64(value) ?? fromHex(value));
  if (!bytes) throw new UnreadableField(name, 'is neither base64 nor hex');
  return bytes;
}

/** Bytes of a field that a real node writes in hex; base64 is accepted if only base64 fits. */
export function fromAnyHex(text: string, name: string): Buffer {
  return toBytes(text, name, 'hex');
}

function fromHex(text: string): Buffer | undefined {
  const digits = withoutPrefix(text);
  return digits.length % 2 === 0 && !NOT_HEX.test(digits) ? Buffer.from(digits, 'hex') : undefined;
}

function fromBase64(text: string): Buffer | undefined {
  const digits = withoutPadding(text);
  return base64Length(digits) >= 0 && !NOT_BASE64.test(digits) ? Buffer.from(digits, 'base64') : undefined;
}

function withoutPrefix(text: string): string {
  return HEX_PREFIX.test(text) ? text.slice(2) : text;
}

function withoutPadding(text: string): string {
  return text.endsWith('==') ? text.slice(0, -2) : text.endsWith('=') ? text.slice(0, -1) : text;
}

/** Number of bytes that unpadded base64 digits encode; -1 for an impossible number of digits. */
function base64Length(digits: string): number {
  return digits.length % 4 === 1 ? -1 : Math.floor((digits.length * 3) / 4);
}
