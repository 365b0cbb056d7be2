import { HIGHEST_HEIGHT } from '../../domain/bounds.js';

/** A field that could be read, or what is wrong with it. */
export type ParsedField<T> = { readonly value: T } | { readonly fault: string };

/** More utia than there will ever be. */
const MOST_DIGITS = 18;
const NAMESPACE_BYTES = 29;
const NAMESPACE_ID_BYTES = 28;
/** Free bytes of an id of version 0; the bytes before them are 0. */
const SHORT_ID_BYTES = 10;
const HASH_BYTES = 32;

/** A DA height: a whole number from 1 on. */
export function readHeight(text: string): ParsedField<string> {
  if (text === '') return { fault: 'has no DA height' };
  const digits = wholeNumber(text);
  if (digits === undefined) return { fault: `${quote(text)} is not a DA height` };
  const height = BigInt(digits);
  if (height === 0n) return { fault: 'the DA height is 0; DA heights count from 1' };
  return height > HIGHEST_HEIGHT
    ? { fault: `${quote(text)} is not a DA height` }
    : { value: height.toString() };
}

/** A fee as utia, exact. 1 TIA is 1,000,000 utia; the text may end with its unit: `761utia`. */
export function readFee(text: string, unit: 'utia' | 'TIA'): ParsedField<string> {
  const amount = text.replace(unit === 'TIA' ? /tia$/i : /utia$/i, '').trimEnd();
  if (amount === '') return { fault: 'has no fee' };
  if (/^-\s*[\d.]/.test(amount)) return { fault: `the fee ${quote(amount)} is negative` };
  const [, whole, fraction = ''] = /^(\d{1,40})(?:\.(\d{1,40}))?$/.exec(amount) ?? [];
  const [decimals, kind] =
    unit === 'TIA'
      ? [6, 'decimal number of TIA with at most 6 decimals']
      : [0, 'whole number of utia (a fee in TIA belongs in a column fee_tia)'];
  const significant = fraction.replace(/0+$/, '');
  if (whole === undefined || significant.length > decimals)
    return { fault: `${quote(text)} is not a ${kind}` };
  const utia = BigInt(whole + significant.padEnd(decimals, '0')).toString();
  // The DA layer is never free, so some tables use 0 for "not known".
  if (utia === '0') return { fault: 'the fee is 0; leave out unknown fees' };
  return utia.length > MOST_DIGITS ? { fault: `the fee ${quote(text)} is too large` } : { value: utia };
}

/** The digits of a whole number. Some programs write every number with decimals: `761.0`. */
function wholeNumber(text: string): string | undefined {
  return /^(\d{1,40})(?:\.0{1,20})?$/.exec(text)?.[1];
}

/**
 * A namespace, 58 hex digits in lower case; null for an empty field. The field has its 29 bytes as hex digits or base64, or its
 * id, with the version in another field. An id alone is enough if only version 0 can have it.
 *
 * @param version the field with the version; empty if there is no such field
 */
export function readNamespace(text: string, version = ''): ParsedField<string | null> {
  if (text === '') return { value: null };
  const bytes = fromHex(text) ?? fromBase64(text);
  const fault = { fault: `${quote(text)} is not a namespace (58 hex digits, or 29 bytes in base64)` };
  if (bytes === undefined) return fault;
  if (bytes.length === NAMESPACE_BYTES) return { value: bytes.toString('hex') };
  const number = version === '' ? undefined : Number(wholeNumber(version));
  if (number !== undefined && !(number <= 255))
    return { fault: `${quote(version)} is not a version of a namespace` };
  if (bytes.length === SHORT_ID_BYTES && (number ?? 0) === 0) {
    return { value: '00'.repeat(NAMESPACE_BYTES - SHORT_ID_BYTES) + bytes.toString('hex') };
  }
  if (bytes.length !== NAMESPACE_ID_BYTES) return fault;
  const isShort = bytes.subarray(0, NAMESPACE_ID_BYTES - SHORT_ID_BYTES).every((byte) => byte === 0);
  if (number === undefined && !isShort) return { fault: `${quote(text)} is an id without its version` };
  return { value: Buffer.concat([Buffer.of(number ?? 0), bytes]).toString('hex') };
}

/** A transaction's hash, 64 hex digits in lower case; null for an empty field. */
export function readTransaction(text: string): ParsedField<string | null> {
  if (text === '') return { value: null };
  const bytes = fromHex(text) ?? fromBase64(text);
  return bytes?.length === HASH_BYTES
    ? { value: bytes.toString('hex') }
    : { fault: `${quote(text)} is not the hash of a transaction (64 hex digits)` };
}

function fromHex(text: string): Buffer | undefined {
  const digits = text.replace(/^0x/i, '');
  return /^(?:[0-9a-f]{2})+$/i.test(digits) ? Buffer.from(digits, 'hex') : undefined;
}

function fromBase64(text: string): Buffer | undefined {
  return /^[A-Za-z0-9+/_-]{2,}={0,2}$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
