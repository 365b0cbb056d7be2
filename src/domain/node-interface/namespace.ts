import { hash } from 'node:crypto';

/** Bytes of a namespace; one of version 0 begins with its version and as many zeros. */
const NAMESPACE = /^(?:0x)?([0-9a-f]{58})$/i;
const VERSION_0 = '00';
const ZEROS = '00'.repeat(18);
/** Hex digits of a text's hash that its namespace ends with. */
const HASH_DIGITS = 20;

/**
 * The namespace that a node makes of what it is given, as 58 hex digits in lower case. It is the one that stands there
 * in hex, with or without 0x. Of any other text it is the one of version 0 that ends with the text's SHA-256.
 */
export function toNamespace(text: string): string {
  const hex = NAMESPACE.exec(text)?.[1]?.toLowerCase();
  const isNamespace = hex && (!hex.startsWith(VERSION_0) || hex.startsWith(VERSION_0 + ZEROS));
  return isNamespace ? hex : `${VERSION_0}${ZEROS}${hash('sha256', text, 'hex').slice(0, HASH_DIGITS)}`;
}
