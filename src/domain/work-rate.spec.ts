import { WorkRate } from './work-rate.js';

describe('the rate of some work', () => {
  it('gives share, rate and time left, measured from the first report', () => {
    const rate = new WorkRate('events');
    expect(rate.describe()).toBe('');
    rate.note(4_000, 10_000, 50_000);
    expect(rate.describe()).toBe('40 %');
    rate.note(5_000, 10_000, 52_000);
    expect(rate.describe()).toBe('50 %, 500 events/s, about 10 s left');
    rate.note(10_000, 10_000, 53_000);
    expect(rate.describe()).toBe('100 %, 2,000 events/s');
  });

  it('gives only the rate without a total, and no time left without a rate', () => {
    const rate = new WorkRate('rows');
    rate.note(0, undefined, 0);
    rate.note(90_000, undefined, 3_000);
    expect(rate.describe()).toBe('30,000 rows/s');
    const stuck = new WorkRate('rows');
    stuck.note(1, 8, 0);
    stuck.note(1, 8, 9_000);
    expect(stuck.describe()).toBe('12 %');
    const empty = new WorkRate('rows');
    empty.note(0, 0, 0);
    expect([empty.share, empty.describe()]).toEqual([1, '100 %']);
  });
});
