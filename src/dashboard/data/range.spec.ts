import { rangeOf, zoomedTo } from './range.js';

const NOW = Date.parse('2026-03-10T00:00:00Z');
const range = (given: Readonly<Record<string, string>>): string[] => {
  const { fromMs, toMs } = rangeOf({ get: (name) => given[name] ?? '' }, NOW);
  return [fromMs, toMs].map((ms) => new Date(ms).toISOString().slice(0, 10));
};

describe('the range of an address', () => {
  it.each([
    ['nothing', {}, ['2026-03-03', '2026-03-10']],
    ['a length', { last: '30d' }, ['2026-02-08', '2026-03-10']],
    ['the shortest length', { last: '15m' }, ['2026-03-09', '2026-03-10']],
    ['a length that is not offered', { last: '31d' }, ['2026-03-03', '2026-03-10']],
    ['a past moment', { asOf: '2026-02-10T00:00:00Z' }, ['2026-02-03', '2026-02-10']],
    ['both ends', { from: '2026-01-01', to: '2026-01-05' }, ['2026-01-01', '2026-01-05']],
    ['an end before its beginning', { from: '2026-01-05', to: '2026-01-01' }, ['2025-12-25', '2026-01-01']],
    ['what cannot be read', { from: 'x', to: '<b>', asOf: '-' }, ['2026-03-03', '2026-03-10']],
  ] as const)('with %s', (_, given, expected) => {
    expect(range(given)).toEqual(expected);
  });
});

describe('a range that a user has selected', () => {
  it.each([
    ['10:07:30', '14:20:01', '10:07:00', '14:21:00'],
    ['10:07:00', '10:08:00', '10:05:00', '10:10:00'],
    ['10:00:00', '11:00:00', '10:00:00', '11:00:00'],
  ])('from %s to %s is shown from %s to %s', (from, to, begin, end) => {
    const at = (clock: string): string => `2026-03-10T${clock}.000Z`;
    expect(zoomedTo(Date.parse(at(from)), Date.parse(at(to)))).toEqual({ from: at(begin), to: at(end) });
  });
});
