import fc from 'fast-check';
import { formatTime } from '../../domain/time.js';
import { INFINITY_US, OUR_TYPES } from './column-parsers.js';
import { tries } from '../../../test/support/tries.js';

const parse = OUR_TYPES.getTypeParser(1184, 'text') as (text: string) => bigint;

/** Formats a time as Postgres does: without trailing zeros in its fraction. */
function write(us: bigint, hours: number): string {
  const local = formatTime((us + BigInt(hours) * 3_600_000_000n) * 1_000n, 6);
  const zone = `${hours < 0 ? '-' : '+'}${String(Math.abs(hours)).padStart(2, '0')}`;
  return `${local.replace('T', ' ').replace(/\.?0*Z$/, '')}${zone}`;
}

describe('a time as the database writes it', () => {
  it('is read to the microsecond, in any zone', () => {
    const us = fc.bigInt({ min: -60_000_000_000_000_000n, max: 250_000_000_000_000_000n });
    const hours = fc.oneof(fc.constant(0), fc.integer({ min: -12, max: 14 }));
    fc.assert(
      fc.property(us, hours, (time, zone) => expect(parse(write(time, zone))).toBe(time)),
      tries(100),
    );
  });

  it.each([
    ['0044-03-15 12:00:00+00 BC', -63_517_780_800_000_000n],
    ['10000-01-01 00:00:00+00', 253_402_300_800_000_000n],
    ['1883-11-18 12:03:58-04:56:02', -2_717_650_800_000_000n],
    ['infinity', INFINITY_US],
  ])('is read where it is unusual: %s', (text, us) => {
    expect(parse(text)).toBe(us);
  });
});
