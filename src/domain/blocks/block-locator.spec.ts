import { extendLocator, type LocatorPoint } from './block-locator.js';

const blocks = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    height: BigInt(from + index),
    hash: String(from + index).padStart(64, '0'),
  }));

describe('a locator of blocks', () => {
  it.each([1, 7, 500])(
    'stays a few dozen points and spans the whole chain, when %i are added at a time',
    (size) => {
      let locator: LocatorPoint[] = [];
      for (let from = 1; from <= 20_000; from += size)
        locator = extendLocator(locator, blocks(from, from + size - 1));
      const heights = locator.map(([height]) => Number(height));
      expect(heights.length).toBeLessThan(40);
      expect(heights[0]).toBe(1);
      const newest = heights.at(-1) ?? 0;
      for (let distance = 1; distance < newest; distance *= 2) {
        expect(
          heights.some((height) => newest - height >= distance / 2 && newest - height < distance * 2),
        ).toBe(true);
      }
      expect([...heights].sort((a, b) => a - b)).toEqual(heights);
    },
  );

  it('leaves out blocks without a hash', () => {
    expect(extendLocator([], [{ height: 5n, hash: null }])).toEqual([]);
  });
});
