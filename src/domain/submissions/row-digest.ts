import { hash } from 'node:crypto';

/** Hex digits of 64 bits. */
const DIGITS = 16;

/**
 * What a row's text is told by: the first 64 bits of its SHA-256, as a signed integer. Equal for the same row on two
 * endpoints of one node, which send the same text.
 *
 * @param text the row as sent, as far as the log could keep it
 */
export function digestOfRow(text: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hash('sha256', text).slice(0, DIGITS)}`));
}
