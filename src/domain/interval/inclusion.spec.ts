import { inclusionFigures, percentileOf, type ProducedBlock } from './inclusion.js';

const SECOND = 1_000_000n;

/** Times in seconds. Null: not included; undefined: included at an unknown time. */
function block(at: number, includedAt: number | null | undefined, transactions = 1): ProducedBlock {
  return {
    timeUs: BigInt(at) * SECOND,
    transactions,
    isIncluded: includedAt !== null,
    includedUs: includedAt === null || includedAt === undefined ? null : BigInt(includedAt) * SECOND,
  };
}

const TIME = { fromUs: 100n * SECOND, toUs: 200n * SECOND, endUs: 300n * SECOND };

describe('a percentile', () => {
  it('is one of the values, by the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect([0, 0.5, 0.95, 1].map((share) => percentileOf(hundred, share))).toEqual([1, 50, 95, 100]);
    expect(percentileOf([7], 0.95)).toBe(7);
    expect(percentileOf([], 0.95)).toBeNull();
  });
});

describe('the inclusion of blocks', () => {
  // Their median lag is 4 s.
  const before = [block(10, 12), block(20, 24), block(30, 39)];

  it('counts a block as delayed beyond twice the median lag of the day before', () => {
    const blocks = [block(110, 118, 2), block(120, 129, 3), block(130, null, 5), block(140, undefined, 7)];
    expect(inclusionFigures(blocks, before, TIME)).toMatchObject({
      blocksIncluded: 3n,
      transactions: 17n,
      lagP95Ms: 9_000,
      lagMaxMs: 9_000,
      delayLimitMs: 8_000,
      blocksDelayed: 2n,
      transactionsDelayed: 8n,
    });
  });

  it('does not know what is delayed without a lag of the day before', () => {
    for (const unknown of [[], [block(10, null)], [block(10, undefined)]])
      expect(inclusionFigures([block(110, 118)], unknown, TIME)).toMatchObject({
        delayLimitMs: null,
        blocksDelayed: null,
        transactionsDelayed: null,
        lagMaxMs: 8_000,
      });
  });

  it('does not treat a young block as late that is not included yet', () => {
    const young = inclusionFigures([block(110, null)], before, { ...TIME, endUs: 118n * SECOND });
    const old = inclusionFigures([block(110, null)], before, { ...TIME, endUs: 119n * SECOND });
    expect([young.blocksDelayed, old.blocksDelayed]).toEqual([0n, 1n]);
  });

  it('treats a negative lag, which two clocks can cause, as zero', () => {
    expect(inclusionFigures([block(110, 109)], [], TIME).lagMaxMs).toBe(0);
  });

  it('has the most blocks that waited at one moment, with earlier ones, up to the end', () => {
    const waiting = [block(90, 150), block(95, 100), block(110, 130), block(130, null), block(210, null)];
    // Blocks 90 and 110 wait until 130, when block 130 replaces block 110.
    expect(inclusionFigures(waiting.slice(2), waiting.slice(0, 2), TIME).mostPendingBlocks).toBe(2n);
  });

  it('does not know what was delayed, nor how many waited, if no posting time is known', () => {
    const unknown = {
      blocksIncluded: 1n,
      blocksDelayed: null,
      transactionsDelayed: null,
      mostPendingBlocks: null,
    };
    expect(inclusionFigures([block(140, undefined)], before, TIME)).toMatchObject(unknown);
    expect(inclusionFigures([block(140, undefined), block(150, 151)], before, TIME)).toMatchObject({
      blocksDelayed: 0n,
      mostPendingBlocks: 1n,
    });
  });
});
