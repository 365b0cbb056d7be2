import { createHash } from 'node:crypto';
import { digestOfRow } from './row-digest.js';

describe('the digest of a row', () => {
  it('is the first eight bytes of its SHA-256, signed', () => {
    expect(digestOfRow('abc')).toBe(BigInt.asIntN(64, 0xba7816bf8f01cfean));
    for (const text of ['', '{"id":"submission_1"}', '{"message":"größer \u{1f642}"}', 'x'.repeat(100_000)]) {
      expect(digestOfRow(text)).toBe(createHash('sha256').update(text, 'utf8').digest().readBigInt64BE(0));
    }
  });

  it('tells rows apart that differ in one byte', () => {
    const texts = Array.from({ length: 1_000 }, (_, index) => `{"height":${index},"blob_size":331}`);
    expect(new Set(texts.map(digestOfRow)).size).toBe(texts.length);
  });
});
