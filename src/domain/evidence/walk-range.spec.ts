import fc from 'fast-check';
import { addGap, advanceWalk, standOf, startWalk, type WalkedBlock } from './inclusion-walk.js';
import { changedStands, hasPassed } from './walk-range.js';
import { tries } from '../../../test/support/tries.js';

const KINDS = ['HEADER', 'DATA'] as const;
const HEIGHTS = Array.from({ length: 40 }, (_, height) => BigInt(height));

const da = fc.option(fc.bigInt(1n, 38n), { freq: 4, nil: null });
const block: fc.Arbitrary<WalkedBlock> = fc.record({
  headerDaHeight: da,
  dataDaHeight: da,
  txCount: fc.nat({ max: 1 }),
});
/** The news of a step: a block at a height, or a gap of some heights from there. */
const news = fc.record({ height: fc.integer({ min: 5, max: 25 }), block, gap: fc.nat({ max: 6 }) });

describe('the DA heights where stands change', () => {
  it('hold every change, whatever a walk meets', () => {
    fc.assert(
      fc.property(fc.array(news, { minLength: 1, maxLength: 60 }), fc.boolean(), (all, fromStart) => {
        const walk = startWalk(10n, fromStart);
        const blocks = new Map<bigint, WalkedBlock>();
        for (const { height, block: shown, gap } of all) {
          const before = { ...walk };
          if (gap > 4) addGap(walk, { from: BigInt(height), to: BigInt(height + gap - 4) });
          else blocks.set(BigInt(height), shown);
          if (BigInt(height) < walk.firstHeight) Object.assign(walk, startWalk(BigInt(height), fromStart));
          advanceWalk(walk, (at) => blocks.get(at));
          for (const kind of KINDS) {
            const range = changedStands(kind, before, walk);
            const missed = HEIGHTS.filter(
              (at) =>
                !(range && range.from <= at && at < range.below) &&
                standOf([walk], kind, at) !== standOf([before], kind, at),
            );
            expect(missed).toEqual([]);
          }
        }
      }),
      tries(500),
    );
  });

  it('are none where a walk only steps on within what it passed', () => {
    const walk = startWalk(1n, true);
    const blocks = [9n, 9n].map((height) => ({ headerDaHeight: height, dataDaHeight: null, txCount: 0 }));
    advanceWalk(walk, (height) => blocks[Number(height) - 1]);
    const before = { ...walk };
    blocks.push({ headerDaHeight: 9n, dataDaHeight: null, txCount: 0 });
    expect(advanceWalk(walk, (height) => blocks[Number(height) - 1])).toBe(true);
    expect(KINDS.map((kind) => changedStands(kind, before, walk))).toEqual([null, null]);
  });
});

describe('a range that a walk has passed', () => {
  it('stands so at each of its DA heights', () => {
    const range = fc.tuple(fc.bigInt(0n, 39n), fc.bigInt(0n, 39n));
    fc.assert(
      fc.property(
        fc.array(news, { minLength: 1, maxLength: 40 }),
        range,
        fc.boolean(),
        (all, [from, below], isStart) => {
          const walk = startWalk(10n, isStart);
          const blocks = new Map(all.map(({ height, block: shown }) => [BigInt(height), shown]));
          for (const { height, gap } of all)
            if (gap > 4) addGap(walk, { from: BigInt(height), to: BigInt(height + 1) });
          advanceWalk(walk, (at) => blocks.get(at));
          for (const kind of KINDS) {
            const stands = HEIGHTS.filter((at) => from <= at && at < below).map((at) =>
              standOf([walk], kind, at),
            );
            const isPassed = stands.every((stand) => stand === 'PASSED');
            if (hasPassed(walk, kind, { from, below })) expect(isPassed).toBe(true);
          }
        },
      ),
      tries(500),
    );
  });
});
