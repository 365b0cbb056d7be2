import fc from 'fast-check';
import { encodeArray } from './row-encoders.js';
import { tries } from '../../../test/support/tries.js';

/** Bytes before the only element of an array: the header and the element's length. */
const BEFORE_BYTES = 24;

describe('integers of 64 bits on their way to Postgres', () => {
  it('are written like Node writes them', () => {
    fc.assert(
      fc.property(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), (value) => {
        const expected = Buffer.alloc(8);
        expected.writeBigInt64BE(value);
        expect(encodeArray('int8', [value]).subarray(BEFORE_BYTES)).toEqual(expected);
      }),
      tries(100),
    );
  });

  it('are refused if they would become another number', () => {
    const beyond = fc.oneof(fc.bigInt({ min: 2n ** 63n }), fc.bigInt({ max: -(2n ** 63n) - 1n }));
    fc.assert(
      fc.property(beyond, (value) => {
        expect(() => encodeArray('int8', [value])).toThrow(RangeError);
      }),
      tries(100),
    );
    expect(() => encodeArray('timestamptz', [-(2n ** 63n)])).not.toThrow();
    expect(() => encodeArray('timestamptz', [-(2n ** 63n) + 1n])).toThrow(RangeError);
  });
});
