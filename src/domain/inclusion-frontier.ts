import type { PackedBlocks } from './block-facts.js';
import { unpackIntegers } from './packed-columns.js';

/** Heights from the first to the second, both inclusive. */
type HeightRange = readonly [bigint, bigint];

/** How far a node's blocks are shown as included, as JSON (heights are decimal strings). */
export interface Frontier {
  /** The first recorded height that is not known to be included, header and data; null before any block was recorded. */
  readonly next: string | null;
  /** Included heights above `next`, as ascending ranges that don't touch. */
  readonly beyond: readonly (readonly [string, string])[];
}

export const NO_FRONTIER: Frontier = { next: null, beyond: [] };

/** What stands above the frontier is bounded: a node that shows inclusion with endless holes must not fill the memory. */
const MOST_RANGES = 500;

/** The included heights among packed blocks, read from the columns alone. */
export function includedRangesOf(packed: PackedBlocks): HeightRange[] {
  if (!packed.headerDaHeights || !packed.dataDaHeights) return [];
  const headers = unpackIntegers(packed.headerDaHeights);
  const data = unpackIntegers(packed.dataDaHeights);
  const heights = packed.heights && unpackIntegers(packed.heights);
  const first = BigInt(packed.from);
  const included: bigint[] = [];
  for (let index = 0; index < packed.count; index++) {
    const isIncluded = (headers[index] ?? null) !== null && (data[index] ?? null) !== null;
    if (isIncluded) included.push(heights?.[index] ?? first + BigInt(index));
  }
  return rangesOf(included);
}

/** Ascending or not, single heights as ranges. */
export function rangesOf(heights: readonly bigint[]): HeightRange[] {
  return mergeRanges(heights.map((height) => [height, height] as const));
}

/** The frontier after blocks from `first` on were recorded, of which `included` are included. */
export function advanceFrontier(
  frontier: Frontier,
  first: bigint | null,
  included: readonly HeightRange[],
): Frontier {
  if (frontier.next === null && first === null) return frontier;
  let next = frontier.next === null ? (first ?? 0n) : BigInt(frontier.next);
  const known = frontier.beyond.map(([from, to]) => [BigInt(from), BigInt(to)] as const);
  const beyond: HeightRange[] = [];
  for (const [from, to] of included.length === 0 ? known : mergeRanges([...known, ...included])) {
    if (to < next) continue;
    if (from <= next) next = to + 1n;
    else beyond.push([from, to]);
  }
  return {
    next: String(next),
    beyond: beyond.slice(0, MOST_RANGES).map(([from, to]) => [String(from), String(to)] as const),
  };
}

/** Lifts the frontier to a height that is known to be the first pending one, or the first that is left. */
export function liftFrontier(frontier: Frontier, height: bigint): Frontier {
  if (frontier.next !== null && BigInt(frontier.next) >= height) return frontier;
  return advanceFrontier({ ...frontier, next: String(height) }, null, []);
}

function mergeRanges(ranges: readonly HeightRange[]): HeightRange[] {
  const merged: HeightRange[] = [];
  for (const [from, to] of ranges.toSorted((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0))) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1n) {
      merged[merged.length - 1] = [last[0], to > last[1] ? to : last[1]];
    } else {
      merged.push([from, to]);
    }
  }
  return merged;
}
