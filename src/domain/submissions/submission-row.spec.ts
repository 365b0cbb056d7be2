import * as fc from 'fast-check';
import { decodeSubmissionRow, findRowTime } from './submission-row.js';
import { tries } from '../../../test/support/tries.js';

const namespace = '000000000000000000000000000000000000001628c730f46c460a762a';
const blobId = `0400000000000000${'d8'.repeat(32)}`;

describe('decoding a row of the submissions list', () => {
  it('reads a success of the real node', () => {
    const text = `{"id":"submission_4_1795239784","height":4,"blob_size":331,"timestamp":"2026-11-21T05:43:04.623951036Z","gas_price":0,"status_code":"Success","num_blobs":1,"blob_ids":["${blobId}"],"namespace":"${namespace}"}`;
    expect(decodeSubmissionRow(text)).toEqual({
      id: 'submission_4_1795239784',
      status: 'SUCCESS',
      statusText: 'Success',
      message: null,
      namespace,
      daHeight: 4n,
      blobCount: 1,
      blobIds: [blobId],
      sizeBytes: 331n,
      gasPrice: null,
      occurredAt: 1795239784623951036n,
      occurredAtText: '2026-11-21T05:43:04.623951036Z',
      unreadable: [],
    });
  });

  it.each([
    ['the ids name one', [blobId, blobId], 'success', 4n],
    ['one id is of another height', [blobId, `0500000000000000${'d8'.repeat(32)}`], 'success', null],
    ['one id is of another form', [blobId, 'abc'], 'success', null],
    ['the number is none that a DA layer has reached', [`ff${'d8'.repeat(39)}`], 'success', null],
    ['there is no id', [], 'success', null],
    ['it failed', [blobId], 'failure', null],
  ])('reads the DA height from the ids of the blobs if no field has it: %s', (_, ids, status, height) => {
    const text = JSON.stringify({ timestamp: '2026-11-21T05:43:04Z', status, blob_ids: ids, num_blobs: 2 });
    expect(decodeSubmissionRow(text)).toMatchObject({ daHeight: height, sizeBytes: null, namespace: null });
  });

  it('reads a DA height of 0 as missing, also in a success', () => {
    const row = { status: 'success', height: 0, num_blobs: 1 };
    const daHeightOf = (ids: string[]) =>
      decodeSubmissionRow(JSON.stringify({ ...row, blob_ids: ids })).daHeight;
    expect(daHeightOf([])).toBeNull();
    expect(daHeightOf(['00'.repeat(40)])).toBeNull();
    expect(daHeightOf([blobId])).toBe(4n);
  });

  it('reads a failure before the flight: no DA height, no time, no size', () => {
    const text = `{"id":"submission_0_1795225722","height":0,"blob_size":0,"timestamp":"0001-01-01T00:00:00Z","gas_price":-1,"status_code":"Too Big","message":"blob: over size limit","num_blobs":20,"namespace":"${namespace}"}`;
    expect(decodeSubmissionRow(text)).toMatchObject({
      status: 'TOO_BIG',
      message: 'blob: over size limit',
      daHeight: null,
      sizeBytes: null,
      blobCount: 20,
      blobIds: [],
      gasPrice: null,
      occurredAt: null,
      occurredAtText: '0001-01-01T00:00:00Z',
      unreadable: [],
    });
  });

  it('reads the names and types that the specification leaves open', () => {
    const text = JSON.stringify({
      submissionId: 7,
      status: 'failure',
      errorMessage: 'no funds',
      daHeight: '4611686018427387904',
      blobs: [{ id: `0x${blobId.toUpperCase()}` }, Buffer.from(blobId, 'hex').toString('base64')],
      size: '9007199254740993',
      gasPrice: '0.00400',
      createdAt: 1795239784,
      namespace: `0x${namespace.toUpperCase()}`,
    });
    expect(decodeSubmissionRow(text)).toMatchObject({
      id: '7',
      status: 'ERROR',
      message: 'no funds',
      namespace,
      blobCount: 2,
      blobIds: [blobId, blobId],
      sizeBytes: 9007199254740993n,
      gasPrice: '0.004',
      occurredAt: 1795239784000000000n,
      unreadable: [],
    });
  });

  it.each([
    ['Success', 'SUCCESS'],
    ['success', 'SUCCESS'],
    ['Not Found', 'NOT_FOUND'],
    ['Not Included In Block', 'NOT_INCLUDED_IN_BLOCK'],
    ['already_in_mempool', 'ALREADY_IN_MEMPOOL'],
    ['Context Deadline', 'CONTEXT_DEADLINE'],
    ['Incorrect Account Sequence', 'INCORRECT_ACCOUNT_SEQUENCE'],
    ['Context Canceled', 'CONTEXT_CANCELED'],
    ['Height From Future', 'HEIGHT_FROM_FUTURE'],
    ['Error', 'ERROR'],
    ['Unknown', 'OTHER'],
    ['Exploded', 'OTHER'],
  ])('reads status %j as %s', (status, expected) => {
    expect(decodeSubmissionRow(JSON.stringify({ status_code: status }))).toMatchObject({
      status: expected,
      statusText: status,
    });
  });

  it.each([
    [1_795_239_784, 1_795_239_784_000_000_000n],
    [1_795_239_784_123, 1_795_239_784_123_000_000n],
    ['1795239784123456', 1_795_239_784_123_456_000n],
    ['1795239784.25', 1_795_239_784_250_000_000n],
    ['2026-11-21T03:48:42.150234614+02:00', 1_795_225_722_150_234_614n],
    ['2026-11-21 01:48:42Z', 1_795_225_722_000_000_000n],
    ['2099-01-01T00:00:00Z', 4_070_908_800_000_000_000n],
  ])('reads the time %j', (timestamp, expected) => {
    const row = decodeSubmissionRow(JSON.stringify({ timestamp }));
    expect(row).toMatchObject({ occurredAt: expected, occurredAtText: String(timestamp), unreadable: [] });
  });

  it('keeps all digits of a time in nanoseconds that is a number', () => {
    expect(decodeSubmissionRow('{"timestamp":1795239784623951037}').occurredAt).toBe(1795239784623951037n);
  });

  it.each(['yesterday', '2400-01-01T00:00:00Z', '1969-12-31T23:59:59Z', -5, true, {}])(
    'names an unreadable time: %j',
    (timestamp) => {
      expect(decodeSubmissionRow(JSON.stringify({ timestamp }))).toMatchObject({
        occurredAt: null,
        unreadable: ['timestamp'],
      });
    },
  );

  it.each([
    ['1e-7', '0.0000001'],
    ['12.50', '12.5'],
    ['3', '3'],
    ['"0.000000000000000000012345678"', '0.000000000000000000012345678'],
    ['0', null],
    ['-1', null],
    ['-1.5', null],
    ['0.0', null],
    ['null', null],
  ])('reads the gas price %s as %j', (price, expected) => {
    expect(decodeSubmissionRow(`{"gas_price":${price}}`)).toMatchObject({
      gasPrice: expected,
      unreadable: [],
    });
  });

  it.each([
    ['height', '9223372036854775807'],
    ['height', '4611686018427387905'],
    ['blob_size', '"18446744073709551615"'],
    ['num_blobs', '2147483648'],
    ['gas_price', '1e99'],
    ['gas_price', '"1e31"'],
    ['gas_price', '1e-31'],
    ['gas_price', '1000000000000000000000000000000.1'],
    ['gas_price', '"NaN"'],
    ['gas_price', '"Infinity"'],
  ])('reads no %s from %s, but names the field', (name, number) => {
    expect(decodeSubmissionRow(`{"${name}":${number}}`)).toMatchObject({
      daHeight: null,
      sizeBytes: null,
      blobCount: null,
      gasPrice: null,
      unreadable: [name],
    });
  });

  it('accepts the largest valid numbers', () => {
    const text = '{"height":4611686018427387904,"blob_size":"4611686018427387904","gas_price":"1e30"}';
    expect(decodeSubmissionRow(text)).toMatchObject({
      daHeight: 2n ** 62n,
      sizeBytes: 2n ** 62n,
      gasPrice: `1${'0'.repeat(30)}`,
      unreadable: [],
    });
  });

  it('uses what is readable and names the rest', () => {
    const text =
      '{"id":"a","status_code":{},"height":-4,"num_blobs":1.5,"blob_ids":[1],"blob_size":"many","gas_price":"cheap","namespace":"zz","message":7}';
    expect(decodeSubmissionRow(text)).toMatchObject({
      id: 'a',
      message: '7',
      status: 'OTHER',
      unreadable: ['status_code', 'height', 'blob_ids', 'num_blobs', 'blob_size', 'namespace', 'gas_price'],
    });
    expect(decodeSubmissionRow('not json').unreadable).toEqual(['row']);
    expect(decodeSubmissionRow('[1]').unreadable).toEqual(['row']);
  });

  it('never throws, whatever the text is', () => {
    const names = fc.constantFrom(
      'id',
      'status',
      'status_code',
      'height',
      'timestamp',
      'gas_price',
      'blobs',
      'blob_ids',
      'namespace',
      'blob_size',
      'message',
      '__proto__',
    );
    fc.assert(
      fc.property(fc.string(), (text) => void [decodeSubmissionRow(text), findRowTime(text)]),
      tries(100),
    );
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), (row) => {
        const text = JSON.stringify(row);
        expect(decodeSubmissionRow(text).unreadable).not.toContain('row');
        findRowTime(text);
      }),
      tries(100),
    );
  });
});
