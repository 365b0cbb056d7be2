import fc from 'fast-check';
import { tries } from '../../../test/support/tries.js';
import {
  addDebt,
  dropDebtsBelow,
  dueHeights,
  endOfDebt,
  FIRST_PAUSE_MS,
  LONGEST_PAUSE_MS,
  MOST_DEBTS,
  pauseAfter,
  settleDebts,
  type BlockDebt,
} from './block-debts.js';

const NOW = 1_000_000;
const ranges = (debts: readonly BlockDebt[]) => debts.map(({ from, to }) => [Number(from), Number(to)]);

describe('skipped blocks', () => {
  it('are requested ten seconds after they were skipped, then at pauses that double up to an hour', () => {
    let debts = addDebt([], [5n, 5n], NOW);
    const pauses: number[] = [];
    let now = NOW;
    for (let request = 0; request < 12; request++) {
      const before = now;
      while (dueHeights(debts, now, 8).length === 0) now += 1_000;
      pauses.push((now - before) / 1_000);
      debts = settleDebts(debts, { given: [], refused: [5n] }, now);
    }
    expect(pauses).toEqual([10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600, 3_600]);
  });

  it('are requested at a different height of the range each time, since the lowest may be the only bad one', () => {
    let debts = addDebt([], [5n, 7n], NOW);
    const asked = [0, 1, 2, 3].map(() => {
      const now = Number(debts[0]?.dueAt);
      const due = dueHeights(debts, now, 8);
      debts = settleDebts(debts, { given: [], refused: due }, now);
      return due;
    });
    expect(asked).toEqual([[5n], [6n], [7n], [5n]]);
  });

  it('keep the rest of a range, and are requested at once if no block of it was refused', () => {
    const debts = settleDebts(addDebt([], [5n, 20n], NOW), { given: [8n, 9n, 10n], refused: [11n] }, NOW);
    expect(ranges(debts)).toEqual([
      [5, 7],
      [11, 20],
    ]);
    expect(dueHeights(debts, NOW, 8)).toEqual([5n]);
    expect(endOfDebt(debts, 12n)).toBe(20n);
    expect(endOfDebt(debts, 8n)).toBeUndefined();
  });

  it('are bounded: the lowest are given up', () => {
    let debts: readonly BlockDebt[] = [];
    for (let height = 0n; height < 300n; height++) debts = addDebt(debts, [2n * height, 2n * height], NOW);
    expect(debts).toHaveLength(MOST_DEBTS);
    expect(debts[0]?.from).toBe('200');
  });

  it('are removed when the node says that it dropped them', () => {
    const debts = addDebt(addDebt([], [3n, 5n], NOW), [9n, 12n], NOW);
    expect(ranges(dropDebtsBelow(debts, 11n))).toEqual([[11, 12]]);
  });

  it('do not wait for a clock that was far ahead', () => {
    const debts = addDebt([], [5n, 5n], NOW + 400 * 86_400_000);
    expect(dueHeights(debts, NOW, 8)).toEqual([5n]);
  });

  it('are each recorded exactly once when the node returns them sooner or later, without haste', () => {
    const whenGiven = fc.option(fc.nat({ max: 200_000 }), { freq: 4 });
    const stretch = fc.array(whenGiven, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 8 }), fc.nat({ max: 3 }), (stretches, runLength) => {
        const givenAt = new Map<bigint, number | null>();
        let debts: readonly BlockDebt[] = [];
        stretches.forEach((heights, index) => {
          const from = BigInt(index * 10);
          heights.forEach((at, offset) => givenAt.set(from + BigInt(offset), at));
          debts = addDebt(debts, [from, from + BigInt(heights.length - 1)], 0);
        });
        const recorded: bigint[] = [];
        const askedAt = new Map<bigint, number[]>();
        const end = 200_000 + 40 * LONGEST_PAUSE_MS;
        for (let now = 0; now < end && debts.length > 0;) {
          const due = dueHeights(debts, now, 8);
          const given: bigint[] = [];
          const refused: bigint[] = [];
          for (const first of due) {
            const to = endOfDebt(debts, first) ?? first;
            for (let height = first; height <= to && height <= first + BigInt(runLength); height++) {
              askedAt.set(height, [...(askedAt.get(height) ?? []), now]);
              const at = givenAt.get(height) ?? Infinity;
              (at <= now ? given : refused).push(height);
              if (at > now) break;
            }
          }
          recorded.push(...given);
          debts = settleDebts(debts, { given, refused }, now);
          const next = Math.min(...debts.map(({ dueAt }) => dueAt));
          now = Math.max(next, now + 1_000);
        }
        const expected = [...givenAt].filter(([, at]) => at !== null).map(([height]) => height);
        expect([...recorded].sort((a, b) => (a < b ? -1 : 1))).toEqual(expected);
        for (const times of askedAt.values()) {
          times.slice(1).forEach((at, index) => {
            expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(FIRST_PAUSE_MS);
          });
          expect(times.length).toBeLessThan(40 + 12 * 6);
        }
      }),
      tries(40),
    );
  });

  it('never wait for more than an hour', () => {
    expect(pauseAfter(2_000)).toBe(LONGEST_PAUSE_MS);
  });
});
