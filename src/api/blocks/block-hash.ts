import { badUserInput } from '../errors.js';

const HASH_BYTES = 32;

/**
 * Parses a header hash: 64 hex digits, with or without 0x, or base64 in either alphabet.
 * @throws ApiError BAD_USER_INPUT
 */
export function parseHeaderHash(text: string): Buffer {
  const hex = /^(?:0x)?([0-9a-f]{64})$/i.exec(text)?.[1];
  if (hex !== undefined) return Buffer.from(hex, 'hex');
  const bytes = /^[\w+/-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0);
  if (bytes.length !== HASH_BYTES)
    throw badUserInput('`hash` must be a header hash: 64 hex digits, or base64 of 32 bytes.');
  return bytes;
}
