import type { PackedBlocks } from '../blocks/block-facts.js';
import {
  mergeRanges,
  rangesOf,
  readRanges,
  type HeightRange,
  type HeightRanges,
} from '../blocks/height-ranges.js';
import type { BlockEvents } from '../events.js';
import { unpackIntegers, valueAt } from '../blocks/packed-columns.js';

/** How far a node's blocks are shown as included, as JSON; heights are decimal strings. */
export interface InclusionFrontier {
  /** The first recorded height that is not known to be included, header and data; null before any block was recorded. */
  readonly next: string | null;
  /** Included heights above `next`, as ascending ranges that don't touch. */
  readonly beyond: HeightRanges;
  /** Heights from `next` on whose blocks have no transactions, so that only their header needs inclusion. */
  readonly empty: HeightRanges;
}

export const NO_FRONTIER: InclusionFrontier = { next: null, beyond: [], empty: [] };

/** Bounds the ranges above the frontier: a node that shows inclusion with endless gaps must not fill the memory. */
const MOST_RANGES = 500;

/** The heights of recorded blocks that matter to the frontier. */
interface RecordedHeights {
  /** Heights that are included, or do not exist. */
  readonly included: readonly HeightRange[];
  readonly empty: readonly HeightRange[];
}

/** Reads the heights from the columns of packed blocks alone. */
export function readHeights(packed: PackedBlocks): RecordedHeights {
  const headers = packed.headerDaHeights && unpackIntegers(packed.headerDaHeights);
  const data = packed.dataDaHeights && unpackIntegers(packed.dataDaHeights);
  const heights = packed.heights && unpackIntegers(packed.heights);
  const first = BigInt(packed.from);
  const included: HeightRange[] = [];
  const empty: bigint[] = [];
  let expected = first;
  for (let index = 0; index < packed.count; index++) {
    const height = heights?.[index] ?? first + BigInt(index);
    const isEmpty = valueAt(packed.txCounts, index, 1) === 0;
    const hasHeader = (headers?.[index] ?? null) !== null;
    // Skipped heights do not exist, and hold nothing up.
    if (height > expected) included.push([expected, height - 1n]);
    if (hasHeader && (isEmpty || (data?.[index] ?? null) !== null)) included.push([height, height]);
    else if (isEmpty) empty.push(height);
    expected = height + 1n;
  }
  return { included: mergeRanges(included), empty: rangesOf(empty) };
}

/** The heights of an inclusion event at which the header and, if there is any, the data are included. */
export function readInclusion(
  frontier: InclusionFrontier,
  heights: BlockEvents['BlockInclusionObserved']['heights'],
): HeightRange[] {
  const empty = readRanges(frontier.empty);
  const isEmpty = (height: bigint) => empty.some(([from, to]) => from <= height && height <= to);
  const included = heights.filter(
    ([height, header, data]) => header !== null && (data !== null || isEmpty(BigInt(height))),
  );
  return rangesOf(included.map(([height]) => BigInt(height)));
}

/** The frontier after more became known. It begins at `first` if nothing was recorded before. */
export function advanceFrontier(
  frontier: InclusionFrontier,
  first: bigint | null,
  { included, empty }: RecordedHeights,
): InclusionFrontier {
  if (frontier.next === null && first === null) return frontier;
  let next = frontier.next === null ? (first ?? 0n) : BigInt(frontier.next);
  const known = readRanges(frontier.beyond);
  const beyond: HeightRange[] = [];
  for (const [from, to] of included.length === 0 ? known : mergeRanges([...known, ...included])) {
    if (to < next) continue;
    if (from <= next) next = to + 1n;
    else beyond.push([from, to]);
  }
  const left = mergeRanges([...readRanges(frontier.empty), ...empty]).filter(([, to]) => to >= next);
  return { next: String(next), beyond: save(beyond), empty: save(left) };
}

/** Lifts the frontier to a height that is known to be the first pending one, or the first one that the node still has. */
export function liftFrontier(frontier: InclusionFrontier, height: bigint): InclusionFrontier {
  if (frontier.next !== null && BigInt(frontier.next) >= height) return frontier;
  return advanceFrontier({ ...frontier, next: String(height) }, null, { included: [], empty: [] });
}

function save(ranges: readonly HeightRange[]): HeightRanges {
  return ranges.slice(0, MOST_RANGES).map(([from, to]) => [String(from), String(to)] as const);
}
