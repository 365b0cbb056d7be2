import fc from 'fast-check';
import { formatSubmissionId, parseSubmissionId, type SubmissionKey } from './submission-id.js';
import { tries } from '../../../test/support/tries.js';

describe('the id of a submission', () => {
  it('is parsed back to its parts, whatever the names of chains and nodes', () => {
    const name = fc.oneof(fc.string(), fc.constantFrom('~', '%7E', 'a~1', 'a~1~HEADER~5', '%'));
    const count = fc.bigInt({ min: 0n, max: 10n ** 17n });
    const kind = fc.constantFrom('HEADER' as const, 'DATA' as const, 'MIXED' as const, 'UNKNOWN' as const);
    const key: fc.Arbitrary<SubmissionKey> = fc.oneof(
      fc.record({ node: name, sequence: count }),
      fc.record({ chain: name, n: fc.integer({ min: 1, max: 2 ** 31 - 1 }), kind, daHeight: count }),
    );
    fc.assert(
      fc.property(key, (named) => expect(parseSubmissionId(formatSubmissionId(named))).toEqual(named)),
      tries(100),
    );
  });
});
