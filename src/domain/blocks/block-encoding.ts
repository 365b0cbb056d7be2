import { hash } from 'node:crypto';
import type { BlockHeader, BlockRecord, DecodedBlock } from './block.js';
import { fieldSize, ProtoWriter, varintSize } from './proto-writer.js';

/** The further signature in a header blob and the signature in a data blob: ed25519. */
const BLOB_SIGNATURE_BYTES = 64;

/** Bytes of that signature in a header blob. ev-node v1.0.0-beta.9 to beta.11 posts headers without it. */
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

/** The lowest integers whose varints take 2, 3, … 10 bytes. */
const VARINT_STEPS = Array.from({ length: 9 }, (_, index) => 1n << BigInt(7 * (index + 1)));

/** Bytes of an integer field with a field number below 16; 0 for zero, which is omitted. */
function integerSize(value: bigint): number {
  if (value === 0n) return 0;
  let size = 1;
  while (size <= VARINT_STEPS.length && value >= (VARINT_STEPS[size - 1] as bigint)) size++;
  return 1 + size;
}

function signerSize(signer: BlockSigner): number {
  return fieldSize(signer.signerAddress.length / 2) + fieldSize(signer.signerPubKey.length / 2);
}

/** The parts of a block that form its data message. */
type BlockData = Pick<DecodedBlock, 'metadata' | 'transactions'>;
/** The signer's address and public key (a libp2p key message), lower-case hex. */
type BlockSigner = Pick<DecodedBlock, 'signerAddress' | 'signerPubKey'>;

/**
 * Protobuf bytes of a header, which are hashed and signed. Fields 5, 7 and 9 are retired; the version message is present
 * even when it is empty.
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

/** Protobuf bytes of the metadata that a block's data repeats from its header. */
function encodeMetadata(metadata: NonNullable<DecodedBlock['metadata']>): Buffer {
  return new ProtoWriter(160)
    .text(1, metadata.chainId)
    .uint64(2, metadata.height)
    .uint64(3, metadata.timeNs)
    .hex(4, metadata.lastDataHash)
    .finish();
}

/** Protobuf bytes of a block's data: metadata (if there is any) and transactions. */
export function encodeData(data: BlockData): Buffer {
  return writeData(new ProtoWriter(), data).finish();
}

/** Value of a header's `dataHash`: SHA-256 of a zero byte and the data without its metadata, hex. */
export function hashTransactions(transactions: readonly Uint8Array[]): string {
  if (transactions.length === 0) return EMPTY_DATA_HASH;
  return hash(
    'sha256',
    writeData(new ProtoWriter().byte(0), { metadata: null, transactions }).finish(),
    'hex',
  );
}

/** Value of the next block's `lastDataHash`: SHA-256 of a zero byte and the whole data, hex. */
export function hashData(data: BlockData): string {
  return hash('sha256', writeData(new ProtoWriter().byte(0), data).finish(), 'hex');
}

/** `dataHash` of a block without transactions. */
export const EMPTY_DATA_HASH = hash('sha256', Buffer.alloc(1), 'hex');

/** Hash of a block in the node's own index: SHA-256 of header, signature and signer as stored, hex. */
export function hashSignedHeader(encodedHeader: Uint8Array, signature: string, signer: BlockSigner): string {
  const signed = new ProtoWriter(768).message(1, encodedHeader).hex(2, signature);
  return hash('sha256', signed.message(3, encodeSigner(signer)).finish(), 'hex');
}

/** Like {@link hashSignedHeader}, for a recorded block; null for a header with retired fields, which are not recorded. */
export function signedHashOf({ header, shownHeight, signature, ...signer }: BlockRecord): string | null {
  if (header.unknownFields) return null;
  return hashSignedHeader(
    encodeHeader({ ...header, height: shownHeight ?? header.height }),
    signature,
    signer,
  );
}

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
