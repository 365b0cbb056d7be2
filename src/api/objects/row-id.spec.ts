import fc from 'fast-check';
import { parseSubmissionId } from '../submissions/submission-id.js';
import { parseRowId, questionPart, readQuestionPart, rowId, versionOf } from './row-id.js';
import { tries } from '../../../test/support/tries.js';

describe('ids of rows', () => {
  it('return what they were made of, and are no id of a submission', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.string({ unit: 'grapheme' }).filter((part) => !part.includes('\0')),
          { minLength: 1, maxLength: 5 },
        ),
        (parts) => {
          const id = rowId('Block', ...parts);
          expect(parseRowId(id)).toEqual({ type: 'Block', parts });
          expect(parseSubmissionId(id)).toBeUndefined();
        },
      ),
      tries(100),
    );
  });

  it.each(['', 'alpha', 'alpha~1', 'Block:%zz', 'Block:%00'])('are not %p', (text) => {
    expect(parseRowId(text)).toBeUndefined();
  });

  it('hold a query whatever the order of its arguments', () => {
    const part = questionPart({ to: 5n, bucket: 'DAY', from: null, timeZone: undefined });
    expect(questionPart({ bucket: 'DAY', to: 5n })).toBe(part);
    expect(readQuestionPart(part)).toEqual({ bucket: 'DAY', to: '5' });
    for (const json of ['{"a":"\\u0000"}', '{"a":"\\ud800"}'])
      expect(readQuestionPart(Buffer.from(json).toString('base64url'))).toBeUndefined();
    expect(readQuestionPart('%%')).toBeUndefined();
    expect(readQuestionPart(undefined)).toBeUndefined();
  });

  it('are the versions of rows of the present, and not of a past', () => {
    expect(versionOf('alpha', {})).toBe('alpha');
    expect(versionOf('alpha', { asOf: null, knownAt: null })).toBe('alpha');
    const versions = [{ asOf: 7n }, { knownAt: 7n }, { asOf: 8n }].map((past) => versionOf('alpha', past));
    expect(new Set(versions).size).toBe(3);
    expect(versions).not.toContain('alpha');
  });
});
