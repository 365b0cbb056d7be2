import fc from 'fast-check';
import { Decimal } from './decimal.js';
import { forecastMonth, type DayFee, type MonthSoFar } from './month-forecast.js';
import { tries } from '../../../test/support/tries.js';

function day(fee: bigint | null, coverage = 1): DayFee {
  return { fee: fee === null ? null : Decimal.of(fee), coverage };
}

function printed(month: MonthSoFar): string[] | null {
  const forecast = forecastMonth(month);
  return forecast && [forecast.expected, forecast.low, forecast.high].map(String);
}

const MONTH = { spent: Decimal.of(1_000n), daysElapsed: 10, daysInMonth: 30 };

describe('the forecast of a month', () => {
  it('needs three days that are known', () => {
    expect(printed({ ...MONTH, days: [day(100n), day(100n)] })).toBeNull();
    expect(printed({ ...MONTH, days: [day(100n), day(null), day(100n, 0.9), day(100n)] })).toBeNull();
    expect(printed({ ...MONTH, days: [day(100n), day(100n), day(100n)] })).not.toBeNull();
  });

  it('is certain where all days cost the same', () => {
    expect(printed({ ...MONTH, days: [day(100n), day(100n), day(100n)] })).toEqual(['3000', '3000', '3000']);
  });

  /*
   * Mean 100, variance (10² + 0 + 10²) / 2 = 100, deviation 10; 20 days to come:
   *   2.920 × 10 × √(20 + 400 / 3) = 29.2 × √153.333… = 29.2 × 12.382783… = 361.577
   */
  it('has an interval that follows the spread of the days', () => {
    const forecast = forecastMonth({ ...MONTH, days: [day(90n), day(100n), day(110n)] });
    expect(String(forecast?.expected)).toBe('3000');
    expect(forecast?.low.toNumber()).toBeCloseTo(3_000 - 361.577_283, 2);
    expect(forecast?.high.toNumber()).toBeCloseTo(3_000 + 361.577_283, 2);
  });

  it('uses the last 14 days only', () => {
    const days = [...Array<DayFee>(5).fill(day(9_999n)), ...Array<DayFee>(14).fill(day(50n))];
    expect(printed({ ...MONTH, days })).toEqual(['2000', '2000', '2000']);
  });

  it('counts the rest of today', () => {
    const days = [day(100n), day(100n), day(100n)];
    expect(printed({ ...MONTH, daysElapsed: 10.25, days })).toEqual(['2975', '2975', '2975']);
  });

  it('is the spent amount when the month is over', () => {
    expect(printed({ ...MONTH, daysElapsed: 30, days: [] })).toEqual(['1000', '1000', '1000']);
  });

  it('never falls below the spent amount, and its interval always contains the expected value', () => {
    const fees = fc.array(fc.bigInt({ min: 0n, max: 10n ** 15n }), { minLength: 3, maxLength: 20 });
    fc.assert(
      fc.property(
        fees,
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.integer({ min: 0, max: 31 }),
        (list, sum, gone) => {
          const spent = Decimal.of(sum);
          const forecast = forecastMonth({
            spent,
            days: list.map((fee) => day(fee)),
            daysElapsed: gone,
            daysInMonth: 31,
          });
          expect(forecast?.low.compare(spent)).toBeGreaterThanOrEqual(0);
          expect(forecast?.low.compare(forecast.expected)).toBeLessThanOrEqual(0);
          expect(forecast?.high.compare(forecast.expected)).toBeGreaterThanOrEqual(0);
        },
      ),
      tries(100),
    );
  });
});
