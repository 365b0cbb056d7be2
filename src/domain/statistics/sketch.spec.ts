import fc from 'fast-check';
import { LAST_BIN } from './sketch-code.js';
import {
  binOf,
  nearestRank,
  Sketch,
  SKETCH_ERROR,
  SKETCH_GAMMA,
  SKETCH_LOG_GAMMA,
  valueOfBin,
} from './sketch.js';
import { tries } from '../../../test/support/tries.js';

/** Whole numbers from 0 to 2^53, small ones and powers as likely as large ones; fractions; and extreme values. */
const value = fc.oneof(
  fc.nat({ max: 300 }),
  fc.maxSafeNat(),
  fc.tuple(fc.nat({ max: 52 }), fc.nat({ max: 3 })).map(([power, more]) => 2 ** power + more),
  fc.double({ min: 1, max: 1e9, noNaN: true }),
  fc.double({ min: 1, max: Number.MAX_VALUE, noNaN: true }),
);
const values = fc.array(value, { minLength: 1, maxLength: 200 });
const shares = [0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1];

function sketchOf(list: readonly number[]): Sketch {
  const sketch = Sketch.empty();
  for (const item of list) sketch.add(item);
  return sketch;
}

/** Compares with the value found by sorting. Allows slightly more than the error, for the arithmetic of doubles. */
function expectWithinError(sketch: Sketch, list: readonly number[]): void {
  const sorted = list.toSorted((a, b) => a - b);
  for (const share of shares) {
    const exact = sorted[nearestRank(share, sorted.length) - 1] ?? Number.NaN;
    const estimate = sketch.percentile(share) ?? Number.NaN;
    expect(Math.abs(estimate - exact)).toBeLessThanOrEqual(exact * SKETCH_ERROR * (1 + 1e-9));
  }
  expect(sketch.count).toBe(list.length);
  expect(sketch.max).toBe(sorted.at(-1));
}

describe('Sketch', () => {
  it('states an error of less than 0.9 %', () => {
    expect(SKETCH_ERROR).toBeLessThan(0.009);
  });

  it('knows nothing without values', () => {
    const sketch = Sketch.empty();
    expect([sketch.count, sketch.max, sketch.percentile(0.5)]).toEqual([0, null, null]);
    expect(Sketch.decode(sketch.encode()).max).toBeNull();
  });

  it('gives one value exactly, at every percentile', () => {
    expect(shares.map((share) => Sketch.empty().add(4_321).percentile(share))).toEqual(
      shares.map(() => 4_321),
    );
  });

  it('gives zeros exactly', () => {
    const sketch = Sketch.empty().add(0, 99).add(700);
    expect([sketch.percentile(0.5), sketch.percentile(0.99), sketch.percentile(1)]).toEqual([0, 0, 700]);
  });

  it('counts what is below 1, and below 0, as 0', () => {
    const sketch = sketchOf([-5, 0.5, 0.9]);
    expect([sketch.percentile(0.5), sketch.max]).toEqual([0, 0.9]);
    expect(sketchOf([-5]).max).toBe(0);
  });

  it('is within its error of the percentiles of the sorted values', () => {
    fc.assert(
      fc.property(values, (list) => expectWithinError(sketchOf(list), list)),
      tries(100),
    );
  });

  it('is within the same error after many sketches were coded, decoded and merged', () => {
    fc.assert(
      fc.property(fc.array(values, { minLength: 1, maxLength: 12 }), (lists) => {
        const merged = Sketch.empty();
        for (const list of lists) merged.merge(Sketch.decode(sketchOf(list).encode()));
        expectWithinError(Sketch.decode(merged.encode()), lists.flat());
      }),
      tries(100),
    );
  });

  it('is within the same error when a year of ten thousand long-tailed latencies comes in days', () => {
    const days = Array.from({ length: 365 }, (_, day) =>
      Array.from({ length: 28 }, (__, index) =>
        Math.round(800 * Math.exp((((day * 28 + index) * 7919) % 10_007) / 1_500)),
      ),
    );
    const year = Sketch.empty();
    for (const day of days) year.mergeEncoded(sketchOf(day).encode());
    expectWithinError(year, days.flat());
  });

  it('has the same bytes for the same values in any order and any grouping', () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const [x, y, z] = [sketchOf(a), sketchOf(b), sketchOf(c)];
        const all = sketchOf([...c, ...a, ...b].toReversed()).encode();
        const left = x.copy().merge(y).merge(z).encode();
        const right = z.copy().merge(y.copy().merge(x)).encode();
        const coded = Sketch.decode(y.encode()).mergeEncoded(z.encode()).mergeEncoded(x.encode()).encode();
        for (const bytes of [left, right, coded]) expect(bytes.equals(all)).toBe(true);
      }),
      tries(100),
    );
  });

  it('leaves the merged sketch as it is', () => {
    const other = sketchOf([1, 2, 3]);
    const before = other.encode();
    sketchOf([4]).merge(other).add(9);
    expect(other.copy().add(77).count).toBe(4);
    expect(other.encode()).toEqual(before);
    expect(other.copy().merge(other).count).toBe(6);
  });

  it('accepts counts by bin like the values themselves', () => {
    fc.assert(
      fc.property(values, (list) => {
        const max = Math.max(...list);
        const byBin = new Map<number, number>();
        for (const item of list) byBin.set(binOf(item), (byBin.get(binOf(item)) ?? 0) + 1);
        const sketch = Sketch.empty();
        for (const [bin, count] of byBin) sketch.addBin(bin, count, max);
        expect(sketch.encode().equals(sketchOf(list).encode())).toBe(true);
      }),
      tries(100),
    );
  });

  it('needs a few dozen bytes for ten values and about a kilobyte for a hundred thousand', () => {
    const ten = sketchOf([2_000, 2_150, 2_300, 2_900, 3_100, 3_200, 4_000, 5_500, 9_000, 60_000]);
    expect(ten.encode().length).toBeLessThan(36);
    const many = Sketch.empty();
    for (let index = 0; index < 100_000; index++) many.add((index * 7919) % 60_000);
    expect(many.encode().length).toBeLessThan(1_500);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])('rejects %p', (bad) => {
    expect(() => Sketch.empty().add(bad)).toThrow(RangeError);
    expect(() => Sketch.empty().addBin(3, 1, bad)).toThrow(RangeError);
  });

  it('accepts only shares as percentiles, and only valid bins and counts', () => {
    const sketch = sketchOf([1]);
    for (const bad of [-0.1, 1.1, 99, Number.NaN]) expect(() => sketch.percentile(bad)).toThrow(RangeError);
    for (const bad of [-1, 1.5, 50_000, Number.NaN]) {
      expect(() => sketch.addBin(bad, 1, 1)).toThrow(RangeError);
      if (bad < 10) expect(() => sketch.addBin(1, bad, 1)).toThrow(RangeError);
    }
    expect(sketch.count).toBe(1);
  });
});

