import fc from 'fast-check';
import { DEFAULT_MAX_BYTES, policyFault, type BatchingPolicy } from './batching-policy.js';
import { Decimal } from './decimal.js';
import { measureBlock, type BlockSizes } from './measured-block.js';
import { CELESTIA_GAS, feeOf, gasOf, sharesOfBlob } from './pay-for-blobs.js';
import type { Prices } from './price-book.js';
import { WhatIf, type WhatIfResult } from './what-if.js';
import { tries } from '../../../test/support/tries.js';

const PRICES: Prices = { gasPrice: Decimal.parse('0.004') ?? null, schedule: CELESTIA_GAS, fiat: null };
const SECOND = 1_000_000_000n;
const EACH_BLOCK: BatchingPolicy = {
  every: { blocks: 1 },
  joined: false,
  maxBytes: DEFAULT_MAX_BYTES,
  submissionMs: 0,
};

function block(height: bigint, seconds: number, header: number | null, data: number | null): BlockSizes {
  const timeNs = BigInt(Math.round(seconds * 1_000)) * (SECOND / 1_000n);
  return { height, timeNs, headerBlobBytes: header, dataBlobBytes: data };
}

function fold(blocks: readonly BlockSizes[], policy: Partial<BatchingPolicy>, prices = PRICES): WhatIfResult {
  const whatIf = new WhatIf({ ...EACH_BLOCK, ...policy }, () => prices);
  for (const one of blocks) whatIf.add(measureBlock(one));
  return whatIf.finish();
}

function lagsOf({ lagMs }: WhatIfResult): (number | null)[] {
  return [lagMs.count, lagMs.max];
}

/** Four blocks, a second apart; the second one has no transactions. Headers take one share, data 2, 0, 1 and 3. */
const FOUR = [block(1n, 1, 350, 600), block(2n, 2, 350, 0), block(3n, 3, 350, 100), block(4n, 4, 350, 1_000)];

