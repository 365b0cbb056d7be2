import { FailuresByCause } from './failures-by-cause.js';

describe('failures by cause', () => {
  it('joins what has one cause, the most frequent first, and leaves out successes', () => {
    const failures = new FailuresByCause();
    const add = (
      message: string | null,
      count: bigint,
      firstUs: bigint,
      lastUs: bigint,
      status: 'ERROR' | 'TOO_BIG' | 'SUCCESS' = 'ERROR',
    ) => failures.add({ status, message, count, firstUs, lastUs });
    add('dial tcp 10.0.0.1: connection refused', 2n, 20n, 30n);
    add(null, 4n, 5n, 6n, 'TOO_BIG');
    add('connection refused', 3n, 10n, 25n);
    add(null, 9n, 1n, 2n, 'SUCCESS');
    const told = failures.finish().map(({ cause, ...rest }) => ({ code: cause.code, ...rest }));
    expect(told).toEqual([
      { code: 'DA_UNREACHABLE', count: 5n, firstUs: 10n, lastUs: 30n },
      { code: 'TOO_BIG', count: 4n, firstUs: 5n, lastUs: 6n },
    ]);
  });

  it('puts what came first before others that are as frequent', () => {
    const failures = new FailuresByCause();
    failures.add({ status: 'TOO_BIG', message: null, count: 1n, firstUs: 9n, lastUs: 9n });
    failures.add({ status: 'CONTEXT_DEADLINE', message: null, count: 1n, firstUs: 3n, lastUs: 3n });
    expect(failures.finish().map(({ cause }) => cause.code)).toEqual(['TIMED_OUT', 'TOO_BIG']);
  });
});
