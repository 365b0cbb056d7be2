import { sentence, bytes, count, moment, shortMoment, money, share, sharesOf, timeSpan } from './words.js';

const MONEY = {
  feeMinFloat: null,
  feeMaxFloat: null,
  fiatMinFloat: null,
  fiatMaxFloat: null,
  fiatUnit: null,
};

describe('the words for values', () => {
  it('report null as unknown, and never as zero', () => {
    expect([count(null), share(null), bytes(null), money(undefined), money(MONEY)]).toEqual(
      Array(5).fill('unknown'),
    );
    expect([count(0), share(0), bytes(0)]).toEqual(['0', '0%', '0 B']);
    expect(moment(null, 'UTC')).toBe('never');
  });

  it('never round a share up to a whole', () => {
    expect([share(1), share(0.99999), share(0.5)]).toEqual(['100%', '99.9%', '50%']);
  });

  it('give parts of a whole shares that add up to 100 %', () => {
    expect(sharesOf([1, 1, 1])).toEqual(['33.4%', '33.3%', '33.3%']);
    expect(sharesOf([0.99995, 0.00005])).toEqual(['99.9%', '0.1%']);
    expect(sharesOf([1, 0])).toEqual(['100%', '0%']);
    expect(sharesOf([1, Number.NaN])).toEqual(['unknown', 'unknown']);
  });

  it('give money its bounds, in the currency of its rate where there is one', () => {
    const of = (fees: Partial<typeof MONEY> | object): string => money({ ...MONEY, ...fees });
    expect(of({ feeMinFloat: 1_000_000, feeMaxFloat: 2_000_000 })).toBe('1 to 2 TIA');
    expect(of({ feeMinFloat: 1_000_000, feeMaxFloat: 1_000_000 })).toBe('1 TIA');
    expect(of({ feeMaxFloat: 2_000_000 })).toBe('at most 2 TIA');
    expect(of({ feeMinFloat: 1_000_000 })).toBe('at least 1 TIA');
    expect(of({ feeMaxFloat: 9, fiatMinFloat: 0.5, fiatMaxFloat: 0.75, fiatUnit: 'EUR' })).toBe(
      '0.5 to 0.75 EUR',
    );
  });

  it('are short where there is little room', () => {
    const at = Date.parse('2026-03-10T23:05:09Z');
    const yearsLater = at + 3 * 31_557_600_000;
    expect(shortMoment(at, at, 'Europe/Berlin')).toBe('11 Mar, 00:05');
    expect(shortMoment(at, yearsLater, 'Europe/Berlin')).toBe('11 Mar 2026, 00:05');
  });

  it('round sizes and durations to three digits', () => {
    expect([bytes(370.1), bytes(97_012), bytes(1_433)]).toEqual(['370 B', '97 kB', '1.43 kB']);
    expect([timeSpan(2_719), timeSpan(119_444), timeSpan(42)]).toEqual(['2.72 s', '119 s', '0.042 s']);
  });

  it('name the zone of a time, and the unit of bytes', () => {
    expect(moment('2026-03-10T12:00:00Z', 'UTC')).toBe('10 Mar 2026, 12:00:00 UTC');
    expect(moment('2026-03-10T12:00:00Z', 'Europe/Berlin')).toMatch(/^10 Mar 2026, 13:00:00 \S+$/);
    expect([bytes(999), bytes(1_000), bytes(2_500_000)]).toEqual(['999 B', '1 kB', '2.5 MB']);
  });
});

describe('a recorded sentence', () => {
  it.each([
    [
      'Not monitored: the node was last polled at 2026-11-24T01:58:03Z.',
      'Not monitored: the node was last polled at 24 Nov 2026, 02:58:03 CET.',
    ],
    ['Between 2026-07-01 23:00:00.120 UTC and now', 'Between 2 Jul 2026, 01:00:00 CEST and now'],
    ['It said 2026-13-45T99:99:99Z.', 'It said 2026-13-45T99:99:99Z.'],
    ['Height 2026, 3 of 2026-11-24', 'Height 2026, 3 of 2026-11-24'],
  ])('has its times in the zone: %s', (text, expected) => {
    expect(sentence(text, undefined, 'Europe/Berlin')).toBe(expected);
  });

  it('is cut and printable', () => {
    expect(sentence('abcdef\u202E', 4, 'UTC').length).toBeLessThanOrEqual(5);
  });
});