describe('the estimate for other batches of blocks', () => {
  /*
   * Headers: four submissions of 1 share:       4 × (4,096 + 700 + 75,000) = 319,184 gas, 4 × ⌈319.184⌉ = 1,280 utia
   * Data: 2, 1 and 3 shares: 83,892 + 79,796 + 87,988 = 251,676 gas, ⌈335.568⌉ + ⌈319.184⌉ + ⌈351.952⌉ = 1,008 utia
   */
  it('each block by itself pays for each header and each data', () => {
    expect(fold(FOUR, {})).toMatchObject({
      blocks: 4,
      unmeasured: 0,
      submissions: 7,
      blobs: 7,
      sizeBytes: 3_100n,
      gas: 570_860n,
      fee: 2_288n,
      unpriced: 0,
      oversized: 0,
    });
    expect(lagsOf(fold(FOUR, {}))).toEqual([7, 0]);
  });

  /*
   * Headers: two submissions of 2 shares: 2 × (8,192 + 1,400 + 75,000) = 169,184 gas, 2 × ⌈338.368⌉ = 678 utia
   * Data: {2} and {1, 3}: 83,892 + (16,384 + 1,400 + 75,000 = 92,784) = 176,676 gas, 336 + ⌈371.136⌉ = 708 utia
   * Lags: blocks 1 and 3 wait a second, 2 and 4 not at all.
   */
  it('two blocks at a time share what a transaction costs', () => {
    const result = fold(FOUR, { every: { blocks: 2 } });
    expect(result).toMatchObject({ submissions: 4, blobs: 7, gas: 345_860n, fee: 1_386n });
    expect(lagsOf(result)).toEqual([7, 1_000]);
    expect(result.lagMs.percentile(0.4)).toBe(0);
  });

  /* 10 shares, 7 blobs, one transaction: 40,960 + 4,900 + 75,000 = 120,860 gas, ⌈483.44⌉ = 484 utia */
  it('headers and data may go out together', () => {
    const result = fold(FOUR, { every: { blocks: 4 }, joined: true });
    expect(result).toMatchObject({ submissions: 1, blobs: 7, gas: 120_860n, fee: 484n });
    expect(lagsOf(result)).toEqual([7, 3_000]);
  });

  it('a batch may close by the clock, whole multiples of the interval since 1970', () => {
    const blocks = [
      block(1n, 9.5, 350, 0),
      block(2n, 9.999, 350, 0),
      block(3n, 10, 350, 0),
      block(4n, 31, 350, 0),
    ];
    const result = fold(blocks, { every: { ms: 10_000 }, submissionMs: 250 });
    // Closes at 10, 20 and 40 seconds.
    expect(result).toMatchObject({ submissions: 3, blobs: 4 });
    expect(lagsOf(result)).toEqual([4, 10_250]);
    expect(result.lagMs.percentile(0.25)).toBeCloseTo(251, -1.1);
    expect(result.lagMs.percentile(0.5)).toBeCloseTo(750, -1.1);
  });

  it('a batch with more bytes than a submission may have is split between blobs', () => {
    // Headers 350 + 350 | 350 + 350; data 600 + 100 | 1,000, which is too large and goes alone.
    const result = fold(FOUR, { every: { blocks: 4 }, maxBytes: 700 });
    expect(result).toMatchObject({ submissions: 4, blobs: 7, oversized: 1 });
    expect(fold(FOUR, { every: { blocks: 4 }, maxBytes: 1_000 })).toMatchObject({
      submissions: 4,
      oversized: 0,
    });
    // 350 × 2 | 350 × 2 and 600 + 100 | 1,000: nothing of it fits together.
    expect(fold(FOUR, { every: { blocks: 4 }, maxBytes: 1_000, joined: true }).submissions).toBe(4);
    // 350 × 4 and 600 + 100 | 1,000: the last ones have 2,400 bytes together.
    expect(fold(FOUR, { every: { blocks: 4 }, maxBytes: 2_399, joined: true }).submissions).toBe(2);
    expect(fold(FOUR, { every: { blocks: 4 }, maxBytes: 3_100, joined: true }).submissions).toBe(1);
  });

  it('counts blocks without sizes, and guesses no sizes', () => {
    const blocks = [
      block(1n, 1, 350, 600),
      block(2n, 2, null, null),
      block(3n, 3, 350, null),
      block(4n, 4, 0, 0),
    ];
    const result = fold(blocks, { every: { blocks: 2 } });
    expect(result).toMatchObject({ blocks: 4, unmeasured: 3, submissions: 2, blobs: 2 });
    expect(lagsOf(result)).toEqual([2, 1_000]);
  });

  it('ends a batch of blocks where heights are missing, but not a batch by the clock', () => {
    const blocks = [block(1n, 1, 350, 0), block(2n, 2, 350, 0), block(9n, 9, 350, 0), block(10n, 10, 350, 0)];
    expect(fold(blocks, { every: { blocks: 3 } })).toMatchObject({ submissions: 2 });
    expect(lagsOf(fold(blocks, { every: { blocks: 3 } }))).toEqual([4, 1_000]);
    expect(fold(blocks, { every: { ms: 60_000 } })).toMatchObject({ submissions: 1 });
  });

  it('starts again with another history', () => {
    const whatIf = new WhatIf({ ...EACH_BLOCK, every: { blocks: 10 } }, () => PRICES);
    for (const one of FOUR.slice(0, 2)) whatIf.add(measureBlock(one));
    whatIf.endHistory();
    for (const one of FOUR.slice(2)) whatIf.add(measureBlock(one));
    expect(whatIf.finish()).toMatchObject({ blocks: 4, submissions: 4 });
  });

  it('is never earlier than a block, even if times run backwards', () => {
    const blocks = [block(1n, 5, 350, 0), block(2n, 3, 350, 0), block(3n, 4, 350, 0)];
    expect(lagsOf(fold(blocks, { every: { blocks: 3 } }))).toEqual([3, 2_000]);
    expect(fold(blocks, { every: { ms: 1_000 } })).toMatchObject({ submissions: 1 });
  });

  it('prices each submission by the book at its inclusion, and leaves out what has no price', () => {
    const whatIf = new WhatIf({ ...EACH_BLOCK, submissionMs: 500 }, (us) => ({
      ...PRICES,
      gasPrice: us < 2_500_000n ? null : PRICES.gasPrice,
    }));
    for (const one of [block(1n, 1, 350, 0), block(2n, 2, 350, 0)]) whatIf.add(measureBlock(one));
    // One share: 79,796 gas, 320 utia.
    expect(whatIf.finish()).toMatchObject({ submissions: 2, gas: 159_592n, fee: 320n, unpriced: 1 });
    expect(fold(FOUR, {}, { ...PRICES, gasPrice: null })).toMatchObject({ fee: 0n, unpriced: 7 });
  });

  it('uses the shares with signer if the schedule says so', () => {
    const prices = { ...PRICES, schedule: { ...CELESTIA_GAS, signer: true } };
    // 478 bytes are one share without signer and two with it.
    expect(fold([block(1n, 1, 478, 0)], {}).gas).toBe(79_796n);
    expect(fold([block(1n, 1, 478, 0)], {}, prices).gas).toBe(83_892n);
  });

  it('has no known cost and no lag without blocks', () => {
    expect(fold([], {})).toMatchObject({ blocks: 0, submissions: 0, gas: 0n, fee: 0n });
    expect(lagsOf(fold([], {}))).toEqual([0, null]);
  });
});

