import fc from 'fast-check';
import { Decimal } from './decimal.js';
import { tries } from '../../../test/support/tries.js';

/** Digits, scale, and the decimal that they make. */
const decimals = fc
  .record({ digits: fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), scale: fc.nat({ max: 25 }) })
  .map(({ digits, scale }) => ({ digits, scale, value: decimalOf(digits, scale) }));

function parsed(text: string): Decimal {
  const value = Decimal.parse(text);
  if (!value) throw new Error(`${text} is not read`);
  return value;
}

/** Made from text, so that arithmetic is not tested with itself. */
function decimalOf(digits: bigint, scale: number): Decimal {
  const text = (digits < 0n ? -digits : digits).toString().padStart(scale + 1, '0');
  const point = text.length - scale;
  const fraction = scale === 0 ? '' : `.${text.slice(point)}`;
  return parsed(`${digits < 0n ? '-' : ''}${text.slice(0, point)}${fraction}`);
}

function sign(value: bigint): number {
  return value < 0n ? -1 : value > 0n ? 1 : 0;
}

describe('Decimal', () => {
  it('reads back every sum that it printed, however long, and nothing else', () => {
    const long = `${'9'.repeat(150)}.${'1'.repeat(150)}`;
    expect(Decimal.parse(long)).toBeUndefined();
    expect(Decimal.read(long).plus(Decimal.read('1')).minus(Decimal.read('1')).toString()).toBe(long);
    for (const text of ['', 'NaN', '1e3', '.5', '5.']) expect(() => Decimal.read(text)).toThrow(RangeError);
  });

  it.each([
    ['0', '0'],
    ['-0', '0'],
    ['-0.000', '0'],
    ['007', '7'],
    ['12.3400', '12.34'],
    ['-0.05', '-0.05'],
    ['100', '100'],
    ['0.000001', '0.000001'],
    ['99999999999999999999.999999999999999999', '99999999999999999999.999999999999999999'],
  ])('reads %s and prints %s', (text, printed) => {
    expect(parsed(text).toString()).toBe(printed);
  });

  it.each(['', '.5', '5.', '1e3', '+1', ' 1', '1,5', '0x10', 'NaN', '--1', '1'.repeat(101)])(
    'refuses %j',
    (text) => {
      expect(Decimal.parse(text)).toBeUndefined();
    },
  );

  it('can be parsed from its printed form', () => {
    fc.assert(
      fc.property(decimals, ({ value }) => {
        const text = value.toString();
        expect(text).toMatch(/^(0|-?(0|[1-9]\d*)(\.\d*[1-9])?)$/);
        expect(parsed(text).toString()).toBe(text);
        expect(parsed(text).compare(value)).toBe(0);
      }),
      tries(100),
    );
  });

  it('adds, subtracts, multiplies and compares exactly as integers of one scale do', () => {
    fc.assert(
      fc.property(decimals, decimals, (a, b) => {
        const scale = Math.max(a.scale, b.scale);
        const [x, y] = [a, b].map((one) => one.digits * 10n ** BigInt(scale - one.scale)) as [bigint, bigint];
        expect(a.value.plus(b.value).toString()).toBe(decimalOf(x + y, scale).toString());
        expect(a.value.minus(b.value).toString()).toBe(decimalOf(x - y, scale).toString());
        expect(a.value.times(b.value).toString()).toBe(
          decimalOf(a.digits * b.digits, a.scale + b.scale).toString(),
        );
        expect(a.value.compare(b.value)).toBe(sign(x - y));
        expect(a.value.negate().toString()).toBe(decimalOf(-a.digits, a.scale).toString());
        expect([a.value.isZero(), a.value.isNegative()]).toEqual([a.digits === 0n, a.digits < 0n]);
      }),
      tries(100),
    );
  });

  it('rounds up to the least integer that is not less', () => {
    expect(['760.416', '760', '-760.416', '0.000001', '-0.5'].map((text) => parsed(text).ceil())).toEqual([
      761n,
      760n,
      -760n,
      1n,
      0n,
    ]);
    fc.assert(
      fc.property(decimals, ({ value }) => {
        const up = value.ceil();
        expect(Decimal.of(up).compare(value)).toBeGreaterThanOrEqual(0);
        expect(Decimal.of(up - 1n).compare(value)).toBeLessThan(0);
      }),
      tries(100),
    );
  });

  it.each([
    ['1', '3', 4, '0.3333'],
    ['2', '3', 4, '0.6667'],
    ['1', '8', 2, '0.12'],
    ['3', '8', 2, '0.38'],
    ['-1', '8', 2, '-0.12'],
    ['-3', '8', 2, '-0.38'],
    ['5', '-2', 0, '-2'],
    ['0.001', '0.0004', 3, '2.5'],
    ['0', '7', 3, '0'],
  ])('divides %s by %s with %i digits, and rounds ties to the even digit: %s', (a, b, scale, quotient) => {
    expect(parsed(a).dividedBy(parsed(b), scale).toString()).toBe(quotient);
  });

  it('comes within half of the last digit when it divides', () => {
    const nonZero = decimals.filter(({ digits }) => digits !== 0n);
    fc.assert(
      fc.property(decimals, nonZero, fc.nat({ max: 20 }), (a, b, scale) => {
        const rest = a.value.dividedBy(b.value, scale).times(b.value).minus(a.value);
        // |quotient × b − a| ≤ |b| / 2 / 10^scale, times 2 × 10^scale to stay with integers.
        const twice = rest.times(Decimal.of(2n * 10n ** BigInt(scale)));
        const [distance, limit] = [twice, b.value].map((one) => (one.isNegative() ? one.negate() : one));
        expect(distance?.compare(limit ?? Decimal.ZERO)).toBeLessThanOrEqual(0);
      }),
      tries(100),
    );
  });

  it('refuses to divide by zero and to an invalid scale', () => {
    expect(() => Decimal.of(1n).dividedBy(Decimal.ZERO, 2)).toThrow('Division by zero');
    expect(() => Decimal.of(1n).dividedBy(Decimal.of(2n), -1)).toThrow('Not a scale: -1');
  });

  it('gives the nearest double', () => {
    expect(parsed('-0.1').toNumber()).toBe(-0.1);
    expect(parsed('9007199254740993').toNumber()).toBe(9_007_199_254_740_992);
  });
});
