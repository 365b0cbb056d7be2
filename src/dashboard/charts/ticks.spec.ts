import { tickTexts } from './ticks.js';

const at = (text: string): number => Date.parse(text) / 1000;

describe('the marks of a time axis', () => {
  it('show hours by the clocks of the zone, and the day where it begins', () => {
    const hours = [at('2026-03-10T18:00:00Z'), at('2026-03-10T22:00:00Z'), at('2026-03-11T02:00:00Z')];
    expect(tickTexts(hours, 'UTC')).toEqual(['18:00\n10 Mar', '22:00', '02:00\n11 Mar']);
    expect(tickTexts(hours, 'Europe/Berlin')).toEqual(['19:00\n10 Mar', '23:00', '03:00\n11 Mar']);
  });

  it('show days and months, and the year where it begins', () => {
    expect(tickTexts([at('2026-12-30T00:00:00Z'), at('2027-01-02T00:00:00Z')], 'UTC')).toEqual([
      '30 Dec\n2026',
      '2 Jan\n2027',
    ]);
    expect(tickTexts([at('2026-03-01T00:00:00Z'), at('2026-04-01T00:00:00Z')], 'UTC')).toEqual([
      'Mar\n2026',
      'Apr',
    ]);
  });
});