describe('batching policies compared', () => {
  const chains = fc
    .array(
      fc.record({
        wait: fc.integer({ min: 0, max: 9_000 }),
        header: fc.integer({ min: 1, max: 1_000 }),
        data: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 5_000 })),
      }),
      { minLength: 1, maxLength: 60 },
    )
    .map((steps) => {
      let ms = 0;
      return steps.map(({ wait, header, data }, index) => {
        ms += wait;
        return block(BigInt(index + 1), ms / 1_000, header, data);
      });
    });
  const counts = fc.integer({ min: 1, max: 70 });

  it('each block by itself costs the sum over all blobs', () => {
    fc.assert(
      fc.property(chains, (blocks) => {
        const gases = blocks
          .flatMap((one) => [one.headerBlobBytes ?? 0, one.dataBlobBytes ?? 0])
          .filter((bytes) => bytes > 0)
          .map((bytes) => gasOf(sharesOfBlob(BigInt(bytes), false), 1n, CELESTIA_GAS));
        const result = fold(blocks, {});
        expect(result.gas).toBe(gases.reduce((sum, gas) => sum + gas, 0n));
        expect(result.fee).toBe(
          gases.reduce((sum, gas) => sum + feeOf(gas, PRICES.gasPrice ?? Decimal.ZERO), 0n),
        );
      }),
      tries(100),
    );
  });

  // Holds for whole batches only: with 6 blocks, batches of 5 can separate the two with data, which batches of 3 send
  // together.
  it('several batches as one never cost more gas', () => {
    fc.assert(
      fc.property(chains, counts, counts, fc.boolean(), (blocks, size, times, joined) => {
        const small = fold(blocks, { every: { blocks: size }, joined });
        const large = fold(blocks, { every: { blocks: size * times }, joined });
        expect(large.gas).toBeLessThanOrEqual(small.gas);
        expect(large.blobs).toBe(small.blobs);
      }),
      tries(100),
    );
  });

  it('headers and data together never cost more than apart, however they are split', () => {
    const every = fc.oneof(
      counts.map((blocks) => ({ blocks })),
      fc.integer({ min: 1, max: 60_000 }).map((ms) => ({ ms })),
    );
    fc.assert(
      fc.property(chains, every, fc.integer({ min: 1, max: 20_000 }), (blocks, rhythm, maxBytes) => {
        const apart = fold(blocks, { every: rhythm, maxBytes });
        const together = fold(blocks, { every: rhythm, maxBytes, joined: true });
        expect(together.gas).toBeLessThanOrEqual(apart.gas);
        expect(together.fee).toBeLessThanOrEqual(apart.fee ?? -1n);
        expect(lagsOf(together)).toEqual(lagsOf(apart));
      }),
      tries(100),
    );
  });
});

describe('the error of a policy', () => {
  it.each<[string, Partial<BatchingPolicy>, string]>([
    ['no blocks', { every: { blocks: 0 } }, 'A batch of 0 blocks'],
    ['too many blocks', { every: { blocks: 100_001 } }, 'A batch of 100001 blocks'],
    ['an interval of zero', { every: { ms: 0 } }, 'every 0 ms'],
    ['a negative interval', { every: { ms: -5 } }, 'every -5 ms'],
    ['half a millisecond', { every: { ms: 0.5 } }, 'every 0.5 ms'],
    ['submissions without bytes', { maxBytes: 0 }, 'at most 0 bytes'],
    ['a negative time', { submissionMs: -1 }, 'take -1 ms'],
  ])('names %s', (_what, policy, words) => {
    expect(policyFault({ ...EACH_BLOCK, ...policy })).toEqual(expect.stringContaining(words));
  });

  it('is absent for a possible policy', () => {
    expect(policyFault(EACH_BLOCK)).toBeUndefined();
    expect(policyFault({ ...EACH_BLOCK, every: { ms: 6_000 }, joined: true })).toBeUndefined();
  });
});
