import { LARGEST_COUNT } from '../bounds.js';
import { sharesOfBlob } from '../cost/pay-for-blobs.js';
import type { IncludedBlob } from '../evidence/blob-segments.js';

/** The blobs that a submission carried, according to the blocks; null: unknown. */
export interface CarriedBlobs {
  /** Heights of the first and last block, if the submission carried every blob of its kind and DA height between them. */
  readonly blockFrom: bigint | null;
  readonly blockTo: bigint | null;
  /** Shares of all blobs on the DA layer, without and with signer. */
  readonly shares: number | null;
  readonly signedShares: number | null;
}

export const NOTHING_CARRIED: CarriedBlobs = {
  blockFrom: null,
  blockTo: null,
  shares: null,
  signedShares: null,
};
/** @param run blobs that are adjacent in the list of their DA height, by rising height */
export function carriedByRun(run: readonly IncludedBlob[]): CarriedBlobs {
  const blockFrom = run[0]?.height ?? null;
  const blockTo = run.at(-1)?.height ?? null;
  return { blockFrom, blockTo, shares: sharesOf(run, false), signedShares: sharesOf(run, true) };
}

/**
 * @param all the blobs of a kind at a DA height, by rising height
 * @param left those of `all` that the submission carried, in the same order
 */
export function carriedByLeftover(all: readonly IncludedBlob[], left: readonly IncludedBlob[]): CarriedBlobs {
  const carried = carriedByRun(left);
  const from = all.findIndex(({ height }) => height === carried.blockFrom);
  const isRun = all[from + left.length - 1]?.height === carried.blockTo;
  return isRun ? carried : { ...carried, blockFrom: null, blockTo: null };
}

function sharesOf(blobs: readonly IncludedBlob[], signer: boolean): number | null {
  if (blobs.length === 0) return null;
  let sum = 0n;
  for (const { bytes } of blobs) {
    if (bytes === null) return null;
    sum += sharesOfBlob(BigInt(bytes), signer);
  }
  return sum > BigInt(LARGEST_COUNT) ? null : Number(sum);
}
