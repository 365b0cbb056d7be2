import { array, assert, boolean, constant, integer, oneof, property, tuple } from 'fast-check';
import type { ProducedBlock } from './inclusion.js';
import { waitFigures } from './waits.js';

const SECOND = 1_000_000n;

/** Times in seconds. Null: not shown as included; undefined: shown at an unknown time. */
function block(at: number, shownAt: number | null | undefined, transactions = 1): ProducedBlock {
  return {
    timeUs: BigInt(at) * SECOND,
    transactions,
    isIncluded: shownAt !== null,
    includedUs: typeof shownAt === 'number' ? BigInt(shownAt) * SECOND : null,
  };
}

const TIME = { fromUs: 100n * SECOND, toUs: 200n * SECOND, endUs: 300n * SECOND };
/** Their median wait is 4 s. */
const BEFORE = [block(10, 12), block(20, 24), block(30, 39)];

describe('the wait of blocks until they were shown as included', () => {
  it('includes earlier blocks that still waited when the interval began', () => {
    const before = [...BEFORE, block(90, 150, 2), block(95, 100, 4)];
    const told = waitFigures([block(110, 150, 3), block(160, 163, 5)], before, TIME);
    expect(told).toEqual({
      waited: 3n,
      unknown: 0n,
      limitMs: 8_000,
      delayed: 2n,
      transactionsDelayed: 5n,
      p95Ms: 60_000,
      maxMs: 60_000,
      stillWaiting: 0n,
      transactionsStillWaiting: 0n,
      longestStillWaitingMs: null,
      mostWaiting: 2n,
    });
  });

  it('has the number of delayed and of waiting blocks only if some wait is known', () => {
    const nobodySaw = [block(110, undefined), block(120, undefined)];
    expect(waitFigures(nobodySaw, BEFORE, TIME)).toMatchObject({
      unknown: 2n,
      limitMs: 8_000,
      delayed: null,
      transactionsDelayed: null,
      mostWaiting: null,
    });
    const one = waitFigures([...nobodySaw, block(130, 131)], BEFORE, TIME);
    expect(one).toMatchObject({ delayed: 0n, mostWaiting: 1n });
    expect(waitFigures([], BEFORE, TIME)).toMatchObject({ waited: 0n, delayed: 0n, mostWaiting: 0n });
  });

  it('does not treat blocks that already wait at the beginning as a usual wait', () => {
    const frozen = Array.from({ length: 9 }, (_, index) => block(80 + index, 180));
    expect(waitFigures([block(110, 180)], [...BEFORE, ...frozen], TIME)).toMatchObject({
      limitMs: 8_000,
      delayed: 10n,
    });
  });

  it('is the age of a block that still waits', () => {
    expect(waitFigures([block(110, 118), block(120, null, 7)], BEFORE, TIME)).toMatchObject({
      limitMs: 8_000,
      delayed: 1n,
      transactionsDelayed: 7n,
      maxMs: 180_000,
      stillWaiting: 1n,
      transactionsStillWaiting: 7n,
      longestStillWaitingMs: 180_000,
    });
  });

  it('has no figure above the truth if some of the inclusions were not seen', () => {
    // Part of the wait of a block that was shown at an unknown time may be proven.
    const proven = oneof(constant(null), integer({ min: 0, max: 90 }));
    const waits = array(
      tuple(integer({ min: 100, max: 199 }), integer({ min: 0, max: 90 }), boolean(), proven),
      { minLength: 30 },
    );
    assert(
      property(waits, (all) => {
        const hidden = ([at, wait, isSeen, to]: (typeof all)[number]): ProducedBlock => ({
          ...block(at, isSeen ? at + wait : undefined),
          waitedToUs: to === null ? null : BigInt(at + Math.min(wait, to)) * SECOND,
        });
        const whole = waitFigures(
          all.map(([at, wait]) => block(at, at + wait)),
          BEFORE,
          TIME,
        );
        const part = waitFigures(all.map(hidden), BEFORE, TIME);
        for (const name of ['delayed', 'transactionsDelayed', 'p95Ms', 'maxMs', 'mostWaiting'] as const)
          expect(Number(part[name] ?? 0)).toBeLessThanOrEqual(Number(whole[name]));
      }),
    );
  });

  it('has no percentile if most waits are unknown', () => {
    const most = Array.from({ length: 30 }, (_, index) => block(110 + index, undefined));
    expect(waitFigures([...most, block(150, 190)], BEFORE, TIME)).toMatchObject({
      p95Ms: null,
      maxMs: 40_000,
    });
    expect(waitFigures([block(110, undefined), block(150, 190)], BEFORE, TIME).p95Ms).toBe(40_000);
  });

  it('counts unseen inclusions as unknown, and as no wait', () => {
    const told = waitFigures(
      [block(110, undefined, 9), block(120, 123)],
      [...BEFORE, block(40, undefined)],
      TIME,
    );
    expect(told).toMatchObject({
      waited: 2n,
      unknown: 1n,
      delayed: 0n,
      transactionsDelayed: 0n,
      maxMs: 3_000,
    });
  });

  it('counts unseen inclusions up to the last poll at which the block still waited', () => {
    const seenTo = (at: number, to: number): ProducedBlock => ({
      ...block(at, undefined, 3),
      waitedToUs: BigInt(to) * SECOND,
    });
    const told = waitFigures([seenTo(110, 160), seenTo(120, 123)], [...BEFORE, seenTo(90, 150)], TIME);
    expect(told).toMatchObject({
      waited: 3n,
      unknown: 3n,
      delayed: 2n,
      transactionsDelayed: 6n,
      p95Ms: 60_000,
      maxMs: 60_000,
      stillWaiting: 0n,
      mostWaiting: 3n,
    });
  });

  it('has no wait and no limit if no inclusion was seen', () => {
    expect(waitFigures([block(110, undefined)], [], TIME)).toMatchObject({
      unknown: 1n,
      limitMs: null,
      delayed: null,
      transactionsDelayed: null,
      p95Ms: null,
      maxMs: null,
    });
  });
});
