import fc from 'fast-check';
import { formatTime, millisToNanos, nanosByMagnitude, parseTime } from './time.js';
import { tries } from '../../test/support/tries.js';

const EARLIEST_NS = -62_135_596_800_000_000_000n;
const LATEST_NS = 253_402_300_799_999_999_999n;

describe('parseTime', () => {
  it.each([
    ['2026-11-21', '2026-11-21T00:00:00.000Z'],
    ['2026-11-21T03:12', '2026-11-21T03:12:00.000Z'],
    ['2026-11-21T03:12Z', '2026-11-21T03:12:00.000Z'],
    ['2026-11-21t03:12:04z', '2026-11-21T03:12:04.000Z'],
    ['2026-11-21 03:12:04.5 Z', '2026-11-21T03:12:04.500Z'],
    ['2026-11-21T05:12:04,123456+02', '2026-11-21T03:12:04.123456Z'],
    ['2026-11-20T21:42:04.000000001-0530', '2026-11-21T03:12:04.000000001Z'],
    ['2026-11-21T03:12:04.123456789999+00:00', '2026-11-21T03:12:04.123456789Z'],
    ['2026-11-21T24:00:00Z', '2026-11-22T00:00:00.000Z'],
    ['2024-02-29T00:00:00Z', '2024-02-29T00:00:00.000Z'],
    ['1969-12-31T23:59:59.999999999Z', '1969-12-31T23:59:59.999999999Z'],
    ['0000-12-31T20:00:00-04:00', '0001-01-01T00:00:00.000Z'],
  ])('reads %j', (text, written) => {
    const ns = parseTime(text);
    expect(ns === undefined ? undefined : formatTime(ns)).toBe(written);
  });

  it.each([
    '',
    'now',
    '2026',
    '2026-11',
    '1795230000000',
    ' 2026-11-21',
    '2026-11-21T',
    '2026-11-21T03',
    '2026-11-21Z',
    '2026-11-21T03:12:04.Z',
    '2026-11-21T03:12:04+5',
    '2026-11-21T03:12:04  Z',
    '2026-11-21T25:00:00Z',
    '2026-11-21T23:59:60Z',
    '2026-11-21T24:00:01Z',
    '2026-11-21T00:00:00+24:00',
    '2026-13-01',
    '2026-00-01',
    '2026-01-32',
    '+002026-01-01T00:00:00Z',
  ])('refuses %j', (text) => {
    expect(parseTime(text)).toBeUndefined();
    expect(parseTime(text, 'rolling')).toBeUndefined();
  });

  it('accepts a day that its month does not have only if days may roll over', () => {
    expect(parseTime('2026-02-31T00:00:00Z')).toBeUndefined();
    expect(parseTime('2026-02-31T00:00:00Z', 'rolling')).toBe(parseTime('2026-03-03'));
  });

  it('reads every digit that formatTime writes', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: EARLIEST_NS, max: LATEST_NS }), (ns) => {
        expect(parseTime(formatTime(ns))).toBe(ns);
      }),
      tries(100),
    );
  });
});

describe('formatTime', () => {
  it('writes as many decimals as requested, the others cut off', () => {
    const ns = parseTime('2026-11-21T03:12:04.1239999Z') ?? 0n;
    const written = ([0, 3, 6, 9] as const).map((decimals) => formatTime(ns, decimals));
    expect(written).toEqual([
      '2026-11-21T03:12:04Z',
      '2026-11-21T03:12:04.123Z',
      '2026-11-21T03:12:04.123999Z',
      '2026-11-21T03:12:04.123999900Z',
    ]);
  });

  it('writes whole milliseconds as a Date does', () => {
    fc.assert(
      fc.property(fc.date({ noInvalidDate: true }), (date) => {
        expect(formatTime(millisToNanos(date.getTime()))).toBe(date.toISOString());
      }),
      tries(100),
    );
  });
});

describe('nanosByMagnitude', () => {
  it('distinguishes seconds, milliseconds, microseconds and nanoseconds', () => {
    const second = 1_795_230_000n;
    for (const unit of [1n, 10n ** 3n, 10n ** 6n, 10n ** 9n]) {
      expect(nanosByMagnitude(second * unit)).toBe(second * 10n ** 9n);
    }
    expect(nanosByMagnitude(0n)).toBe(0n);
  });

  it.each([
    [1_795_230_000n, '5', 1_795_230_000_500_000_000n],
    [1_795_230_000n, '1234567899', 1_795_230_000_123_456_789n],
    [1_795_230_000_123n, '4567899', 1_795_230_000_123_456_789n],
    [1_795_230_000_123_456n, '7899', 1_795_230_000_123_456_789n],
    [1_795_230_000_123_456_789n, '9', 1_795_230_000_123_456_789n],
  ])('adds the decimals of %d.%s', (whole, decimals, ns) => {
    expect(nanosByMagnitude(whole, decimals)).toBe(ns);
  });
});
