import fc from 'fast-check';
import { tries } from '../../../test/support/tries.js';
import { countLost, originOf, type GroupOrigin } from './lost-rows.js';

const NOTHING = { provenMin: 0n, shownLost: 0n, postedElsewhere: 0n, undecided: [] };

describe('originOf', () => {
  const gap = { fromAt: 100n, toAt: 200n };

  it.each<[string, { timeAt: bigint; observedAt: bigint }, GroupOrigin]>([
    ['was shown before the gap', { timeAt: 90n, observedAt: 99n }, 'ELSEWHERE'],
    ['holds a block from long after the gap', { timeAt: 10_000_201n, observedAt: 10_000_300n }, 'ELSEWHERE'],
    ['holds a block from just after the gap', { timeAt: 201n, observedAt: 300n }, 'UNKNOWN'],
    ['holds older blocks alone', { timeAt: 99n, observedAt: 150n }, 'UNKNOWN'],
    ['holds a block from the gap', { timeAt: 150n, observedAt: 900n }, 'GAP'],
  ])('of a group that %s', (_, group, expected) => {
    expect(originOf(group, gap)).toBe(expected);
  });

  it('is the gap for all that blocks show from before the first poll of a list', () => {
    expect(originOf({ timeAt: 1n, observedAt: 1n }, { ...gap, fromAt: null })).toBe('GAP');
  });
});

describe('countLost', () => {
  it('counts groups that no row can be, and as many of the others as exceed the rows', () => {
    const undecided = [
      { groups: 5n, rows: 2n },
      { groups: 1n, rows: 7n },
    ];
    expect(countLost({ ...NOTHING, shownLost: 4n, undecided })).toBe(7n);
  });

  it('counts no group if another list posts', () => {
    expect(countLost({ ...NOTHING, provenMin: 1n, shownLost: 44n, postedElsewhere: 1n })).toBe(1n);
  });

  it('is never more than the real loss, however rows and groups belong together', () => {
    // Each seen row posted one group, or none; a group without a seen row was lost.
    const story = fc.record({
      rows: fc.nat({ max: 12 }),
      landed: fc.array(fc.nat({ max: 11 }), { maxLength: 12 }),
      lost: fc.nat({ max: 12 }),
    });
    fc.assert(
      fc.property(story, ({ rows, landed, lost }) => {
        const seen = new Set(landed.filter((row) => row < rows)).size;
        const groups = BigInt(seen + lost);
        const found = countLost({ ...NOTHING, undecided: [{ groups, rows: BigInt(rows) }] });
        expect(found).toBeLessThanOrEqual(BigInt(lost));
      }),
      tries(500),
    );
  });
});