describe('bytes that are no sketch', () => {
  const good = sketchOf([3, 900, 900, 70_000]).encode();
  const code = (...bytes: number[]): Uint8Array => Uint8Array.from(bytes);

  it.each([
    ['no bytes', code(), 'end too early'],
    ['another format', code(7, 0, 0), 'format is 7'],
    ['a missing end', good.subarray(0, good.length - 1), 'end too early'],
    ['bytes that follow', Buffer.concat([good, code(0)]), '1 bytes follow'],
    ['an empty bin', code(1, 1, 5, 90, 0), 'bin 90 is empty'],
    ['a bin beyond all numbers', code(1, 1, 5, 0xff, 0xff, 0x7f, 1), 'has a bin 2097151'],
    ['more bins than there can be', code(1, 0xff, 0xff, 0xff, 0x7f, 5), 'claims 268435455 bins'],
    ['an integer with a needless byte', code(1, 1, 0x85, 0x00, 90, 1), 'longer than it needs'],
    [
      'an integer beyond 2^53',
      code(1, 1, ...Array.from({ length: 7 }, () => 0xff), 0x7f, 90, 1),
      'beyond 2^53',
    ],
    ['an integer without end', code(1, 1, ...Array.from({ length: 12 }, () => 0x80)), 'too long'],
    ['a greatest value of none', code(1, 0, 5), 'no others'],
    [
      'a double where an integer does',
      code(2, 1, 0x40, 0x14, 0, 0, 0, 0, 0, 0, 90, 1),
      'greatest value is 5',
    ],
    ['a double that is no number', code(2, 1, 0x7f, 0xf8, 0, 0, 0, 0, 0, 0, 90, 1), 'greatest value is NaN'],
  ])('are refused: %s', (_name, bytes, why) => {
    expect(() => Sketch.decode(bytes)).toThrow(why);
  });

  it('are refused, or are the only bytes with that content', () => {
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 40 }), mutated(good)), (bytes) => {
        let sketch;
        try {
          sketch = Sketch.decode(bytes);
        } catch (error) {
          expect((error as Error).message).toMatch(/^These bytes are not a sketch: /);
          return;
        }
        expect(sketch.encode().equals(bytes)).toBe(true);
      }),
      tries(500),
    );
  });

  it('add nothing', () => {
    const sketch = sketchOf([5]);
    expect(() => sketch.mergeEncoded(good.subarray(0, good.length - 1))).toThrow();
    expect(sketch.encode()).toEqual(sketchOf([5]).encode());
  });
});

describe('binOf', () => {
  it('puts a value into the bin whose bounds hold it', () => {
    fc.assert(
      fc.property(value, (item) => {
        const bin = binOf(item);
        if (item < 1) expect(bin).toBe(0);
        else expect(Math.log(item) / SKETCH_LOG_GAMMA).toBeGreaterThanOrEqual(bin - 1);
        expect(Math.log(Math.max(item, 1)) / SKETCH_LOG_GAMMA).toBeLessThan(Math.max(bin, 1));
      }),
      tries(100),
    );
  });

  it('has a last bin, that of the greatest number', () => {
    expect(binOf(Number.MAX_VALUE)).toBe(LAST_BIN);
    expect(
      Sketch.decode(Sketch.empty().add(Number.MAX_VALUE).add(1e308).encode()).percentile(0.5),
    ).toBeGreaterThan(0.99e308);
  });

  it('begins with 0 below 1, 1 at 1, 2 at 1.018', () => {
    expect([-3, 0, 0.999, 1, 1.0179, 1.0181, 1.0365].map(binOf)).toEqual([0, 0, 0, 1, 1, 2, 3]);
  });

  it('lets the middle of a bin be in it', () => {
    for (let bin = 1; bin < 39_000; bin += 37) expect(binOf(valueOfBin(bin))).toBe(bin);
    expect(valueOfBin(1) / SKETCH_GAMMA ** 0).toBeCloseTo(1 + SKETCH_ERROR, 10);
  });
});

/** Valid bytes with one of them changed. */
function mutated(bytes: Uint8Array): fc.Arbitrary<Uint8Array> {
  return fc.tuple(fc.nat({ max: bytes.length - 1 }), fc.nat({ max: 255 })).map(([at, byte]) => {
    const changed = Uint8Array.from(bytes);
    changed[at] = byte;
    return changed;
  });
}
