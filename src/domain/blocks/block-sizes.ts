import type { BlockData, BlockSigner } from './block-encoding.js';
import { encodeMetadata } from './block-encoding.js';
import type { BlockHeader } from './block.js';
import { fieldSize, varintSize } from './proto-writer.js';

/** The further signature in a header blob and the signature in a data blob: ed25519. */
const BLOB_SIGNATURE_BYTES = 64;

/** What that signature takes in a header blob. ev-node v1.0.0-beta.9 to beta.11 posts headers without it. */
export const HEADER_ENVELOPE_BYTES = 2 + BLOB_SIGNATURE_BYTES;

/** Length of `encodeHeader`'s result, without encoding. */
export function encodedHeaderBytes(header: BlockHeader): number {
  const { versionBlock, versionApp, height, timeNs, chainId } = header;
  const hexes = [header.lastHeaderHash, header.dataHash, header.appHash];
  const all = [...hexes, header.proposerAddress, header.validatorHash];
  const version = integerSize(versionBlock) + integerSize(versionApp);
  const numbers = integerSize(height) + integerSize(timeNs);
  const bytes = all.reduce((sum, hex) => sum + fieldSize(hex.length / 2), 0);
  return 1 + varintSize(version) + version + numbers + bytes + fieldSize(Buffer.byteLength(chainId));
}

/** Bytes of the blob that carried this header to the DA layer; see `encodeHeaderBlob`. */
export function headerBlobBytes(encodedHeaderBytes: number, signature: string, signer: BlockSigner): number {
  return (
    fieldSize(encodedHeaderBytes) +
    fieldSize(signature.length / 2) +
    fieldSize(signerSize(signer)) +
    fieldSize(BLOB_SIGNATURE_BYTES)
  );
}

/**
 * Bytes of the blob that carried this data to the DA layer; see `encodeDataBlob`.
 * 0 without transactions (then none is posted), null without metadata (then its bytes are not known).
 */
export function dataBlobBytes(data: BlockData, signer: BlockSigner): number | null {
  if (data.transactions.length === 0) return 0;
  if (!data.metadata) return null;
  let size = fieldSize(encodeMetadata(data.metadata).length);
  for (const { length } of data.transactions) size += length === 0 ? 2 : fieldSize(length);
  return fieldSize(size) + fieldSize(BLOB_SIGNATURE_BYTES) + fieldSize(signerSize(signer));
}

/** Sum of the transactions' bytes, without any framing. */
export function transactionBytes(transactions: readonly Uint8Array[]): number {
  return transactions.reduce((sum, { length }) => sum + length, 0);
}

/** The least integers whose varints take 2, 3, … 10 bytes. */
const VARINT_STEPS = Array.from({ length: 9 }, (_, index) => 1n << BigInt(7 * (index + 1)));

/** Bytes that an integer field with a number below 16 takes; 0 for zero, which is left out. */
function integerSize(value: bigint): number {
  if (value === 0n) return 0;
  let size = 1;
  while (size <= VARINT_STEPS.length && value >= (VARINT_STEPS[size - 1] as bigint)) size++;
  return 1 + size;
}

function signerSize(signer: BlockSigner): number {
  return fieldSize(signer.signerAddress.length / 2) + fieldSize(signer.signerPubKey.length / 2);
}
