import { Decimal } from './decimal.js';
import { orderFaults } from './price-faults.js';

describe('the moment of a price in an error', () => {
  it.each([
    [null, 'from the beginning'],
    [0n, 'from 1970-01-01T00:00:00Z'],
    [1_700_000n, 'from 1970-01-01T00:00:01.700000Z'],
    [-300_000n, 'from 1969-12-31T23:59:59.700000Z'],
    [1_795_000_000_000_042n, 'from 2026-11-18T11:06:40.000042Z'],
  ])('%s microseconds: %s', (effectiveFrom, text) => {
    const entry = { subject: 'GAS_PRICE', effectiveFrom, utia: Decimal.of(1n) } as const;
    expect(orderFaults(entry, entry)).toEqual([`Gas price ${text} is given twice.`]);
  });
});
