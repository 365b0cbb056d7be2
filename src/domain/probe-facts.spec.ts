import { summariseLatency } from './probe-facts.js';

describe('summariseLatency', () => {
  it('knows nothing of no values', () => {
    expect(summariseLatency([])).toBeNull();
  });

  it('gives the value itself for one', () => {
    expect(summariseLatency([4.2])).toEqual({
      count: 1,
      minMs: 4.2,
      meanMs: 4.2,
      p50Ms: 4.2,
      p99Ms: 4.2,
      maxMs: 4.2,
    });
  });

  it('takes percentiles from the values, in any order', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index);
    expect(summariseLatency(values)).toEqual({
      count: 100,
      minMs: 1,
      meanMs: 50.5,
      p50Ms: 50,
      p99Ms: 99,
      maxMs: 100,
    });
  });
});
