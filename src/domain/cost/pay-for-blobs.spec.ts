import fc from 'fast-check';
import { Decimal } from './decimal.js';
import { CELESTIA_GAS, feeOf, gasOf, shareBounds, sharesOfBlob } from './pay-for-blobs.js';
import { tries } from '../../../test/support/tries.js';

const PRICE = Decimal.parse('0.004') ?? Decimal.ZERO;

/** For 0, 1, 2 ... bytes: the fewest or most shares over every way to split them; null if there is no way. */
type Tried = readonly (number | null)[];

/** Adds one more blob: tries each size of it. `best` is Math.min or Math.max. */
function tryOneMore(
  fewer: Tried,
  sharesOf: readonly number[],
  best: (a: number, b: number) => number,
): Tried {
  return fewer.map((_, bytes) => {
    let found: number | null = null;
    for (let last = 1; last <= bytes; last += 1) {
      const others = fewer[bytes - last] ?? null;
      if (others === null) continue;
      const shares = others + (sharesOf[last] ?? NaN);
      found = found === null ? shares : best(found, shares);
    }
    return found;
  });
}

describe('shares of a blob', () => {
  it.each([
    [0n, 0n, 0n],
    [1n, 1n, 1n],
    [458n, 1n, 1n],
    [459n, 1n, 2n],
    [478n, 1n, 2n],
    [479n, 2n, 2n],
    [940n, 2n, 2n], // 458 + 482
    [941n, 2n, 3n],
    [960n, 2n, 3n], // 478 + 482
    [961n, 3n, 3n],
    [120_000n, 249n, 250n], // 478 + 247.97… × 482; 458 + 248.01… × 482
  ])('of %s bytes are %s, with signer %s', (bytes, shares, signed) => {
    expect([sharesOfBlob(bytes, false), sharesOfBlob(bytes, true)]).toEqual([shares, signed]);
  });
});

describe('bounds of shares', () => {
  it.each([false, true])('are exact over every split of up to four blobs, signer %s', (signer) => {
    const sizes = Array.from({ length: 1_951 }, (_, bytes) => BigInt(bytes));
    const sharesOf = sizes.map((bytes) => Number(sharesOfBlob(bytes, signer)));
    let min: Tried = sizes.map((bytes) => (bytes === 0n ? 0 : null));
    let max = min;
    for (let blobs = 0; blobs <= 4; blobs += 1) {
      const bounds = sizes.map((bytes) => shareBounds(BigInt(blobs), bytes, signer));
      expect(bounds.map((one) => one && Number(one.min))).toEqual(min);
      expect(bounds.map((one) => one && Number(one.max))).toEqual(max);
      min = tryOneMore(min, sharesOf, Math.min);
      max = tryOneMore(max, sharesOf, Math.max);
    }
  });

  it('hold the shares of any blobs, and are exact for a single one', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 6_000 }), { minLength: 1 }),
        fc.boolean(),
        (sizes, signer) => {
          const bytes = sizes.map(BigInt);
          const exact = bytes.reduce((sum, size) => sum + sharesOfBlob(size, signer), 0n);
          const bounds = shareBounds(
            BigInt(sizes.length),
            bytes.reduce((sum, size) => sum + size, 0n),
            signer,
          );
          expect(bounds?.min).toBeLessThanOrEqual(exact);
          expect(bounds?.max).toBeGreaterThanOrEqual(exact);
          if (sizes.length === 1) expect(bounds).toEqual({ min: exact, max: exact });
        },
      ),
      tries(100),
    );
  });

  it('do not exist where the bytes cannot be split so', () => {
    expect(shareBounds(3n, 2n, false)).toBeNull();
    expect(shareBounds(0n, 1n, false)).toBeNull();
    expect(shareBounds(-1n, 5n, false)).toBeNull();
    expect(shareBounds(0n, 0n, false)).toEqual({ min: 0n, max: 0n });
  });
});

