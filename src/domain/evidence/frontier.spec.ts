import fc from 'fast-check';
import { tries } from '../../../test/support/tries.js';
import {
  AT_THE_START,
  changedPositions,
  climb,
  type Frontier,
  hasPassed,
  settle,
  type Stair,
} from './frontier.js';
import {
  addGap,
  advanceWalk,
  fillGap,
  lowerWalk,
  walkPositionOf,
  startWalk,
  type WalkedBlock,
} from './inclusion-walk.js';

const up = (frontier: Frontier, at: bigint, passed: bigint): Frontier =>
  climb(frontier, { at, passed, changed: null });

describe('a frontier', () => {
  it('passes DA heights once lists were polled after a walk had passed them, and not before', () => {
    const waiting = up(up(AT_THE_START, 10n, 5n), 20n, 9n);
    expect(settle(waiting, 10n)).toEqual({ frontier: waiting, passed: [] });
    const { frontier, passed } = settle(waiting, 20n);
    expect(passed).toEqual([{ at: 10n, from: 0n, below: 5n }]);
    expect(frontier).toEqual({ below: 5n, stairs: [{ at: 20n, from: 5n, below: 9n }] });
    expect(settle(frontier, 21n).passed).toEqual([{ at: 20n, from: 5n, below: 9n }]);
  });

  it('passes what a walk had skipped when another walk reports it', () => {
    const { frontier } = settle(up(AT_THE_START, 10n, 9n), 11n);
    const told = climb(frontier, { at: 12n, passed: 9n, changed: { from: 3n, below: 20n } });
    expect(settle(told, 13n).passed).toEqual([{ at: 12n, from: 3n, below: 9n }]);
  });

  it('stays the same if nothing new is passed', () => {
    const frontier = up(AT_THE_START, 10n, 5n);
    expect(up(frontier, 11n, 5n)).toBe(frontier);
  });

  it('keeps a bounded number of stairs, and joined stairs are passed with the last of them', () => {
    let frontier = AT_THE_START;
    for (let at = 1n; at <= 200n; at++) frontier = up(frontier, at, at);
    expect(frontier.stairs.length).toBeLessThanOrEqual(64);
    expect(settle(frontier, 200n).frontier.below).toBeLessThan(200n);
    expect(settle(frontier, 201n).frontier).toEqual({ below: 200n, stairs: [] });
  });
});

/** A walk that has advanced, or a poll of all lists; times rise. */
const step = fc.record({
  after: fc.bigInt(0n, 3n),
  by: fc.bigInt(0n, 4n),
  isLook: fc.boolean(),
  lag: fc.bigInt(0n, 5n),
});

it('never falls, and passes each DA height once, however walks and polls interleave', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      let frontier = AT_THE_START;
      let [now, walked] = [0n, 0n];
      const walkedAt = new Map<bigint, bigint>();
      const all: Stair[] = [];
      for (const { after, by, isLook, lag } of steps) {
        now += after;
        const { below } = frontier;
        if (isLook) {
          const { frontier: next, passed } = settle(frontier, now - lag);
          for (const { from, below: to } of passed) {
            for (let da = from; da < to; da++) expect(walkedAt.get(da)).toBeLessThan(now - lag);
          }
          all.push(...passed);
          frontier = next;
        } else {
          for (let da = walked; da < walked + by; da++) walkedAt.set(da, now);
          walked += by;
          frontier = up(frontier, now, walked);
        }
        expect(frontier.below).toBeGreaterThanOrEqual(below);
      }
      const rest = settle(frontier, now + 1n);
      all.push(...rest.passed);
      const heights = all.flatMap(({ from, below }) =>
        Array.from({ length: Number(below - from) }, (_, index) => Number(from) + index),
      );
      expect(heights.sort((a, b) => a - b)).toEqual(Array.from({ length: Number(walked) }, (_, da) => da));
      expect(rest.frontier).toEqual({ below: walked, stairs: [] });
    }),
    tries(200),
  );
});

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

describe('the DA heights with changes', () => {
  it('include every change, whatever a walk meets', () => {
    fc.assert(
      fc.property(fc.array(news, { minLength: 1, maxLength: 60 }), fc.boolean(), (all, fromStart) => {
        const walk = startWalk(10n, fromStart);
        const blocks = new Map<bigint, WalkedBlock>();
        for (const { height, block: shown, gap } of all) {
          const before = { ...walk };
          if (gap > 4) addGap(walk, { from: BigInt(height), to: BigInt(height + gap - 4) });
          else blocks.set(BigInt(height), shown);
          if (gap <= 4 && BigInt(height) < walk.firstHeight) lowerWalk(walk, [BigInt(height)], fromStart);
          if (gap <= 4) fillGap(walk, BigInt(height), shown);
          advanceWalk(walk, (at) => blocks.get(at));
          for (const kind of KINDS) {
            const range = changedPositions(kind, before, walk);
            const missed = HEIGHTS.filter(
              (at) =>
                !(range && range.from <= at && at < range.below) &&
                walkPositionOf([walk], kind, at) !== walkPositionOf([before], kind, at),
            );
            expect(missed).toEqual([]);
          }
        }
      }),
      tries(500),
    );
  });

  it('are empty if a walk only moves within what it passed', () => {
    const walk = startWalk(1n, true);
    const blocks = [9n, 9n].map((height) => ({ headerDaHeight: height, dataDaHeight: null, txCount: 0 }));
    advanceWalk(walk, (height) => blocks[Number(height) - 1]);
    const before = { ...walk };
    blocks.push({ headerDaHeight: 9n, dataDaHeight: null, txCount: 0 });
    expect(advanceWalk(walk, (height) => blocks[Number(height) - 1])).toBe(true);
    expect(KINDS.map((kind) => changedPositions(kind, before, walk))).toEqual([null, null]);
  });
});

describe('a range that a walk has passed', () => {
  it('is passed at each of its DA heights', () => {
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
              walkPositionOf([walk], kind, at),
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
