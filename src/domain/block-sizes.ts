import type { BlockData, BlockSigner } from './block-encoding.js';
import { encodeMetadata } from './block-encoding.js';
import { fieldSize } from './proto-writer.js';

/** The further signature in a header blob and the signature in a data blob: ed25519. */
const BLOB_SIGNATURE_BYTES = 64;

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

function signerSize(signer: BlockSigner): number {
  return fieldSize(signer.signerAddress.length / 2) + fieldSize(signer.signerPubKey.length / 2);
}