describe('gas and fee of a transaction', () => {
  /*
   * 24 headers of 175 bytes, one share each:
   *   24 × 512 × 8 = 98,304;  24 × 700 = 16,800;  98,304 + 16,800 + 75,000 = 190,104
   *   190,104 × 0.004 = 760.416 → 761
   */
  it('24 headers of 175 bytes at 0.004 take 190,104 gas and 761 utia', () => {
    const gas = gasOf(24n * sharesOfBlob(175n, false), 24n, CELESTIA_GAS);
    expect([gas, feeOf(gas, PRICE)]).toEqual([190_104n, 761n]);
  });

  /*
   * One blob of 120,000 bytes: 1 + ⌈119,522 / 482⌉ = 1 + 248 = 249 shares (247.97…)
   *   249 × 4,096 = 1,019,904;  + 700 + 75,000 = 1,095,604
   *   1,095,604 × 0.004 = 4,382.416 → 4,383
   */
  it('one blob of 120,000 bytes takes 1,095,604 gas and 4,383 utia', () => {
    const gas = gasOf(sharesOfBlob(120_000n, false), 1n, CELESTIA_GAS);
    expect([gas, feeOf(gas, PRICE)]).toEqual([1_095_604n, 4_383n]);
  });

  /*
   * The same blob with signer: 1 + ⌈119,542 / 482⌉ = 1 + 249 = 250 shares (248.01…)
   *   250 × 4,096 = 1,024,000;  + 700 + 75,000 = 1,099,700;  × 0.004 = 4,398.8 → 4,399
   */
  it('with its signer it takes a share more: 1,099,700 gas and 4,399 utia', () => {
    const gas = gasOf(sharesOfBlob(120_000n, true), 1n, { ...CELESTIA_GAS, signer: true });
    expect([gas, feeOf(gas, PRICE)]).toEqual([1_099_700n, 4_399n]);
  });

  /*
   * Blobs of 478, 479, 960 and 961 bytes, at and just over the ends of shares: 1 + 2 + 2 + 3 = 8 shares
   *   8 × 4,096 = 32,768;  4 × 700 = 2,800;  32,768 + 2,800 + 75,000 = 110,568
   *   110,568 × 0.002 = 221.136 → 222
   */
  it('four blobs around the ends of shares take 110,568 gas, at 0.002 222 utia', () => {
    const shares = [478n, 479n, 960n, 961n].reduce((sum, bytes) => sum + sharesOfBlob(bytes, false), 0n);
    const gas = gasOf(shares, 4n, CELESTIA_GAS);
    expect([gas, feeOf(gas, Decimal.parse('0.002') ?? Decimal.ZERO)]).toEqual([110_568n, 222n]);
  });

  /*
   * One header at the network's lowest price: 4,096 + 700 + 75,000 = 79,796
   *   79,796 × 0.000001 = 0.079796 → 1
   */
  it('rounds a part of a utia up', () => {
    const gas = gasOf(1n, 1n, CELESTIA_GAS);
    expect([gas, feeOf(gas, Decimal.parse('0.000001') ?? Decimal.ZERO)]).toEqual([79_796n, 1n]);
  });

  it('never falls when bytes, blobs or the price rise', () => {
    const amounts = fc.record({ bytes: fc.nat(100_000), blobs: fc.nat(50), price: fc.nat(100_000) });
    const fee = ({ bytes, blobs, price }: { bytes: number; blobs: number; price: number }): bigint =>
      feeOf(
        gasOf(sharesOfBlob(BigInt(bytes), false), BigInt(blobs), CELESTIA_GAS),
        Decimal.of(BigInt(price)).dividedBy(Decimal.of(1_000_000n), 6),
      );
    fc.assert(
      fc.property(amounts, amounts, (base, more) => {
        for (const name of ['bytes', 'blobs', 'price'] as const) {
          expect(fee({ ...base, [name]: base[name] + more[name] })).toBeGreaterThanOrEqual(fee(base));
        }
      }),
      tries(100),
    );
  });
});
