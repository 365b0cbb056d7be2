import fc from 'fast-check';
import { advanceFrontier, NO_FRONTIER, readHeights, readInclusion } from './inclusion-frontier.js';
import { tries } from '../../../test/support/tries.js';

const noEmpty = { empty: [] };

describe('the inclusion frontier', () => {
  it('reads which of some blocks are included, and which need no data', () => {
    const packed = { from: '10', to: '14', count: 5, txCounts: [0, 3, 0, 2, 1] };
    const columns = { headerDaHeights: [7, 7, null, 8, 8], dataDaHeights: [null, 7, null, null, 9] };
    const read = readHeights({ ...packed, ...columns } as unknown as Parameters<typeof readHeights>[0]);
    expect(read).toEqual({
      included: [
        [10n, 11n],
        [14n, 14n],
      ],
      empty: [[12n, 12n]],
    });
  });

  it('moves over blocks that are known to be included beyond it, in any order of the reports', () => {
    const begun = advanceFrontier(NO_FRONTIER, 1n, {
      included: [
        [7n, 8n],
        [3n, 4n],
        [5n, 5n],
      ],
      ...noEmpty,
    });
    expect(begun).toEqual({
      next: '1',
      beyond: [
        ['3', '5'],
        ['7', '8'],
      ],
      empty: [],
    });
    const moved = advanceFrontier(begun, null, { included: [[1n, 2n]], ...noEmpty });
    expect(moved).toEqual({ next: '6', beyond: [['7', '8']], empty: [] });
    expect(advanceFrontier(moved, null, { included: [[6n, 6n]], ...noEmpty }).next).toBe('9');
  });

  it('is satisfied with a header if the block is empty, and only then', () => {
    const frontier = {
      next: '1',
      beyond: [],
      empty: [
        ['2', '3'],
        ['6', '6'],
      ],
    } as const;
    const heights = ['1', '2', '3', '6', '7'].map((height) => [height, '9', null] as const);
    const more = [
      ['8', '9', '9'],
      ['4', null, '9'],
    ] as const;
    expect(readInclusion(frontier, [...heights, ...more])).toEqual([
      [2n, 3n],
      [6n, 6n],
      [8n, 8n],
    ]);
  });

  it('knows the same ranges in any order of arrival', () => {
    const heights = Array.from({ length: 30 }, (_, index) => BigInt(3 * index + 2));
    const ranges = heights.map((from) => [from, from + 1n] as const);
    const inOrder = advanceFrontier(NO_FRONTIER, 1n, { included: ranges, ...noEmpty });
    expect(inOrder.beyond).toHaveLength(30);
    fc.assert(
      fc.property(fc.shuffledSubarray(ranges, { minLength: 30 }), (included) => {
        expect(advanceFrontier(NO_FRONTIER, 1n, { included, ...noEmpty })).toEqual(inOrder);
      }),
      tries(100),
    );
  });
});
