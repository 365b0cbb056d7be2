import { hash } from 'node:crypto';

/** The 29 bytes of a namespace; in version 0 the version comes first, then 18 zeros. */
const NAMESPACE = /^(?:0x)?([0-9a-f]{58})$/i;
const VERSION_0 = '00';
const ZEROS = '00'.repeat(18);
/** Hex digits of a text's hash at the end of its namespace. */
const HASH_DIGITS = 20;

/**
 * Converts a setting to a namespace as nodes do, as 58 hex digits in lower case. A namespace in hex, with or without 0x, is
 * used directly. Any other text gives the namespace of version 0 that ends with the start of the text's SHA-256.
 */
export function toNamespace(text: string): string {
  const hex = NAMESPACE.exec(text)?.[1]?.toLowerCase();
  const isNamespace = hex && (!hex.startsWith(VERSION_0) || hex.startsWith(VERSION_0 + ZEROS));
  return isNamespace ? hex : `${VERSION_0}${ZEROS}${hash('sha256', text, 'hex').slice(0, HASH_DIGITS)}`;
}
