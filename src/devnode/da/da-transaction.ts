import { createHash } from 'node:crypto';
import { CELESTIA_GAS, feeOf, gasOf, sharesOfBlob } from '../../domain/cost/pay-for-blobs.js';
import type { Decimal } from '../../domain/cost/decimal.js';

/** A blob as `blob.Submit` takes it. */
export interface DaBlob {
  /** 29 bytes, lower-case hex. */
  readonly namespace: string;
  readonly data: Uint8Array;
  /** 32 bytes, lower-case hex. */
  readonly commitment: string;
}

/** The effect of a transaction besides its fee. */
type DaMessage =
  | { readonly kind: 'blobs'; readonly blobs: readonly DaBlob[] }
  | { readonly kind: 'transfer'; readonly to: string; readonly utia: bigint };

/** A transaction as its sender signs it. */
export interface DaRequest {
  readonly signer: string;
  readonly message: DaMessage;
  /** The account that pays the fee. Default: the signer. */
  readonly feeGranter?: string | undefined;
  /** In utia per gas. Default: the network's. */
  readonly gasPrice?: Decimal | undefined;
  /** It is included and pays its fee, but has no other effect. */
  readonly fails?: boolean;
}

export interface DaTransaction extends DaRequest {
  /** Upper-case hex. */
  readonly hash: string;
  /** Number of transactions that the signer had sent before. */
  readonly sequence: bigint;
  readonly payer: string;
  readonly gasLimit: bigint;
  readonly feeUtia: bigint;
}

export interface IncludedTransaction extends DaTransaction {
  /** DA height. */
  readonly height: bigint;
}

/** Gas limit of a transfer, as recorded. */
export const TRANSFER_GAS = 100_000n;

/** The name by which a blob is found in its namespace; on the real network, the root of a Merkle tree over its shares. */
export function commitmentOf(namespace: string, blob: Uint8Array): string {
  return createHash('sha256').update(namespace).update(blob).digest('hex');
}

/** The id of a blob as ev-node lists it: the DA height in 8 bytes, little-endian, and the commitment; lower-case hex. */
export function blobIdOf(height: bigint, commitment: string): string {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(height);
  return bytes.toString('hex') + commitment;
}

/** Gives a request its fee, sequence and hash. */
export function sign(request: DaRequest, sequence: bigint, networkPrice: Decimal): DaTransaction {
  const gasLimit = gasLimitOf(request.message);
  return {
    ...request,
    hash: createHash('sha256')
      .update(`${request.signer} ${sequence} ${describe(request.message)}`)
      .digest('hex')
      .toUpperCase(),
    sequence,
    payer: request.feeGranter ?? request.signer,
    gasLimit,
    feeUtia: feeOf(gasLimit, request.gasPrice ?? networkPrice),
  };
}

function gasLimitOf(message: DaMessage): bigint {
  if (message.kind === 'transfer') return TRANSFER_GAS;
  const shares = message.blobs.reduce((sum, { data }) => sum + sharesOfBlob(BigInt(data.length), false), 0n);
  return gasOf(shares, BigInt(message.blobs.length), CELESTIA_GAS);
}

function describe(message: DaMessage): string {
  return message.kind === 'transfer'
    ? `${message.to} ${message.utia}`
    : message.blobs.map(({ commitment }) => commitment).join(' ');
}
