import { formatTime } from '../../domain/time.js';
import { DateTime, Int64, parseInstant, parseInt64 } from './scalars.js';

describe('the scalars', () => {
  it.each([
    ['2026-11-21T03:12:04Z', '2026-11-21T03:12:04.000Z'],
    ['2026-11-21T03:12Z', '2026-11-21T03:12:00.000Z'],
    ['2026-11-21T05:12:04.5+02:00', '2026-11-21T03:12:04.500Z'],
    ['2026-11-20T21:42:04.123456-0530', '2026-11-21T03:12:04.123456Z'],
    ['2026-11-21t03:12:04.123456789123z', '2026-11-21T03:12:04.123456789Z'],
    ['2026-11-21T03:12:04.000000001+00', '2026-11-21T03:12:04.000000001Z'],
    ['1969-12-31T23:59:59.999999999Z', '1969-12-31T23:59:59.999999999Z'],
    ['0001-01-02T00:00:00Z', '0001-01-02T00:00:00.000Z'],
    ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59.999999000Z', '9999-12-31T23:59:59.999999Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T20:00:00-04:00', '0001-01-01T00:00:00.000Z'],
  ])('read the time %s and write it with every digit in UTC', (text, written) => {
    expect(formatTime(parseInstant(text))).toBe(written);
  });

  it.each([
    '',
    'now',
    '2026-11-21',
    '2026-11-21T03:12:04',
    '2026-02-30T00:00:00Z',
    '2026-13-01T00:00:00Z',
    '1795230000000',
  ])('refuse %p, which is no time with a zone', (text) => {
    expect(() => parseInstant(text)).toThrow('not an ISO 8601 time with a zone');
  });

  it.each([
    '0000-01-01T00:00:00Z',
    '0000-12-31T23:59:59.999999999Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-12:00',
    '9999-12-31T23:59:59.999999001Z',
    '9999-12-31T23:59:59.999999999Z',
  ])('refuse %p, which no column can hold or be compared with', (text) => {
    expect(() => parseInstant(text)).toThrow('outside of the years 1 to 9999');
  });

  it('keep 64 bits exactly, and refuse more', () => {
    expect(parseInt64('9223372036854775807')).toBe(2n ** 63n - 1n);
    expect(parseInt64('-9223372036854775808')).toBe(-(2n ** 63n));
    for (const text of ['9223372036854775808', '1.0', '1e3', '0x1', ' 1', '', '１']) {
      expect(() => parseInt64(text)).toThrow('not a 64-bit integer');
    }
  });

  it('refuse a number that lost digits on its way', () => {
    expect(Int64.parseValue(5)).toBe(5n);
    expect(() => Int64.parseValue(2 ** 53)).toThrow('write it as a string');
    expect(() => Int64.parseValue(1.5)).toThrow('write it as a string');
    expect(() => DateTime.parseValue(1_795_230_000)).toThrow('not an ISO 8601 time');
  });
});
