import { hash } from 'node:crypto';
import type { BlockHeader, BlockRecord, DecodedBlock } from './block.js';
import { ProtoWriter } from './proto-writer.js';

/** The parts of a block that its data message is made of. */
export type BlockData = Pick<DecodedBlock, 'metadata' | 'transactions'>;
/** Who signed: address and public key (a libp2p key message), lower-case hex. */
export type BlockSigner = Pick<DecodedBlock, 'signerAddress' | 'signerPubKey'>;

/**
 * Protobuf bytes of a header, which are what is hashed and signed.
 * Fields 5, 7 and 9 are retired; the version message is there even when it is empty.
 */
export function encodeHeader(header: BlockHeader): Buffer {
  return new ProtoWriter()
    .message(1, encodeVersion(header))
    .uint64(2, header.height)
    .uint64(3, header.timeNs)
    .hex(4, header.lastHeaderHash)
    .hex(6, header.dataHash)
    .hex(8, header.appHash)
    .hex(10, header.proposerAddress)
    .hex(11, header.validatorHash)
    .text(12, header.chainId)
    .finish();
}

const NO_VERSION = new Uint8Array(0);

function encodeVersion({ versionBlock, versionApp }: BlockHeader): Uint8Array {
  if (versionBlock === 0n && versionApp === 0n) return NO_VERSION;
  return new ProtoWriter(24).uint64(1, versionBlock).uint64(2, versionApp).finish();
}

/** Hash by which a chain links its headers: SHA-256 of the header's bytes, hex. */
export function hashHeader(encodedHeader: Uint8Array): string {
  return hash('sha256', encodedHeader, 'hex');
}

/** Protobuf bytes of the metadata that a block's data repeats of its header. */
export function encodeMetadata(metadata: NonNullable<DecodedBlock['metadata']>): Buffer {
  return new ProtoWriter(160)
    .text(1, metadata.chainId)
    .uint64(2, metadata.height)
    .uint64(3, metadata.timeNs)
    .hex(4, metadata.lastDataHash)
    .finish();
}

/** Protobuf bytes of a block's data: metadata (where there is any) and transactions. */
export function encodeData(data: BlockData): Buffer {
  return writeData(new ProtoWriter(), data).finish();
}

/** What a header's `dataHash` is: SHA-256 of a zero byte and the data without its metadata, hex. */
export function hashTransactions(transactions: readonly Uint8Array[]): string {
  if (transactions.length === 0) return EMPTY_DATA_HASH;
  return hash(
    'sha256',
    writeData(new ProtoWriter().byte(0), { metadata: null, transactions }).finish(),
    'hex',
  );
}

/** What the next block's `lastDataHash` is: SHA-256 of a zero byte and the whole data, hex. */
export function hashData(data: BlockData): string {
  return hash('sha256', writeData(new ProtoWriter().byte(0), data).finish(), 'hex');
}

/** `dataHash` of a block without transactions. */
export const EMPTY_DATA_HASH = hash('sha256', Buffer.alloc(1), 'hex');

/** Hash by which the node's own index knows a block: SHA-256 of header, signature and signer as stored, hex. */
export function hashSignedHeader(encodedHeader: Uint8Array, signature: string, signer: BlockSigner): string {
  const signed = new ProtoWriter(768).message(1, encodedHeader).hex(2, signature);
  return hash('sha256', signed.message(3, encodeSigner(signer)).finish(), 'hex');
}

/** The same of a recorded block; null of a header with retired fields, which are not on record. */
export function signedHashOf({ header, shownHeight, signature, ...signer }: BlockRecord): string | null {
  if (header.unknownFields) return null;
  return hashSignedHeader(
    encodeHeader({ ...header, height: shownHeight ?? header.height }),
    signature,
    signer,
  );
}

/** Protobuf bytes of a signer. */
function encodeSigner(signer: BlockSigner): Buffer {
  return new ProtoWriter(128).hex(1, signer.signerAddress).hex(2, signer.signerPubKey).finish();
}

/**
 * The blob that carries a header to the DA layer.
 *
 * @param envelopeSignature the submitter's further signature, which no answer of the node shows
 */
export function encodeHeaderBlob(
  encodedHeader: Uint8Array,
  signature: string,
  signer: BlockSigner,
  envelopeSignature: Uint8Array,
): Buffer {
  return new ProtoWriter(768)
    .message(1, encodedHeader)
    .hex(2, signature)
    .message(3, encodeSigner(signer))
    .message(4, envelopeSignature)
    .finish();
}

/** The blob that carries a block's data to the DA layer, with the submitter's signature over it. */
export function encodeDataBlob(data: BlockData, signature: Uint8Array, signer: BlockSigner): Buffer {
  return new ProtoWriter()
    .message(1, encodeData(data))
    .message(2, signature)
    .message(3, encodeSigner(signer))
    .finish();
}

function writeData(writer: ProtoWriter, data: BlockData): ProtoWriter {
  if (data.metadata) writer.message(1, encodeMetadata(data.metadata));
  for (const transaction of data.transactions) writer.message(2, transaction);
  return writer;
}
