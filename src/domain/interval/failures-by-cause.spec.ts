import { FailuresByCause } from './failures-by-cause.js';

describe('failures by cause', () => {
  it('are joined by cause, the most frequent first, without successes', () => {
    const failures = new FailuresByCause();
    const add = (
      message: string | null,
      count: bigint,
      firstUs: bigint,
      lastUs: bigint,
      status: 'ERROR' | 'TOO_BIG' | 'SUCCESS' = 'ERROR',
    ) =>
      failures.add({
        status,
        message,
        count,
        firstUs,
        lastUs,
        firstPosition: firstUs + 100n,
        lastPosition: lastUs + 100n,
      });
    add('dial tcp 10.0.0.1: connection refused', 2n, 20n, 30n);
    add(null, 4n, 5n, 6n, 'TOO_BIG');
    add('connection refused', 3n, 10n, 25n);
    add(null, 9n, 1n, 2n, 'SUCCESS');
    const told = failures.finish().map(({ cause, ...rest }) => ({ code: cause.code, ...rest }));
    expect(told).toEqual([
      {
        code: 'DA_UNREACHABLE',
        count: 5n,
        firstUs: 10n,
        firstPosition: 110n,
        lastUs: 30n,
        lastPosition: 130n,
      },
      { code: 'TOO_BIG', count: 4n, firstUs: 5n, firstPosition: 105n, lastUs: 6n, lastPosition: 106n },
    ]);
  });

  it('list the earlier cause first if counts are equal', () => {
    const failures = new FailuresByCause();
    const once = { message: null, count: 1n, firstPosition: 1n, lastPosition: 1n };
    failures.add({ ...once, status: 'TOO_BIG', firstUs: 9n, lastUs: 9n });
    failures.add({ ...once, status: 'CONTEXT_DEADLINE', firstUs: 3n, lastUs: 3n });
    expect(failures.finish().map(({ cause }) => cause.code)).toEqual(['TIMED_OUT', 'TOO_BIG']);
  });
});
