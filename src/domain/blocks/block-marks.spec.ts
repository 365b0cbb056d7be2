import { addMarks, type BlockMark } from './block-marks.js';

const blocks = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => ({
    height: BigInt(from + index),
    hash: String(from + index).padStart(64, '0'),
  }));

describe('marks', () => {
  it.each([1, 7, 500])('stay a few dozen and span the whole chain, when added %i at a time', (size) => {
    let marks: BlockMark[] = [];
    for (let from = 1; from <= 20_000; from += size) marks = addMarks(marks, blocks(from, from + size - 1));
    const heights = marks.map(([height]) => Number(height));
    expect(heights.length).toBeLessThan(40);
    expect(heights[0]).toBe(1);
    const newest = heights.at(-1) ?? 0;
    for (let distance = 1; distance < newest; distance *= 2) {
      expect(
        heights.some((height) => newest - height >= distance / 2 && newest - height < distance * 2),
      ).toBe(true);
    }
    expect([...heights].sort((a, b) => a - b)).toEqual(heights);
  });

  it('leave out blocks without a hash', () => {
    expect(addMarks([], [{ height: 5n, hash: null }])).toEqual([]);
  });
});
