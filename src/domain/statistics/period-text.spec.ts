import fc from 'fast-check';
import { tries } from '../../../test/support/tries.js';
import { toPeriodText } from './period-text.js';
import { bucketStart, localDate, nextBucket, type FiscalBucket } from './time-buckets.js';

const us = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;
const nameAt = (at: string, bucket: FiscalBucket, zone: string): string =>
  toPeriodText(bucketStart(us(at), bucket, zone), bucket, zone);

describe('the name of a fiscal period', () => {
  it.each<[string, FiscalBucket, string, string]>([
    ['2026-03-31T21:59Z', { fiscal: 'YEAR', yearStart: 4 }, 'Europe/Berlin', 'FY2026'],
    ['2026-03-31T22:00Z', { fiscal: 'YEAR', yearStart: 4 }, 'Europe/Berlin', 'FY2027'],
    ['2026-03-31T21:59Z', { fiscal: 'QUARTER', yearStart: 4 }, 'Europe/Berlin', 'FY2026-Q4'],
    ['2026-03-31T22:00Z', { fiscal: 'QUARTER', yearStart: 4 }, 'Europe/Berlin', 'FY2027-Q1'],
    ['2026-01-01T00:00Z', { fiscal: 'QUARTER', yearStart: 12 }, 'UTC', 'FY2026-Q1'],
    ['2026-11-30T00:00Z', { fiscal: 'YEAR', yearStart: 12 }, 'UTC', 'FY2026'],
    ['2026-06-01T00:00Z', { fiscal: 'QUARTER', yearStart: 1 }, 'UTC', 'FY2026-Q2'],
    ['2026-12-31T00:00Z', { fiscal: 'YEAR', yearStart: 1 }, 'UTC', 'FY2026'],
  ])('at %s by %j in %s: %s', (at, bucket, zone, name) => {
    expect(nameAt(at, bucket, zone)).toBe(name);
  });

  it('is that of the year in which the fiscal year ends, and its quarters are counted from 1 to 4', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: us('2000-01-01T00:00Z'), max: us('2038-01-01T00:00Z') }),
        fc.constantFrom('UTC', 'Europe/Berlin', 'Pacific/Apia', 'America/St_Johns'),
        fc.integer({ min: 1, max: 12 }),
        (at, zone, yearStart) => {
          const year = { fiscal: 'YEAR', yearStart } as const;
          const startUs = bucketStart(at, year, zone);
          const endUs = nextBucket(startUs, year, zone);
          const name = toPeriodText(startUs, year, zone);
          expect(name).toBe(`FY${localDate(endUs - 1n, zone).slice(0, 4)}`);
          const names: string[] = [];
          const quarter = { fiscal: 'QUARTER', yearStart } as const;
          for (let from = startUs; from < endUs; from = nextBucket(from, quarter, zone))
            names.push(toPeriodText(from, quarter, zone));
          expect(names).toEqual([1, 2, 3, 4].map((n) => `${name}-Q${n}`));
        },
      ),
      tries(100),
    );
  });
});
