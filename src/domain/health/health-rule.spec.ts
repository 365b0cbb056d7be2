import { duration } from './health-rule.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

describe('a length of time in words', () => {
  it.each([
    [6_240, '6.2 s'],
    [3 * MINUTE + 20_000, '3 min 20 s'],
    [2 * HOUR + 5 * MINUTE, '2 h 5 min'],
    [24 * HOUR - 1, '23 h 59 min'],
    [24 * HOUR, '1 d 0 h'],
    [52 * HOUR + 59 * MINUTE, '2 d 4 h'],
  ])('tells %s ms as %s', (ms, words) => {
    expect(duration(ms)).toBe(words);
  });
});
