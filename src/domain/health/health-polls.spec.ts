import { findPollGap, later, leaveOut, quietTo } from './health-polls.js';
import { duration } from './health-rule.js';
import { DEFAULT_THRESHOLDS } from './health-thresholds.js';

const looks = { first: 100_000, last: 160_000, count: 12, longestGapMs: 5_000 };

describe('polls', () => {
  it('prove quiet up to the last but one', () => {
    expect(quietTo(looks, 99_000)).toBe(155_000);
    expect(quietTo({ ...looks, count: 1 }, 99_000)).toBe(99_000);
    expect(quietTo({ ...looks, longestGapMs: 0 }, 99_000)).toBe(99_000);
    expect(quietTo(looks, 160_000)).toBeNull();
  });

  it('have a gap before or among them, but not where another poll is known', () => {
    const find = (more: Partial<typeof looks>, lookedAt: number | null) =>
      findPollGap({ ...looks, ...more }, lookedAt, DEFAULT_THRESHOLDS);
    expect(find({}, 70_000)).toBeUndefined();
    expect(find({}, 69_999)).toEqual({ from: 69_999, to: 100_000 });
    expect(find({ longestGapMs: 40_000 }, null)).toEqual({ from: 120_000, to: 160_000 });
    expect(find({ longestGapMs: 30_000 }, null)).toBeUndefined();
    expect(find({ longestGapMs: 40_000 }, 150_000)).toBeUndefined();
    expect(find({ longestGapMs: 40_000 }, 160_000)).toBeUndefined();
  });

  it('are known up to the later of two', () => {
    expect([later(null, 5), later(3, 5), later(7, 5)]).toEqual([5, 5, 7]);
  });

  it('leave unmonitored time out of ages', () => {
    const unseen = { from: 10_000, to: 40_000 };
    expect([5_000, 10_000, 20_000, 40_000, 50_000].map((moment) => leaveOut(moment, unseen))).toEqual([
      35_000, 40_000, 40_000, 40_000, 50_000,
    ]);
    expect(leaveOut(5_000, { from: 40_000, to: 10_000 })).toBe(5_000);
  });
});

describe('a length of time for people', () => {
  it.each([
    [-5, '0 s'],
    [6_240, '6.2 s'],
    [59_900, '59.9 s'],
    [60_000, '1 min'],
    [200_000, '3 min 20 s'],
    [3_599_000, '59 min 59 s'],
    [3_600_000, '1 h'],
    [7_500_000, '2 h 5 min'],
  ])('%i ms: %s', (ms, text) => {
    expect(duration(ms)).toBe(text);
  });
});
