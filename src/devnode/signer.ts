import { createHash, createPrivateKey, createPublicKey, sign } from 'node:crypto';

/** A node's ed25519 identity: it signs blocks, and names the node in the peer-to-peer network. */
export interface Signer {
  /** SHA-256 of the public key: the proposer's address. Lower-case hex. */
  address: string;
  /** The public key in libp2p's envelope (`08011220` and 32 bytes), lower-case hex. */
  pubKey: string;
  /** The peer id that libp2p derives from the key, such as `12D3KooW…`. */
  peerId: string;
  sign(bytes: Uint8Array): Uint8Array;
}

/** An ed25519 private key in PKCS #8 is this prefix and the 32 bytes of the seed (RFC 8410). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
/** Protobuf of libp2p's PublicKey: type 1 (ed25519), 32 bytes of data. */
const LIBP2P_PREFIX = '08011220';

/** The same seed always gives the same key. */
export function createSigner(seed: string): Signer {
  const secret = createHash('sha256').update(`hindsight devnode signer ${seed}`).digest();
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, secret]),
    format: 'der',
    type: 'pkcs8',
  });
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  const publicKey = spki.subarray(spki.length - 32);
  const pubKey = LIBP2P_PREFIX + publicKey.toString('hex');
  return {
    address: createHash('sha256').update(publicKey).digest('hex'),
    pubKey,
    // A multihash of the identity function (00) over the 36 bytes of the envelope.
    peerId: base58(Buffer.from(`0024${pubKey}`, 'hex')),
    sign: (bytes) => sign(null, bytes, privateKey),
  };
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz';

function base58(bytes: Uint8Array): string {
  let number = BigInt(`0x${Buffer.from(bytes).toString('hex')}`);
  let text = '';
  while (number > 0n) {
    text = BASE58[Number(number % 58n)] + text;
    number /= 58n;
  }
  const zeros = bytes.findIndex((byte) => byte !== 0);
  return '1'.repeat(zeros < 0 ? bytes.length : zeros) + text;
}
