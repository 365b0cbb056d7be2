import { createHash } from 'node:crypto';
import type { BlockHeader, DecodedBlock } from '../domain/blocks/block.js';
import {
  encodeData,
  encodeDataBlob,
  encodeHeader,
  encodeHeaderBlob,
  hashData,
  hashHeader,
  hashSignedHeader,
  hashTransactions,
} from '../domain/blocks/block-encoding.js';
import type { Nanos } from '../domain/time.js';
import { seededBytes, seededInteger } from './seeded-random.js';
import type { Signer } from './signer.js';

/** A block of the devnode's chain, with the hashes that refer to it. Hashes are lower-case hex. */
export interface ChainBlock extends DecodedBlock {
  readonly metadata: NonNullable<DecodedBlock['metadata']>;
  /** SHA-256 of the header bytes: `lastHeaderHash` of the next block. */
  readonly hash: string;
  /** SHA-256 of the whole data: `lastDataHash` of the next block. */
  readonly fullDataHash: string;
  /** SHA-256 of the signed header: the only hash by which the real node finds a block. */
  readonly signedHash: string;
}

export interface ChainIdentity {
  chainId: string;
  seed: string;
  signer: Signer;
  /** The average number of transactions; some blocks are empty. 0 makes every block empty. */
  txsPerBlock: number;
}

/** The application state before the first block: the hash of nothing. */
export const GENESIS_APP_HASH = sha256(Buffer.alloc(0));

/**
 * Makes the block after `previous` (the first block when undefined).
 *
 * @param given its transactions; when left out, they follow from the seed and the height
 */
export function makeBlock(
  identity: ChainIdentity,
  previous: ChainBlock | undefined,
  timeNs: Nanos,
  given?: readonly Uint8Array[],
): ChainBlock {
  const { chainId, signer } = identity;
  const height = (previous?.header.height ?? 0n) + 1n;
  const transactions = given ?? makeTransactions(identity, height);
  const header: BlockHeader = {
    versionBlock: 0n,
    versionApp: 0n,
    height,
    timeNs,
    lastHeaderHash: previous?.hash ?? '',
    dataHash: hashTransactions(transactions),
    appHash: previous ? nextAppHash(previous) : GENESIS_APP_HASH,
    proposerAddress: signer.address,
    validatorHash: '',
    chainId,
    unknownFields: false,
  };
  return withHashes({
    header,
    signature: Buffer.from(signer.sign(encodeHeader(header))).toString('hex'),
    signerAddress: signer.address,
    signerPubKey: signer.pubKey,
    metadata: { chainId, height, timeNs, lastDataHash: previous?.fullDataHash ?? '' },
    transactions,
    headerDaHeight: null,
    dataDaHeight: null,
  });
}

/** Adds the hashes, which follow from the rest. */
export function withHashes(block: Omit<ChainBlock, 'hash' | 'fullDataHash' | 'signedHash'>): ChainBlock {
  const header = encodeHeader(block.header);
  return {
    ...block,
    hash: hashHeader(header),
    fullDataHash: hashData(block),
    signedHash: hashSignedHeader(header, block.signature, block),
  };
}

/** The blob that posts the block's header to the DA layer. No recorded answer shows what the second signature covers. */
export function makeHeaderBlob(signer: Signer, block: ChainBlock): Uint8Array {
  const envelopeSignature = signer.sign(Buffer.from(block.signedHash, 'hex'));
  return encodeHeaderBlob(encodeHeader(block.header), block.signature, block, envelopeSignature);
}

/** The blob that posts the block's data to the DA layer; only blocks with transactions have one. */
export function makeDataBlob(signer: Signer, block: ChainBlock): Uint8Array {
  return encodeDataBlob(block, signer.sign(encodeData(block)), block);
}

function makeTransactions({ seed, chainId, txsPerBlock }: ChainIdentity, height: bigint): Uint8Array[] {
  const isEmpty = seededInteger(8, seed, chainId, height, 'empty') === 0;
  const count = isEmpty ? 0 : seededInteger(2 * txsPerBlock + 1, seed, chainId, height, 'count');
  return Array.from({ length: count }, (_, index) => {
    const size = 24 + seededInteger(180, seed, chainId, height, index, 'size');
    return seededBytes(size, seed, chainId, height, index);
  });
}

/** The application's hash after a block, which the header of the next block carries. */
export function nextAppHash(previous: ChainBlock): string {
  return nextStateHash(previous.header.appHash, previous.header.dataHash);
}

/** The application's state after data was executed on the state before. All hashes are lower-case hex. */
export function nextStateHash(before: string, dataHash: string): string {
  return sha256(Buffer.from(before + dataHash, 'hex'));
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
