import { sharesOfBlob } from './pay-for-blobs.js';
import type { Nanos } from '../time.js';

export interface BlockSizes {
  readonly height: bigint;
  readonly timeNs: Nanos;
  /** Null: unknown. */
  readonly headerBlobBytes: number | null;
  /** 0 in a block without transactions; null: unknown. */
  readonly dataBlobBytes: number | null;
}

/** A blob as the DA layer counts it. */
export interface MeasuredBlob {
  readonly bytes: number;
  /** Without signer. */
  readonly shares: number;
  readonly signedShares: number;
}

/** A block with the shares of its blobs, which are the same under all policies. */
export interface MeasuredBlock {
  readonly height: bigint;
  readonly timeNs: Nanos;
  /** Null: a size is unknown. */
  readonly blobs: { readonly header: MeasuredBlob; readonly data: MeasuredBlob | null } | null;
}

export function measureBlock(block: BlockSizes): MeasuredBlock {
  const { height, timeNs, headerBlobBytes, dataBlobBytes } = block;
  const isKnown = headerBlobBytes !== null && headerBlobBytes > 0 && dataBlobBytes !== null;
  const blobs = isKnown
    ? { header: measureBlob(headerBlobBytes), data: dataBlobBytes > 0 ? measureBlob(dataBlobBytes) : null }
    : null;
  return { height, timeNs, blobs };
}

function measureBlob(bytes: number): MeasuredBlob {
  const size = BigInt(bytes);
  return {
    bytes,
    shares: Number(sharesOfBlob(size, false)),
    signedShares: Number(sharesOfBlob(size, true)),
  };
}
