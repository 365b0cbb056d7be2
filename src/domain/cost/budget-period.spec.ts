import fc from 'fast-check';
import { tries } from '../../../test/support/tries.js';
import { bucketStart, localDate } from '../statistics/time-buckets.js';
import { budgetPeriodAt, budgetPeriodName, type BudgetPer } from './budget-period.js';

const us = (text: string): bigint => BigInt(Date.parse(text)) * 1000n;
const daysOf = (at: string, per: BudgetPer, zone: string, yearStart?: number): string[] => {
  const { fromUs, toUs } = budgetPeriodAt(us(at), per, zone, yearStart);
  return [localDate(fromUs, zone), localDate(toUs, zone)];
};

describe('the period of a budget', () => {
  it.each<[string, BudgetPer, string, number | undefined, string[]]>([
    ['2026-03-31T21:59Z', 'DAY', 'Europe/Berlin', 4, ['2026-03-31', '2026-04-01']],
    ['2026-03-31T21:59Z', 'YEAR', 'Europe/Berlin', 4, ['2025-04-01', '2026-04-01']],
    ['2026-03-31T22:00Z', 'YEAR', 'Europe/Berlin', 4, ['2026-04-01', '2027-04-01']],
    ['2026-03-31T22:00Z', 'MONTH', 'Europe/Berlin', 4, ['2026-04-01', '2026-05-01']],
    ['2026-12-15T00:00Z', 'QUARTER', 'UTC', 2, ['2026-11-01', '2027-02-01']],
    ['2026-12-15T00:00Z', 'QUARTER', 'UTC', undefined, ['2026-10-01', '2027-01-01']],
    ['2026-12-15T00:00Z', 'YEAR', 'UTC', undefined, ['2026-01-01', '2027-01-01']],
    ['2026-12-15T00:00Z', 'YEAR', 'UTC', 12, ['2026-12-01', '2027-12-01']],
  ])('at %s by %s in %s with year start %p: %j', (at, per, zone, yearStart, days) => {
    expect(daysOf(at, per, zone, yearStart)).toEqual(days);
  });

  it('is a partition of time: periods follow each other, and quarters divide the year', () => {
    const zone = fc.constantFrom(
      'UTC',
      'Europe/Berlin',
      'Pacific/Apia',
      'America/St_Johns',
      'America/Sao_Paulo',
    );
    const moment = fc.bigInt({ min: us('2005-01-01T00:00Z'), max: us('2037-01-01T00:00Z') });
    const month = fc.integer({ min: 1, max: 12 });
    fc.assert(
      fc.property(
        moment,
        zone,
        month,
        fc.constantFrom('DAY', 'MONTH', 'QUARTER', 'YEAR'),
        (at, of, start, per) => {
          const period = budgetPeriodAt(at, per, of, start);
          expect(period.fromUs <= at && at < period.toUs).toBe(true);
          expect(budgetPeriodAt(period.fromUs, per, of, start)).toEqual(period);
          expect(budgetPeriodAt(period.toUs - 1n, per, of, start)).toEqual(period);
          expect(budgetPeriodAt(period.toUs, per, of, start).fromUs).toBe(period.toUs);
          const first = Number(localDate(period.fromUs, of).slice(5, 7));
          if (per === 'YEAR') expect(first).toBe(start);
          if (per === 'QUARTER') expect((first - start + 12) % 3).toBe(0);
          if (per !== 'DAY') expect(bucketStart(period.fromUs, 'MONTH', of)).toBe(period.fromUs);
          // A calendar year needs no other calendar.
          const year = budgetPeriodAt(at, 'YEAR', of, 1);
          expect(year.fromUs).toBe(bucketStart(at, 'YEAR', of));
        },
      ),
      tries(300),
    );
  });

  it('is named after the fiscal year if that is not the calendar year', () => {
    expect([budgetPeriodName('YEAR', 4), budgetPeriodName('YEAR'), budgetPeriodName('MONTH', 4)]).toEqual([
      'fiscal year',
      'year',
      'month',
    ]);
  });
});
