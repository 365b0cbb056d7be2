import { comparedToMs, periodAt, periodBefore } from './period.js';

const AT = Date.parse('2026-03-29T12:00:00Z');
const spanOf = ({ fromMs, toMs }: { fromMs: number; toMs: number }): string[] =>
  [fromMs, toMs].map((ms) => new Date(ms).toISOString());

describe('a period of costs', () => {
  it('follows the zone, even if its clocks change', () => {
    const day = periodAt(AT, 'DAY', 'Europe/Berlin');
    expect([day.name, ...spanOf(day)]).toEqual([
      '29 Mar 2026',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    expect(periodAt(AT, 'WEEK', 'UTC').name).toBe('23 Mar 2026 to 29 Mar 2026');
    expect(periodAt(AT, 'YEAR', 'UTC').name).toBe('2026');
    const quarter = periodAt(AT, 'QUARTER', 'Europe/Berlin');
    expect([quarter.name, ...spanOf(quarter)]).toEqual([
      'Q1 2026',
      '2025-12-31T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
    ]);
    const last = Date.parse('2026-12-31T23:59:59.999Z');
    expect(periodAt(last, 'QUARTER', 'UTC').name).toBe('Q4 2026');
    expect(periodBefore(quarter, 'Europe/Berlin').name).toBe('Q4 2025');
  });

  it('has a previous period, which ends where it begins', () => {
    const month = periodAt(AT, 'MONTH', 'Europe/Berlin');
    const before = periodBefore(month, 'Europe/Berlin');
    expect([month.name, before.name]).toEqual(['March 2026', 'February 2026']);
    expect(before.toMs).toBe(month.fromMs);
  });

  it('is compared up to the same point while it runs, else as a whole', () => {
    const shown = periodAt(AT, 'MONTH', 'UTC');
    const choice = { shown, other: periodBefore(shown, 'UTC'), by: 'KIND' } as const;
    const end = (now: string): string => new Date(comparedToMs(choice, Date.parse(now))).toISOString();
    expect(end('2026-03-10T06:00:00Z')).toBe('2026-02-10T06:00:00.000Z');
    // February is shorter.
    expect(end('2026-03-30T06:00:00Z')).toBe('2026-03-01T00:00:00.000Z');
    expect(end('2026-04-02T06:00:00Z')).toBe('2026-03-01T00:00:00.000Z');
    expect(end('2026-02-20T06:00:00Z')).toBe('2026-03-01T00:00:00.000Z');
  });
});
