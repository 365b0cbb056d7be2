import { createHash } from 'node:crypto';

/** The scopes of keys, from the lowest to the highest. */
export const KEY_SCOPES = ['read', 'write', 'admin'] as const;

/** One of {@link KEY_SCOPES}: `read` may query; `write` may also change prices and request jobs; `admin` may do everything. */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** Whether a key with a scope may do what needs another scope. */
export function covers(scope: KeyScope, needed: KeyScope): boolean {
  return KEY_SCOPES.indexOf(scope) >= KEY_SCOPES.indexOf(needed);
}

/** The prefix by which people and scanners for leaked secrets recognize our keys. */
const PREFIX = 'hs_';

export const KEY_BYTES = 32;

/** The text of a new key, from {@link KEY_BYTES} random bytes. It is never stored. */
export function toKeyText(random: Uint8Array): string {
  return PREFIX + Buffer.from(random).toString('base64url');
}

/**
 * SHA-256 of a key, by which the key is recognized. A plain hash is enough for 256 random bits, which cannot be guessed. Salt and
 * a slow hash would protect nothing, and every request would pay for them.
 */
export function hashKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** Names that events use as the author where there is no key or the key is from the settings. */
export const RESERVED = /^(?:settings(?:-\d+)?|loopback)$/i;

/** Whether a text is a valid name of a key: 1 to 64 of `A-Z a-z 0-9 . _ -`, the first a letter or digit, and not reserved. */
export function isKeyName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text) && !RESERVED.test(text);
}
