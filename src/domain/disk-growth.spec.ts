import { daysLeft, growthPerDay } from './disk-growth.js';

const HOUR = 3_600_000;
const use = { logBytes: 0n, readModelBytes: 0n };

describe('the growth of a record', () => {
  it("is the size of the last day's events, at the average size of all events", () => {
    expect(growthPerDay(10_000n, { all: 100n, recent: 20n, spanMs: 24 * HOUR })).toBe(2_000);
    expect(growthPerDay(10_000n, { all: 100n, recent: 0n, spanMs: 24 * HOUR })).toBe(0);
  });

  it('is extrapolated to a whole day if the record is younger, and unknown in its first ten minutes', () => {
    expect(growthPerDay(1_000n, { all: 50n, recent: 50n, spanMs: 6 * HOUR })).toBe(4_000);
    expect(growthPerDay(1_000n, { all: 50n, recent: 50n, spanMs: HOUR })).toBe(24_000);
    expect(growthPerDay(1_000n, { all: 50n, recent: 50n, spanMs: HOUR / 6 - 1 })).toBeUndefined();
    expect(growthPerDay(1_000n, { all: 50n, recent: 50n, spanMs: HOUR / 6 })).toBe(144_000);
    expect(growthPerDay(1_000n, { all: 0n, recent: 0n, spanMs: 0 })).toBeUndefined();
  });

  it('gives the days that the disk will last, if both are known', () => {
    expect(daysLeft({ ...use, freeBytes: 10_000n, growthBytesPerDay: 4_000 })).toBe(2.5);
    expect(daysLeft({ ...use, freeBytes: 0n, growthBytesPerDay: 4_000 })).toBe(0);
    expect(daysLeft({ ...use, freeBytes: undefined, growthBytesPerDay: 4_000 })).toBeUndefined();
    expect(daysLeft({ ...use, freeBytes: 10_000n })).toBeUndefined();
    expect(daysLeft({ ...use, freeBytes: 10_000n, growthBytesPerDay: 0 })).toBeUndefined();
  });
});
