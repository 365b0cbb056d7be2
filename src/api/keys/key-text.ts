import { createHash } from 'node:crypto';

/** What keys may be good for, from the least to the most. */
export const KEY_SCOPES = ['read', 'write', 'admin'] as const;

/** One of {@link KEY_SCOPES}: to ask; to change prices and ask for jobs, too; everything. */
export type KeyScope = (typeof KEY_SCOPES)[number];

/** Whether a key of one scope may do what needs another. */
export function covers(scope: KeyScope, needed: KeyScope): boolean {
  return KEY_SCOPES.indexOf(scope) >= KEY_SCOPES.indexOf(needed);
}

/** By which people and scanners of leaked secrets know a key of ours. */
const PREFIX = 'hs_';

/** Bytes of a key. */
export const KEY_BYTES = 32;

/** A new key as its owner keeps it, of {@link KEY_BYTES} random bytes: the only place where it is ever written. */
export function toKeyText(random: Uint8Array): string {
  return PREFIX + Buffer.from(random).toString('base64url');
}

/**
 * SHA-256 of a key, by which it is known again. A plain hash is right for 256 random bits, as nobody finds them by
 * trying. Salt and slowness would protect nothing, and every request would pay for them.
 */
export function hashKey(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

/** What stands as the author where no key does, or where the settings name one. */
const RESERVED = /^(?:settings(?:-\d+)?|loopback)$/i;

/** Whether a text can be the name of a key: 1 to 64 of `A-Z a-z 0-9 . _ -`, the first a letter or digit. */
export function isKeyName(text: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text) && !RESERVED.test(text);
}
