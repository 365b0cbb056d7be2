import { formatBytes } from './bytes.js';

describe('formatBytes', () => {
  it.each([
    [0n, '0 B'],
    [999n, '999 B'],
    [1_000n, '1.0 kB'],
    [99_949n, '99.9 kB'],
    [99_950n, '100 kB'],
    [999_499n, '999 kB'],
    [999_500n, '1.0 MB'],
    [12_345_678_901n, '12.3 GB'],
    [2n ** 64n, '18447 PB'],
  ])('%s bytes are %s', (bytes, text) => {
    expect(formatBytes(bytes)).toBe(text);
  });

  it('has as many decimals as asked for, from 1 kB on', () => {
    expect([999n, 151_240n, 999_500n].map((bytes) => formatBytes(bytes, 1))).toEqual([
      '999 B',
      '151.2 kB',
      '1.0 MB',
    ]);
  });
});
