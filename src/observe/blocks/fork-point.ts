import { unpackBlocks } from '../../domain/blocks/block-facts.js';
import { hashPrefix, type LocatorPoint } from '../../domain/blocks/block-locator.js';
import type { EventStore } from '../../event-log/event-store.js';

/** Header hash of the node's block at a height; undefined where there is no hash to compare. */
export type HashAt = (height: bigint) => Promise<string | undefined>;

/** Blocks to compare a node with: those recorded of one lineage in a stream `<node>/blocks`. */
export interface RecordedFork {
  readonly stream: string;
  readonly chain: string;
  readonly lineage: number;
  readonly locator: readonly LocatorPoint[];
}

export interface ForkPoint {
  /** The first height that is not known to be equal. */
  readonly from: bigint;
  /** The lowest height that is known to differ, and the node's hash there. */
  readonly height: bigint;
  readonly hash: string;
}

/** The most events read back to find the exact height. A fork further back is known only to within two points of the locator. */
const EVENTS_READ = 32;

/**
 * Compares a node with recorded blocks. Returns where they fork, null if they are equal, and undefined if they cannot be
 * compared.
 *
 * @param upTo the node's head; blocks recorded above it are ignored
 */
export async function findForkPoint(
  recorded: RecordedFork,
  store: EventStore,
  hashAt: HashAt,
  upTo?: bigint,
): Promise<ForkPoint | null | undefined> {
  const locator =
    upTo === undefined ? recorded.locator : recorded.locator.filter(([at]) => BigInt(at) <= upTo);
  const coarse = await compareLocator(locator, hashAt);
  if (coarse) {
    const { from, fork } = await refine(recorded, coarse.from, coarse.height, store, hashAt);
    return { ...(fork ?? coarse), from };
  }
  const newest = locator.at(-1);
  if (coarse === undefined || upTo === undefined || !newest) return coarse;
  const { from, fork } = await refine(recorded, BigInt(newest[0]) + 1n, upTo + 1n, store, hashAt);
  return fork && { ...fork, from };
}

/** Two chains that fork do not meet again, so bisection finds the first point that differs. */
async function compareLocator(
  locator: readonly LocatorPoint[],
  hashAt: HashAt,
): Promise<ForkPoint | null | undefined> {
  let high = locator.length - 1;
  let shown: string | undefined;
  while (high >= 0) {
    shown = await hashAt(heightOf(locator, high));
    if (shown !== undefined) break;
    high--;
  }
  if (shown === undefined) return undefined;
  if (hashPrefix(shown) === locator[high]?.[1]) return null;
  let low = -1;
  let hash = shown;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    const other = await hashAt(heightOf(locator, middle));
    if (other !== undefined && hashPrefix(other) !== locator[middle]?.[1]) {
      high = middle;
      hash = other;
    } else {
      low = middle;
    }
  }
  const height = heightOf(locator, high);
  return { from: low < 0 ? height : heightOf(locator, low) + 1n, height, hash };
}

/** Finds the lowest difference among the recorded blocks in [from, below), by bisection. */
async function refine(
  recorded: RecordedFork,
  from: bigint,
  below: bigint,
  store: EventStore,
  hashAt: HashAt,
): Promise<{ from: bigint; fork: { height: bigint; hash: string } | null }> {
  if (from >= below) return { from, fork: null };
  const hashes = await readHashes(recorded, from, below, store);
  const heights = [...hashes.keys()].sort((a, b) => (a < b ? -1 : 1));
  let fork: { height: bigint; hash: string } | null = null;
  let firstOpen = from;
  let low = 0;
  let high = heights.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const height = heights[middle] as bigint;
    const shown = await hashAt(height);
    if (shown !== undefined && shown !== hashes.get(height)) {
      fork = { height, hash: shown };
      high = middle;
    } else {
      firstOpen = height + 1n;
      low = middle + 1;
    }
  }
  return { from: firstOpen, fork };
}

async function readHashes(
  { stream, chain, lineage }: RecordedFork,
  from: bigint,
  below: bigint,
  store: EventStore,
): Promise<Map<bigint, string>> {
  const hashes = new Map<bigint, string>();
  let before: bigint | undefined;
  for (let left = EVENTS_READ; left > 0;) {
    const events = await store.readStreamBack(stream, ['BlocksObserved'], left, before);
    if (events.length === 0) break;
    left -= events.length;
    before = events.at(-1)?.version;
    for (const { type, body } of events) {
      if (type !== 'BlocksObserved' || body.chain !== chain || body.lineage !== lineage) continue;
      if (BigInt(body.to) < from || BigInt(body.from) >= below) continue;
      for (const { header, hash } of unpackBlocks(body)) {
        const isBetween = header.height >= from && header.height < below;
        if (isBetween && hash !== null && !hashes.has(header.height)) hashes.set(header.height, hash);
      }
    }
  }
  return hashes;
}

function heightOf(locator: readonly LocatorPoint[], index: number): bigint {
  return BigInt(locator[index]?.[0] ?? 0);
}
