import fc from 'fast-check';
import { AT_THE_START, climb, settle, type Frontier, type Stair } from './frontier.js';
import { tries } from '../../../test/support/tries.js';

const up = (frontier: Frontier, at: bigint, passed: bigint): Frontier =>
  climb(frontier, { at, passed, changed: null });

describe('a frontier', () => {
  it('passes DA heights once lists were looked at after a walk had passed them, and not before', () => {
    const waiting = up(up(AT_THE_START, 10n, 5n), 20n, 9n);
    expect(settle(waiting, 10n)).toEqual({ frontier: waiting, passed: [] });
    const { frontier, passed } = settle(waiting, 20n);
    expect(passed).toEqual([{ at: 10n, from: 0n, below: 5n }]);
    expect(frontier).toEqual({ below: 5n, stairs: [{ at: 20n, from: 5n, below: 9n }] });
    expect(settle(frontier, 21n).passed).toEqual([{ at: 20n, from: 5n, below: 9n }]);
  });

  it('passes what a walk had stepped over when another one tells of it', () => {
    const { frontier } = settle(up(AT_THE_START, 10n, 9n), 11n);
    const told = climb(frontier, { at: 12n, passed: 9n, changed: { from: 3n, below: 20n } });
    expect(settle(told, 13n).passed).toEqual([{ at: 12n, from: 3n, below: 9n }]);
  });

  it('is as it was where nothing new is passed', () => {
    const frontier = up(AT_THE_START, 10n, 5n);
    expect(up(frontier, 11n, 5n)).toBe(frontier);
  });

  it('keeps a bounded number of stairs, and joined ones are passed with the last of them', () => {
    let frontier = AT_THE_START;
    for (let at = 1n; at <= 200n; at++) frontier = up(frontier, at, at);
    expect(frontier.stairs.length).toBeLessThanOrEqual(64);
    expect(settle(frontier, 200n).frontier.below).toBeLessThan(200n);
    expect(settle(frontier, 201n).frontier).toEqual({ below: 200n, stairs: [] });
  });
});

/** A walk that has gone on, or a look through all lists; times rise. */
const step = fc.record({
  after: fc.bigInt(0n, 3n),
  by: fc.bigInt(0n, 4n),
  isLook: fc.boolean(),
  lag: fc.bigInt(0n, 5n),
});

it('never falls, and passes each DA height once, however walks and looks interleave', () => {
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
