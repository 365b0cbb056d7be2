import { duration, addGap, usualGap, usualLimit } from './health-rule.js';
import { DEFAULT_THRESHOLDS, readThresholds } from './health-thresholds.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a length of time in words', () => {
  it.each([
    [6_240, '6.2 s'],
    [3 * MINUTE + 20_000, '3 min 20 s'],
    [2 * HOUR + 5 * MINUTE, '2 h 5 min'],
    [24 * HOUR - 1, '23 h 59 min'],
    [24 * HOUR, '1 d'],
    [52 * HOUR + 59 * MINUTE, '2 d 4 h'],
  ])('prints %s ms as %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });
});

const upTo = (count: number) => Array.from({ length: count }, (_, index) => (count - index) * 1_000);

describe('the usual gap', () => {
  it('is a guess until ten gaps are known, and then the p90 of the gaps', () => {
    expect(usualGap(upTo(4), DEFAULT_THRESHOLDS)).toBe(DEFAULT_THRESHOLDS.usualUnknownMs);
    expect(usualGap(upTo(10), DEFAULT_THRESHOLDS)).toBe(9_000);
    expect(usualGap(upTo(40), DEFAULT_THRESHOLDS)).toBe(36_000);
  });

  it('is no less than what the first gaps show', () => {
    expect(usualGap([600_000], DEFAULT_THRESHOLDS)).toBe(600_000);
    expect(usualGap([2_000, 598_000, 2_000], DEFAULT_THRESHOLDS)).toBe(598_000);
  });

  it('is known from the latest hundred gaps, in whole milliseconds', () => {
    const gaps = upTo(100).reduce<readonly number[]>(
      (known, gap) => addGap(known, gap + 0.4, DEFAULT_THRESHOLDS),
      [7, 7, 7],
    );
    expect(gaps).toEqual(upTo(100));
  });

  it('is multiplied between two bounds, and the lower bound wins', () => {
    expect(usualLimit(2_000, 3, 5_000, 60_000)).toBe(6_000);
    expect(usualLimit(1_000, 3, 5_000, 60_000)).toBe(5_000);
    expect(usualLimit(30_000, 3, 5_000, 60_000)).toBe(60_000);
    expect(usualLimit(40_000, 3, 5_000, 60_000)).toBe(80_000);
    expect(usualLimit(30_000, 3, 100_000, 60_000)).toBe(100_000);
  });
});

describe('thresholds of a chain', () => {
  it('are the defaults, except for those that are set to a number, zero included', () => {
    const set = { slowHoldMs: 0, failingCount: 7, frozenCount: -1, silentAfterMs: Number.NaN, other: 5 };
    expect(readThresholds(set)).toEqual({ ...DEFAULT_THRESHOLDS, slowHoldMs: 0, failingCount: 7 });
  });
});
