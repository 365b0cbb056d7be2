import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { cutRow } from './cut-row.js';
import { digestOfRow, readRecordedRow } from './recorded-row.js';
import { decodeSubmissionRow } from './submission-row.js';

describe('the digest of a row', () => {
  it('is the first eight bytes of its SHA-256, signed', () => {
    expect(digestOfRow('abc')).toBe(BigInt.asIntN(64, 0xba7816bf8f01cfean));
    for (const text of ['', '{"id":"submission_1"}', '{"message":"größer \u{1f642}"}', 'x'.repeat(100_000)]) {
      expect(digestOfRow(text)).toBe(createHash('sha256').update(text, 'utf8').digest().readBigInt64BE(0));
    }
  });

  it('distinguishes rows that differ in one byte', () => {
    const texts = Array.from({ length: 1_000 }, (_, index) => `{"height":${index},"blob_size":331}`);
    expect(new Set(texts.map(digestOfRow)).size).toBe(texts.length);
  });

  it('is read with its row like each by itself, whole, cut, or invalid', () => {
    const row = fc.jsonValue().map((value) => JSON.stringify(value));
    const long = fc
      .record({ status: fc.string(), message: fc.string() })
      .map((each) => cutRow(JSON.stringify(each)));
    const text = fc.oneof(row, long, fc.string(), fc.constant('{"height":9007199254740993}'));
    fc.assert(
      fc.property(text, (each) => {
        expect(readRecordedRow(each)).toEqual({ ...decodeSubmissionRow(each), digest: digestOfRow(each) });
      }),
    );
  });
});
