import { readSearchTerms } from './search-terms.js';

const HASH = 'ab'.repeat(32);
const BLOB = `40f47b0000000000${HASH}`;

describe('the meanings of a search text', () => {
  it.each([HASH, `0x${HASH.toUpperCase()}`, ` ${Buffer.from(HASH, 'hex').toString('base64')} `])(
    'include a hash or a commitment: %s',
    (text) => {
      expect(readSearchTerms(text)).toMatchObject({ hash: HASH, blob: undefined });
    },
  );

  it.each([BLOB, `0x${BLOB}`, Buffer.from(BLOB, 'hex').toString('base64')])(
    'include the id of a blob, with its DA height: %s',
    (text) => {
      expect(readSearchTerms(text)).toMatchObject({
        hash: undefined,
        blob: { id: BLOB, daHeight: 8_123_456n },
      });
    },
  );

  it('include heights within 64 bits, ids of submissions, and parts of three characters', () => {
    expect(readSearchTerms('12')).toMatchObject({ height: 12n, part: undefined });
    expect(readSearchTerms('9999999999999999999').height).toBeUndefined();
    expect(readSearchTerms('alpha~7').submission).toEqual({ node: 'alpha', sequence: 7n });
    expect(readSearchTerms('Code 19')).toMatchObject({ height: undefined, part: 'Code 19' });
    expect(readSearchTerms(`${'ff'.repeat(8)}${HASH}`).blob).toBeUndefined();
  });
});
