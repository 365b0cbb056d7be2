import fc from 'fast-check';
import {
  addHeights,
  heightsAfter,
  heightsFrom,
  lowestHeight,
  removeHeights,
  type HeightRanges,
} from './height-ranges.js';
import { tries } from '../../../test/support/tries.js';

const heightsOf = (ranges: HeightRanges): bigint[] => heightsAfter(ranges, -1n, 100_000);
const heightSet = fc
  .uniqueArray(fc.bigInt({ min: 0n, max: 300n }), { maxLength: 150 })
  .map((heights) => sorted(heights));
const sorted = (heights: bigint[]): bigint[] => [...heights].sort((a, b) => Number(a - b));

describe('pending heights', () => {
  it('hold exactly what was added and not removed', () => {
    fc.assert(
      fc.property(heightSet, heightSet, (added, removed) => {
        const left = removeHeights(addHeights([], added), removed);
        expect(heightsOf(left)).toEqual(added.filter((height) => !removed.includes(height)));
        expect(lowestHeight(left)).toBe(heightsOf(left)[0] ?? null);
      }),
      tries(100),
    );
  });

  it('join neighbours into one range', () => {
    expect(addHeights(addHeights([], [5n, 6n]), [7n, 9n])).toEqual([
      ['5', '7'],
      ['9', '9'],
    ]);
  });

  it('are listed from a height on, up to a limit', () => {
    const ranges = addHeights([], [1n, 2n, 3n, 7n, 8n]);
    expect(heightsAfter(ranges, 2n, 2)).toEqual([3n, 7n]);
    expect(heightsAfter(ranges, 7n, 2)).toEqual([8n]);
    expect(heightsAfter(ranges, 8n, 2)).toEqual([]);
    expect(heightsFrom(ranges, 2n)).toEqual([
      ['2', '3'],
      ['7', '8'],
    ]);
  });

  it('stay few, whichever heights a node includes and leaves out', () => {
    const odd = Array.from({ length: 5_000 }, (_, index) => BigInt(2 * index));
    const ranges = addHeights([], odd);
    expect(ranges.length).toBeLessThanOrEqual(500);
    const held = new Set(heightsOf(ranges));
    expect(odd.every((height) => held.has(height))).toBe(true);
  });
});
