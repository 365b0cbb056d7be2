import { Decimal } from './decimal.js';

/**
 * Celestia's charge for blobs: the parameters of the gas limit of a PayForBlobs transaction (`DefaultEstimateGas` in
 * celestia-app, x/blob/types/payforblob.go). The fee is taken on the limit, not on the gas used.
 */
export interface GasSchedule {
  /** Gas for each byte of a share, padding included; a share has 512 bytes. */
  readonly gasPerShareByte: bigint;
  /** Gas for the description of a blob in the transaction: 70 bytes at 10 gas a byte. */
  readonly gasPerBlob: bigint;
  /** Gas of a transaction, whatever it carries: 65,000, and 10,000 more of margin for an account's first one. */
  readonly fixedGas: bigint;
  /** Whether blobs name their signer (share version 1), which takes 20 bytes of their first share. */
  readonly signer: boolean;
}

/** Celestia's own parameters (appconsts/app_consts.go and payforblob.go of celestia-app). */
export const CELESTIA_GAS: GasSchedule = {
  gasPerShareByte: 8n,
  gasPerBlob: 700n,
  fixedGas: 75_000n,
  signer: false,
};

/*
 * Share layout of go-square (share/consts.go): 512 bytes, of which 29 are the namespace and 1 holds version and sequence
 * start; the first share of a blob has 4 bytes of length and, in version 1, 20 of signer.
 */
const SHARE_BYTES = 512n;
const LATER_SHARE_CONTENT = 482n;
const FIRST_SHARE_CONTENT = 478n;
const FIRST_SIGNED_SHARE_CONTENT = 458n;

/** Lower and upper bound of something that is not known exactly. */
export interface Bounds {
  readonly min: bigint;
  readonly max: bigint;
}

/** Shares that a blob of this size takes on Celestia; 0 for an empty one. */
export function sharesOfBlob(bytes: bigint, signer: boolean): bigint {
  if (bytes <= 0n) return 0n;
  const beyond = bytes - firstShareContent(signer);
  return beyond <= 0n ? 1n : 1n + divideUp(beyond, LATER_SHARE_CONTENT);
}

/**
 * Lower and upper bound of the shares that this many blobs with this many bytes together can take, each blob having at
 * least one byte. Both are reached by some split of the bytes. Null if no split exists: fewer bytes than blobs, or bytes
 * without blobs.
 *
 * Each blob has a first share. Lower bound: the first shares of all blobs are filled before another one is opened. Upper
 * bound: a blob opens its second share when it has as many bytes beyond its first byte as the first share holds. It opens
 * each further share with 482 more. As the first holds less, all blobs open their second before any opens a third.
 */
export function shareBounds(blobCount: bigint, sizeBytes: bigint, signer: boolean): Bounds | null {
  if (blobCount < 0n || sizeBytes < blobCount || (blobCount === 0n && sizeBytes > 0n)) return null;
  const first = firstShareContent(signer);
  const inFirstShares = blobCount * first;
  const least = sizeBytes <= inFirstShares ? 0n : divideUp(sizeBytes - inFirstShares, LATER_SHARE_CONTENT);
  const spare = sizeBytes - blobCount;
  const most =
    spare <= inFirstShares ? spare / first : blobCount + (spare - inFirstShares) / LATER_SHARE_CONTENT;
  return { min: blobCount + least, max: blobCount + most };
}

/** Gas limit of one transaction with this many shares and blobs together. */
export function gasOf(shares: bigint, blobs: bigint, schedule: GasSchedule): bigint {
  const { gasPerShareByte, gasPerBlob, fixedGas } = schedule;
  return shares * SHARE_BYTES * gasPerShareByte + gasPerBlob * blobs + fixedGas;
}

/** Fee of one transaction in utia: its gas limit at a price in utia per gas, rounded up. */
export function feeOf(gas: bigint, gasPrice: Decimal): bigint {
  return Decimal.of(gas).times(gasPrice).ceil();
}

function firstShareContent(signer: boolean): bigint {
  return signer ? FIRST_SIGNED_SHARE_CONTENT : FIRST_SHARE_CONTENT;
}

/** Both arguments are positive. */
function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor;
}
