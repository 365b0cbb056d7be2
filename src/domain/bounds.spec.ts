import fc from 'fast-check';
import {
  HIGHEST_HEIGHT,
  LARGEST_COUNT,
  nearestCount,
  nearestSize,
  readHeight,
  readHeightRange,
  readInteger,
  toClockOffset,
  toClockTime,
  toCount,
  toEstimate,
  toHeight,
  toInt64,
  toMicros,
  toStorable,
} from './bounds.js';
import { tries } from '../../test/support/tries.js';

const integers = fc.oneof(
  fc.bigInt(),
  fc.constantFrom(2n ** 62n, 2n ** 62n + 1n, 2n ** 63n - 1n, 2n ** 64n - 1n, -1n, 0n),
);
const texts = fc.oneof(
  integers.map(String),
  fc.string(),
  fc.constantFrom('NaN', 'Infinity', '-Infinity', '1e99', '1.5', '0x10', ' 1', '', '9'.repeat(5_000)),
);
const doubles = fc.double();

describe('heights', () => {
  it('are accepted from 1 to 2^62', () => {
    expect([0n, 1n, 2n ** 62n, 2n ** 62n + 1n].map(toHeight)).toEqual([null, 1n, 2n ** 62n, null]);
    expect(readHeight('4611686018427387904')).toBe(HIGHEST_HEIGHT);
    expect(readHeight(null)).toBeNull();
  });

  it('are valid, or absent, whatever the text', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const height = readHeight(text);
        return height === null || (height > 0n && height <= HIGHEST_HEIGHT);
      }),
      tries(100),
    );
  });

  it('form ranges in order, within the valid bounds', () => {
    fc.assert(
      fc.property(texts, texts, (from, to) => {
        const range = readHeightRange(from, to);
        return range === null || (range.from >= 1n && range.from <= range.to && range.to <= HIGHEST_HEIGHT);
      }),
      tries(100),
    );
    expect(readHeightRange('2', '18446744073709551614')).toEqual({ from: 2n, to: HIGHEST_HEIGHT });
    expect(readHeightRange('0', '7')).toEqual({ from: 1n, to: 7n });
    expect(readHeightRange('7', '6')).toBeNull();
    expect(readHeightRange('9223372036854775807', '9223372036854775807')).toBeNull();
  });
});

describe('other numbers', () => {
  it('are read exactly, or not at all', () => {
    expect(['12', '+12', '-12', 12, 1.5, NaN, '1e3', ''].map(readInteger)).toEqual([
      12n,
      12n,
      -12n,
      12n,
      null,
      null,
      null,
      null,
    ]);
  });

  it('fit their columns, whatever they were', () => {
    fc.assert(
      fc.property(doubles, integers, (double, integer) => {
        expect(BigInt.asIntN(64, toInt64(integer))).toBe(toInt64(integer));
        for (const count of [nearestCount(double), toCount(double) ?? 0]) {
          expect(Number.isInteger(count) && count >= 0 && count <= LARGEST_COUNT).toBe(true);
        }
        expect(Number.isSafeInteger(nearestSize(double))).toBe(true);
        expect(toEstimate(double) ?? 0n).toBeLessThan(2n ** 62n);
        expect(new Date(Number(toMicros(double) / 1000n)).toISOString()).toMatch(/^\d{4}-/);
        expect(new Date(toClockTime(double) ?? 0).toISOString()).toMatch(/^\d{4}-/);
        expect(BigInt.asIntN(62, (toClockOffset(double) ?? 0n) * 1000n)).toBe(
          (toClockOffset(double) ?? 0n) * 1000n,
        );
      }),
      tries(100),
    );
  });
});

describe('text', () => {
  it('equals the text that the database returns', () => {
    expect(toStorable('a\0b\ud800c\u{10ffff}')).toBe('a\ufffdb\ufffdc\u{10ffff}');
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => toStorable(toStorable(text)) === toStorable(text)),
      tries(100),
    );
  });
});
