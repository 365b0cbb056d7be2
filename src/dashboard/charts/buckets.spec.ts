import {
  bucketFor,
  costBucketFor,
  fillBuckets,
  inPartOf,
  knownFrom,
  uncoveredOf,
  zoneOfBuckets,
} from './buckets.js';

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

  it('show which time is not fully covered', () => {
    const rows = [1, 0.25, 0, 1, 0].map((coverage, index) => ({ time: hour(index), coverage }));
    expect(uncoveredOf(rows, 'HOUR', hour(4.5))).toEqual([
      { from: 3_600, to: 7_200, share: 0.75 },
      { from: 7_200, to: 10_800, share: 1 },
      { from: 14_400, to: 16_200, share: 1 },
    ]);
    expect(uncoveredOf(rows, 'HOUR', hour(1))).toEqual([]);
  });

  it.each([
    ['coverage', { coverage: 0.1 }],
    ['attempts', { attemptsFloat: 2 }],
    ['volume', { sizeBytesFloat: 1 }],
    ['blocks', { pendingAtEndFloat: 0 }],
  ])('begin to be known with the first bucket whose %s is known', (_, known) => {
    const unknown = { coverage: 0, attemptsFloat: null, sizeBytesFloat: null, pendingAtEndFloat: null };
    const rowsOf = (...given: object[]) =>
      given.map((row, index) => ({ ...unknown, ...row, time: hour(index) }));
    expect(knownFrom(rowsOf({}, {}, known, {}))).toBe(hour(2));
    expect(knownFrom(rowsOf(known, {}))).toBeUndefined();
    expect(knownFrom(rowsOf({}, {}))).toBeUndefined();
  });

  it('show which buckets are partial: cut, ongoing, or waiting', () => {
    const rows = [0, 1, 2, 3].map((index) => ({ time: hour(index), counted: index !== 1 }));
    const startsOf = (fromHour: number, toHour: number, present: number): number[] =>
      inPartOf(
        rows,
        'HOUR',
        'UTC',
        { fromMs: fromHour * 3_600_000, toMs: toHour * 3_600_000 },
        hour(present),
      ).map(({ from }) => from / 3_600);
    expect(startsOf(0, 4, 4)).toEqual([1]);
    expect(startsOf(0.1, 3.9, 9)).toEqual([1]);
    expect(startsOf(0.5, 3.5, 9)).toEqual([0, 1, 3]);
    expect(startsOf(0, 4, 3.9)).toEqual([1, 3]);
    expect(startsOf(0, 4, 2.5)).toEqual([1, 2]);
  });

  it('know how long a day is where the clocks change', () => {
    const rows = [{ time: '2026-10-24T22:00:00Z', counted: false }];
    const span = { fromMs: 0, toMs: Date.parse('2027-01-01T00:00:00Z') };
    const [day] = inPartOf(rows, 'DAY', 'Europe/Berlin', span, '2027-01-01T00:00:00Z');
    expect(day && (day.to - day.from) / 3_600).toBe(25);
  });

  it.each([
    [1 / 48, 'TEN_SECONDS'],
    [1 / 24, 'MINUTE'],
    [1 / 4, 'MINUTE'],
    [0.3, 'QUARTER_HOUR'],
    [2, 'QUARTER_HOUR'],
    [2.1, 'HOUR'],
    [8, 'HOUR'],
    [9, 'DAY'],
    [800, 'DAY'],
    [801, 'WEEK'],
  ])('of %s days are in buckets of a %s', (days, bucket) => {
    expect(bucketFor(0, days * DAY_MS)).toBe(bucket);
  });

  it('are of quarter hours at least where they show cost', () => {
    expect([1 / 48, 1 / 4, 1, 3].map((days) => costBucketFor(0, days * DAY_MS))).toEqual([
      'QUARTER_HOUR',
      'QUARTER_HOUR',
      'QUARTER_HOUR',
      'HOUR',
    ]);
  });

  it('begin by the clocks of the zone from a day on', () => {
    const zones = (['MINUTE', 'HOUR', 'DAY', 'WEEK'] as const).map((bucket) =>
      zoneOfBuckets(bucket, 'Asia/Kathmandu'),
    );
    expect(zones).toEqual(['UTC', 'UTC', 'Asia/Kathmandu', 'Asia/Kathmandu']);
  });
});
