import fc from 'fast-check';
import { canonicalForm, comparedForm, cutRow, isCut, recordedForm } from './cut-row.js';
import { digestOfRow } from './recorded-row.js';
import { decodeSubmissionRow, findRowTime } from './submission-row.js';
import { tries } from '../../../test/support/tries.js';

const row = {
  id: 'submission_5_1795225722',
  height: 5,
  blob_size: 331,
  timestamp: '2026-11-21T03:48:42.150234614Z',
  status_code: 'Success',
  num_blobs: 1,
};
const long = { ...row, message: 'x'.repeat(3_000_000), blob_ids: ['03'.repeat(40)] };

describe('a row that is cut', () => {
  it('keeps its content except for long texts, and has the length and the SHA-256 of the whole', () => {
    const cut = cutRow(JSON.stringify(long));
    expect(cut.length).toBeLessThan(700);
    const { message, blobIds, statusText, ...rest } = decodeSubmissionRow(cut);
    expect(decodeSubmissionRow(JSON.stringify(long))).toMatchObject(rest);
    expect({ statusText, blobIds }).toEqual({ statusText: 'Success', blobIds: [] });
    expect(message).toBe(`${'x'.repeat(200)} … (cut)`);
    const mark = {
      bytes: Buffer.byteLength(JSON.stringify(long)),
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    };
    expect(JSON.parse(cut)).toMatchObject({ hindsight_cut: mark });
    expect(findRowTime(cut)).toEqual(findRowTime(JSON.stringify(row)));
  });

  it('is the same row as the whole one, however the whole row is written', () => {
    const forms = [JSON.stringify(long), JSON.stringify(long, null, 2)].map(comparedForm);
    expect(forms[1]).toBe(forms[0]);
    expect(recordedForm(forms[0] ?? '')).toBe(forms[0]);
    expect(recordedForm(JSON.stringify(long))).toBe(forms[0]);
    expect(digestOfRow(forms[0] ?? '')).toBe(digestOfRow(JSON.stringify(long)));
    expect(canonicalForm(JSON.stringify(row))).toBe(canonicalForm(JSON.stringify(row, null, 30)));
    expect(comparedForm(JSON.stringify({ ...long, message: `${long.message}y` }))).not.toBe(forms[0]);
  });

  it('stays whole if there is little to cut', () => {
    expect(comparedForm(JSON.stringify(row))).toBe(JSON.stringify(row));
    expect(isCut(JSON.stringify(row))).toBe(false);
  });

  it('cannot be faked by a node', () => {
    const mark = { bytes: 1, sha256: 'a'.repeat(64) };
    for (const text of [
      JSON.stringify({ ...row, hindsight_cut: mark }),
      JSON.stringify({ ...row, hindsight_cut: mark }).replace('hindsight_cut', 'hindsight\\u005fcut'),
      JSON.stringify([{ hindsight_cut: mark }]),
    ]) {
      const form = comparedForm(text);
      expect(form).not.toMatch(new RegExp(`${mark.sha256}"\\}+\\]?$`));
      expect(isCut(form)).toBe(true);
    }
  });

  const value = fc.oneof(
    fc.string(),
    fc.string({ minLength: 100, maxLength: 300 }),
    fc.integer(),
    fc.bigInt({ min: 0n, max: 2n ** 70n }).map(String),
    fc.double(),
    fc.boolean(),
    fc.constantFrom(
      null,
      '',
      0,
      [],
      {},
      'Success',
      'not found',
      '2026-11-21T03:48:42.150234614Z',
      '0001-01-01T00:00:00Z',
    ),
    fc.array(
      fc.oneof(fc.string(), fc.constant('03'.repeat(40)), fc.constant({ id: '03'.repeat(40) }), fc.integer()),
    ),
    fc.constantFrom(
      `${' '.repeat(200)}Success`,
      `Success${'1'.repeat(100)}`,
      `success${'-'.repeat(90)}ful`,
      `   ${' '.repeat(99)}7`,
    ),
  );
  const names = [
    'id',
    'status_code',
    'success',
    'message',
    'namespace',
    'height',
    'da_height',
    'num_blobs',
    'blobs',
    'blob_ids',
    'blob_size',
    'gas_price',
    'timestamp',
    'created_at',
  ];
  const anyRow = fc.oneof(
    fc.dictionary(fc.constantFrom(...names), value).map((fields) => JSON.stringify(fields)),
    fc.string(),
    fc.json(),
  );

  const factsOf = (text: string): object => {
    const {
      id: _id,
      statusText: _status,
      message: _message,
      blobIds: _ids,
      occurredAtText: _time,
      ...facts
    } = decodeSubmissionRow(text);
    const { gasPrice, unreadable } = facts;
    const isPrice = gasPrice !== null && gasPrice.length <= 40;
    return { ...facts, gasPrice: isPrice ? gasPrice : null, unreadable: unreadable.length > 0 };
  };

  it('reads like the whole row in status, height, count, size, price, namespace and time, whatever it is', () => {
    fc.assert(
      fc.property(anyRow, (text) => {
        const cut = cutRow(text);
        expect(factsOf(cut)).toEqual(factsOf(text));
        expect(cut.length).toBeLessThan(2_000);
        expect(recordedForm(cut)).toBe(cut);
        expect(canonicalForm(comparedForm(text))).toBe(cut);
      }),
      tries(500),
    );
  });
});
