import { canonicalDigest } from './cut-row.js';

/** Hex digits of 64 bits. */
const DIGITS = 16;

/**
 * What a row is told by: the first 64 bits of the SHA-256 of its canonical JSON, as a signed integer. Equal for the same
 * row on two endpoints of one node, also where a proxy prints it in another way or the log holds only a part of it.
 *
 * @param text the row as it stands in the log
 */
export function digestOfRow(text: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${canonicalDigest(text).slice(0, DIGITS)}`));
}
