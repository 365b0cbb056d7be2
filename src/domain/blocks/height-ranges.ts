import { compareIntegers } from '../collections.js';

/** Heights from the first to the second, both included. */
export type HeightRange = readonly [from: bigint, to: bigint];

/** Ranges of heights as JSON: closed, in decimal, lowest first, not touching each other. */
export type HeightRanges = readonly (readonly [from: string, to: string])[];

/** More ranges than this are joined at the narrowest gaps, so that no node can make the state grow without bound. */
const MOST_RANGES = 500;

export function readRanges(ranges: HeightRanges): HeightRange[] {
  return ranges.map(([from, to]) => [BigInt(from), BigInt(to)]);
}

/** Ranges in any order, lowest first and joined where they touch each other. */
export function mergeRanges(ranges: readonly HeightRange[]): [bigint, bigint][] {
  const merged: [bigint, bigint][] = [];
  for (const [from, to] of ranges.toSorted(([a], [b]) => compareIntegers(a, b))) {
    const last = merged.at(-1);
    if (!last || from > last[1] + 1n) merged.push([from, to]);
    else if (to > last[1]) last[1] = to;
  }
  return merged;
}

/** Single heights as ranges, lowest first. */
export function rangesOf(heights: readonly bigint[]): HeightRange[] {
  return mergeRanges(heights.map((height) => [height, height]));
}

export function addHeights(ranges: HeightRanges, heights: readonly bigint[]): HeightRanges {
  return write(mergeRanges([...readRanges(ranges), ...rangesOf(heights)]));
}

/** Removes heights, lowest first. */
export function removeHeights(ranges: HeightRanges, heights: readonly bigint[]): HeightRanges {
  const left: [bigint, bigint][] = [];
  let index = 0;
  for (const [first, last] of ranges) {
    const to = BigInt(last);
    let from = BigInt(first);
    while (index < heights.length && (heights[index] as bigint) < from) index++;
    for (let height = heights[index]; height !== undefined && height <= to; height = heights[++index]) {
      if (height > from) left.push([from, height - 1n]);
      from = height + 1n;
    }
    if (from <= to) left.push([from, to]);
  }
  return write(left);
}

/** The lowest height, or null when there is none. */
export function lowestHeight(ranges: HeightRanges): bigint | null {
  const first = ranges[0];
  return first ? BigInt(first[0]) : null;
}

/** Up to `limit` heights above `after`, lowest first. */
export function heightsAfter(ranges: HeightRanges, after: bigint, limit: number): bigint[] {
  const heights: bigint[] = [];
  for (const [first, last] of ranges) {
    const to = BigInt(last);
    const from = BigInt(first);
    for (let height = from > after ? from : after + 1n; height <= to; height++) {
      if (heights.length >= limit) return heights;
      heights.push(height);
    }
  }
  return heights;
}

/** The part of the ranges at or above a height. */
export function heightsFrom(ranges: HeightRanges, atLeast: bigint): HeightRanges {
  return ranges
    .filter(([, to]) => BigInt(to) >= atLeast)
    .map(([from, to]) => [BigInt(from) >= atLeast ? from : String(atLeast), to] as const);
}

function write(ranges: [bigint, bigint][]): HeightRanges {
  while (ranges.length > MOST_RANGES) joinNarrowest(ranges);
  return ranges.map(([from, to]) => [String(from), String(to)] as const);
}

function joinNarrowest(ranges: [bigint, bigint][]): void {
  let best = 1;
  for (let index = 2; index < ranges.length; index++) {
    if (gapBefore(ranges, index) < gapBefore(ranges, best)) best = index;
  }
  const [, to] = ranges[best] as [bigint, bigint];
  (ranges[best - 1] as [bigint, bigint])[1] = to;
  ranges.splice(best, 1);
}

function gapBefore(ranges: readonly [bigint, bigint][], index: number): bigint {
  return (ranges[index] as [bigint, bigint])[0] - (ranges[index - 1] as [bigint, bigint])[1];
}
