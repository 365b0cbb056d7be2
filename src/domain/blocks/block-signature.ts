import { createPublicKey, hash, verify, type KeyObject } from 'node:crypto';
import type { DecodedBlock } from './block.js';

/** A libp2p public key message: key type 1 (ed25519), then the 32 bytes of the key. */
const LIBP2P_ED25519 = '08011220';
/** DER of an ed25519 SubjectPublicKeyInfo up to its 32 key bytes. */
const SPKI_ED25519 = Buffer.from('302a300506032b6570032100', 'hex');
const SIGNATURE_HEX_LENGTH = 128;

/** Reading a key costs more than the check itself, and a chain has few proposers, so the keys of many chains are cached. */
const keys = new Map<string, KeyObject>();
const MAX_KEYS = 4_096;

/** The 32 key bytes of a signer's public key, hex; null for another kind of key. */
function ed25519KeyOf(signerPubKey: string): string | null {
  const isEd25519 = signerPubKey.length === 72 && signerPubKey.startsWith(LIBP2P_ED25519);
  return isEd25519 ? signerPubKey.slice(LIBP2P_ED25519.length) : null;
}

/** The address that belongs to a signer's public key: SHA-256 of the key bytes, hex; null for a key we can't read. */
export function addressOf(signerPubKey: string): string | null {
  const key = ed25519KeyOf(signerPubKey);
  return key === null ? null : hash('sha256', Buffer.from(key, 'hex'), 'hex');
}

/** Whether the signer signed these header bytes; false also for a key or a signature of another form. */
export function isSignedBy(
  block: Pick<DecodedBlock, 'signature' | 'signerPubKey'>,
  header: Uint8Array,
): boolean {
  const key = readKey(block);
  return key !== null && verify(null, header, key, Buffer.from(block.signature, 'hex'));
}

/** `isSignedBy` on another thread, so that a backfill's checks don't hold up its requests. */
export function isSignedByInBackground(
  block: Pick<DecodedBlock, 'signature' | 'signerPubKey'>,
  header: Uint8Array,
): Promise<boolean> {
  const key = readKey(block);
  if (key === null) return Promise.resolve(false);
  return new Promise((resolve) => {
    verify(null, header, key, Buffer.from(block.signature, 'hex'), (error, signed) =>
      resolve(!error && signed),
    );
  });
}

function readKey(block: Pick<DecodedBlock, 'signature' | 'signerPubKey'>): KeyObject | null {
  const raw = ed25519KeyOf(block.signerPubKey);
  if (raw === null || block.signature.length !== SIGNATURE_HEX_LENGTH) return null;
  const known = keys.get(raw);
  if (known) return known;
  const der = Buffer.concat([SPKI_ED25519, Buffer.from(raw, 'hex')]);
  const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
  if (keys.size >= MAX_KEYS) keys.clear();
  keys.set(raw, key);
  return key;
}
