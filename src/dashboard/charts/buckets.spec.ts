import { bucketFor, fillBuckets } from './buckets.js';

const DAY_MS = 86_400_000;
const hour = (n: number): string => new Date(n * 3_600_000).toISOString();
const filled = (...hours: number[]) => {
  const rows = hours.map((each) => ({ time: hour(each) }));
  const { times, rows: shown } = fillBuckets(rows, 'HOUR');
  return times.map((time, index) => [time / 3_600, shown[index] !== undefined]);
};

describe('the points of a chart', () => {
  it('follow each other where every bucket has a row', () => {
    expect(filled(1, 2, 3)).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
  });

  it('leave a gap where rows are missing, of two points at most', () => {
    expect(filled(1, 3)).toEqual([
      [1, true],
      [2, false],
      [3, true],
    ]);
    expect(filled(1, 900)).toEqual([
      [1, true],
      [2, false],
      [899, false],
      [900, true],
    ]);
  });

  it.each([
    [1, 'HOUR'],
    [8, 'HOUR'],
    [9, 'DAY'],
    [800, 'DAY'],
    [801, 'WEEK'],
  ])('of %s days are of a bucket of a %s', (days, bucket) => {
    expect(bucketFor(0, days * DAY_MS)).toBe(bucket);
  });
});
