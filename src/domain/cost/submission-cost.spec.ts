import fc from 'fast-check';
import { Decimal } from './decimal.js';
import { CELESTIA_GAS, sharesOfBlob } from './pay-for-blobs.js';
import type { Prices } from './price-book.js';
import { costOfSubmission, type CostFacts } from './submission-cost.js';
import { tries } from '../../../test/support/tries.js';

const NO_PRICES: Prices = { gasPrice: null, schedule: CELESTIA_GAS, fiat: null };
const AT_4_MILLI: Prices = { ...NO_PRICES, gasPrice: Decimal.parse('0.004') ?? null };
/** The worked example: 24 headers of 175 bytes. */
const HEADERS: CostFacts = {
  blobCount: 24n,
  sizeBytes: 4_200n,
  shares: 24n,
  signedShares: 24n,
  gasPrice: null,
  importedFee: null,
};

function price(text: string): Decimal | null {
  return Decimal.parse(text) ?? null;
}

describe('the cost of a submission', () => {
  it('is exact where the shares are known', () => {
    expect(costOfSubmission(HEADERS, AT_4_MILLI)).toEqual({
      gas: { min: 190_104n, max: 190_104n },
      fee: { min: 761n, max: 761n, basis: 'PRICED' },
    });
  });

  /*
   * 24 blobs of 4,200 bytes in unknown parts: at least 24 shares; at most 24 + ⌊(4,200 − 24) / 478⌋ = 24 + 8 = 32
   *   32 × 4,096 + 16,800 + 75,000 = 222,872;  × 0.004 = 891.488 → 892
   */
  it('has bounds where only the sum of bytes is known', () => {
    expect(costOfSubmission({ ...HEADERS, shares: null, signedShares: null }, AT_4_MILLI)).toEqual({
      gas: { min: 190_104n, max: 222_872n },
      fee: { min: 761n, max: 892n, basis: 'PRICED' },
    });
  });

  /* 24 × 4,096 → 25 × 4,096 shares with signer: 102,400 + 16,800 + 75,000 = 194,200 */
  it('uses the shares with signer if the schedule says that blobs name it', () => {
    const prices = { ...AT_4_MILLI, schedule: { ...CELESTIA_GAS, signer: true } };
    expect(costOfSubmission({ ...HEADERS, signedShares: 25n }, prices).gas).toEqual({
      min: 194_200n,
      max: 194_200n,
    });
  });

  it('prefers an imported fee, then the recorded gas price, then the price book', () => {
    const recorded = { ...HEADERS, gasPrice: price('0.01') };
    expect(costOfSubmission({ ...recorded, importedFee: 12_345n }, AT_4_MILLI)).toEqual({
      gas: { min: 190_104n, max: 190_104n },
      fee: { min: 12_345n, max: 12_345n, basis: 'IMPORTED' },
    });
    // 190,104 × 0.01 = 1,901.04 → 1,902
    expect(costOfSubmission(recorded, AT_4_MILLI).fee).toEqual({
      min: 1_902n,
      max: 1_902n,
      basis: 'RECORDED',
    });
    expect(costOfSubmission(HEADERS, AT_4_MILLI).fee?.basis).toBe('PRICED');
  });

  it('knows an imported fee even if nothing else is known', () => {
    const facts = { ...HEADERS, blobCount: null, sizeBytes: null, shares: null, signedShares: null };
    expect(costOfSubmission({ ...facts, importedFee: 700n }, NO_PRICES)).toEqual({
      gas: null,
      fee: { min: 700n, max: 700n, basis: 'IMPORTED' },
    });
  });

  it.each(['0', '-1', '-0.5'])('treats a recorded gas price of %s as unknown, not as free', (text) => {
    expect(costOfSubmission({ ...HEADERS, gasPrice: price(text) }, NO_PRICES).fee).toBeNull();
    expect(costOfSubmission({ ...HEADERS, gasPrice: price(text) }, AT_4_MILLI).fee?.basis).toBe('PRICED');
  });

  it('is unknown where blobs or bytes are, where they contradict each other, and without blobs', () => {
    const unmeasured = { ...HEADERS, shares: null, signedShares: null };
    for (const facts of [
      { ...unmeasured, sizeBytes: null },
      { ...unmeasured, blobCount: null },
      { ...unmeasured, sizeBytes: 23n },
      { ...unmeasured, blobCount: 0n, sizeBytes: 0n },
    ]) {
      expect(costOfSubmission(facts, AT_4_MILLI)).toEqual({ gas: null, fee: null });
    }
  });

  it('lies within its bounds, whatever the sizes of the blobs', () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5_000 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(
        sizes,
        fc.boolean(),
        fc.integer({ min: 1, max: 1_000_000 }),
        (bytes, signer, millionths) => {
          const prices: Prices = {
            schedule: { ...CELESTIA_GAS, signer },
            gasPrice: Decimal.of(BigInt(millionths)).dividedBy(Decimal.of(1_000_000n), 6),
            fiat: null,
          };
          const sharesWith = (isSigned: boolean): bigint =>
            bytes.reduce((sum, size) => sum + sharesOfBlob(BigInt(size), isSigned), 0n);
          const facts = {
            ...HEADERS,
            blobCount: BigInt(bytes.length),
            sizeBytes: BigInt(bytes.reduce((sum, size) => sum + size, 0)),
          };
          const exact = costOfSubmission(
            { ...facts, shares: sharesWith(false), signedShares: sharesWith(true) },
            prices,
          );
          const bounds = costOfSubmission({ ...facts, shares: null, signedShares: null }, prices);
          expect(exact.fee?.min).toBe(exact.fee?.max);
          expect(exact.gas?.min).toBe(exact.gas?.max);
          for (const name of ['gas', 'fee'] as const) {
            expect(bounds[name]?.min).toBeLessThanOrEqual(exact[name]?.min ?? -1n);
            expect(bounds[name]?.max).toBeGreaterThanOrEqual(exact[name]?.max ?? -1n);
          }
        },
      ),
      tries(100),
    );
  });
});
