import { changeOf, chainToOpen, feeChangeOf, forecastOf, usedInWords, usedOf } from './bill.js';
import { periodAt } from './period.js';

const DAY_MS = 86_400_000;
const at = (text: string): number => Date.parse(text);
const TOTAL = {
  feeMinFloat: 100,
  feeMaxFloat: 100,
  unknownShare: 0,
  coverage: 1,
  counted: true,
  forecastLowFloat: null,
  forecastExpectedFloat: null,
  forecastHighFloat: null,
};
const WEEK = periodAt(at('2026-11-25T00:00:00Z'), 'WEEK', 'UTC');
const rows = (first = 0) =>
  [0, 1, 2, 3, 4, 5, 6].map((day) => ({
    time: new Date(WEEK.fromMs + day * DAY_MS).toISOString(),
    submissionsFloat: day < first ? null : 1,
  }));

describe('a bill', () => {
  it('changes by a share, or by a lower bound of it, or is unknown', () => {
    expect([
      changeOf(2, 3),
      changeOf(4, 3),
      changeOf(3, 3),
      changeOf(0, 3),
      changeOf(null, 3),
      changeOf(2, 117),
    ]).toEqual(['+50%', '−25%', 'none', 'from 0', 'unknown', '59 times']);
    const fees = (feeMinFloat: number | null, feeMaxFloat: number | null) => ({ feeMinFloat, feeMaxFloat });
    expect(feeChangeOf(fees(2, 2), fees(3, null))).toBe('at least +50%');
    expect(feeChangeOf(fees(2, null), fees(3, 3))).toBe('unknown');
    expect(feeChangeOf(undefined, fees(3, 3))).toBe('unknown');
    expect(feeChangeOf(fees(2, 2), fees(0, null))).toBe('unknown');
  });

  it('uses a share of a budget, which is unknown rather than 0', () => {
    const spent = { feeMinFloat: 1e6, feeMaxFloat: 2e6, fiatMinFloat: 5, fiatMaxFloat: 5, fiatUnit: 'EUR' };
    const used = (unit: string, given = {}): string =>
      usedInWords(usedOf({ rule: 'dear', amountFloat: 10, unit }, { ...spent, ...given }));
    expect([used('TIA'), used('EUR'), used('USD')]).toEqual(['10% to 20%', '50%', 'unknown']);
    expect(used('TIA', { feeMaxFloat: null })).toBe('at least 10%');
    expect(used('TIA', { feeMinFloat: 0, feeMaxFloat: null })).toBe('unknown');
  });
});

describe('the forecast of a running period', () => {
  const day = (number: number): number => WEEK.fromMs + number * DAY_MS;

  it('is the rate so far times the length, from the first record on', () => {
    expect(forecastOf(WEEK, TOTAL, rows(), day(3.5))).toMatchObject({ utia: 200 });
    expect(forecastOf(WEEK, TOTAL, rows(2), day(4))).toMatchObject({ utia: 250 });
    const uncounted = { ...TOTAL, feeMaxFloat: null, counted: false };
    expect(forecastOf(WEEK, uncounted, rows(), day(3.5))).toMatchObject({ utia: 200 });
  });

  it('is missing for a reason, and for periods that do not run', () => {
    expect(forecastOf(WEEK, { ...TOTAL, coverage: 0.5 }, rows(), day(3))).toEqual({
      none: 'only 50% of the time so far is covered',
    });
    expect(forecastOf(WEEK, { ...TOTAL, feeMaxFloat: null }, rows(), day(3))).toEqual({
      none: 'the fees so far are not fully known',
    });
    expect(forecastOf(WEEK, TOTAL, rows(3), day(3.07))).toEqual({
      none: 'only 1% of the week is recorded',
    });
    expect(forecastOf(WEEK, TOTAL, rows(), WEEK.toMs)).toBeUndefined();
    expect(forecastOf(WEEK, TOTAL, rows(), WEEK.fromMs)).toBeUndefined();
  });

  it('is that of reports and alerts for a month', () => {
    const month = periodAt(WEEK.fromMs, 'MONTH', 'UTC');
    expect(forecastOf(month, TOTAL, rows(), day(3))).toHaveProperty('none');
    const known = { ...TOTAL, forecastLowFloat: 1, forecastExpectedFloat: 2, forecastHighFloat: 3 };
    expect(forecastOf(month, known, rows(), day(3))).toMatchObject({ utia: 2, bounds: [1, 3] });
  });
});

describe('the chain whose cost is shown first', () => {
  const row = (month: string, chain: string, feeMinFloat: number | null) => ({ month, chain, feeMinFloat });

  it('has the newest known fees, then fees in the most months, then the first name', () => {
    const months = [
      row('2026-10', 'long', 5),
      row('2026-11', 'long', 5),
      row('2026-11', 'new', 9),
      row('2026-11', 'unknown', 0),
      row('2026-10', 'old', 5),
    ];
    expect(chainToOpen(months, ['new', 'old', 'long', 'unknown'])).toBe('long');
    expect(chainToOpen(months, ['unknown', 'old'])).toBe('old');
    expect(chainToOpen([], ['b', 'a'])).toBe('a');
    expect(chainToOpen([], [])).toBeUndefined();
  });
});
