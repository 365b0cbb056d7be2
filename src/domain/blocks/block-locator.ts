import type { PreviousBlock } from './block-draft.js';

/** Height (decimal) and the first 16 hex digits of the header hash of a recorded block: enough to distinguish two blocks. */
export type LocatorPoint = readonly [height: string, hash: string];

const HASH_DIGITS = 16;
/** Points kept for each doubling of the distance to the newest. */
const PER_DOUBLING = 2;

/** The first 8 bytes of a hash in hex as a signed number, its key in tables. */
export function toHashKey(hash: string): bigint {
  return BigInt.asIntN(64, BigInt(`0x${hash.slice(0, HASH_DIGITS)}`));
}

/** The part of a header hash that locators compare. */
export function hashPrefix(hash: string): string {
  return hash.slice(0, HASH_DIGITS);
}

/**
 * Adds recorded blocks to a locator, lowest first, and thins out the older ones. Points are dense near the newest and
 * sparse far from it; the first one is always kept. A few dozen points thus span any chain, and a fork is found in few
 * steps.
 */
export function extendLocator(
  locator: readonly LocatorPoint[],
  blocks: readonly Pick<PreviousBlock, 'height' | 'hash'>[],
): LocatorPoint[] {
  const all: LocatorPoint[] = [...locator];
  for (const { height, hash } of blocks) if (hash !== null) all.push([String(height), hashPrefix(hash)]);
  return thin(all);
}

function thin(locator: readonly LocatorPoint[]): LocatorPoint[] {
  const newest = locator.at(-1);
  if (!newest) return [];
  const counts = new Map<number, number>();
  const kept = locator.filter((point, index) => {
    if (index === 0) return true;
    const doubling = (BigInt(newest[0]) - BigInt(point[0])).toString(2).length;
    const next = locator[index + 1];
    // Each doubling keeps its lowest point, so that it can grow old, and the last of the others.
    const isLast = !next || (BigInt(newest[0]) - BigInt(next[0])).toString(2).length !== doubling;
    const count = counts.get(doubling) ?? 0;
    if (count >= PER_DOUBLING - 1 && !isLast) return false;
    counts.set(doubling, count + 1);
    return true;
  });
  return kept;
}
