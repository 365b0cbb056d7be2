import { periodAt, periodBefore } from './period.js';

const AT = Date.parse('2026-03-29T12:00:00Z');
const spanOf = ({ fromMs, toMs }: { fromMs: number; toMs: number }): string[] =>
  [fromMs, toMs].map((ms) => new Date(ms).toISOString());

describe('a period of costs', () => {
  it('follows the zone, even if its clocks change', () => {
    const day = periodAt(AT, 'DAY', 'Europe/Berlin');
    expect([day.name, ...spanOf(day)]).toEqual([
      '2026-03-29',
      '2026-03-28T23:00:00.000Z',
      '2026-03-29T22:00:00.000Z',
    ]);
    expect(periodAt(AT, 'WEEK', 'UTC').name).toBe('2026-03-23 to 2026-03-29');
    expect(periodAt(AT, 'YEAR', 'UTC').name).toBe('2026');
    const quarter = periodAt(AT, 'QUARTER', 'Europe/Berlin');
    expect([quarter.name, ...spanOf(quarter)]).toEqual([
      '2026 Q1',
      '2025-12-31T23:00:00.000Z',
      '2026-03-31T22:00:00.000Z',
    ]);
    const last = Date.parse('2026-12-31T23:59:59.999Z');
    expect(periodAt(last, 'QUARTER', 'UTC').name).toBe('2026 Q4');
    expect(periodBefore(quarter, 'Europe/Berlin').name).toBe('2025 Q4');
  });

  it('has a previous period, which ends where it begins', () => {
    const month = periodAt(AT, 'MONTH', 'Europe/Berlin');
    const before = periodBefore(month, 'Europe/Berlin');
    expect([month.name, before.name]).toEqual(['2026-03', '2026-02']);
    expect(before.toMs).toBe(month.fromMs);
  });
});
