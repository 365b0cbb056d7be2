import { loadTruth } from '../../../test/support/recording.js';
import { findCause, type FailureCode } from './failure-cause.js';
import { SUBMISSION_STATUSES } from './submission-codes.js';
import { decodeSubmissionRow, type SubmissionStatus } from './submission-row.js';

const codeOf = (status: SubmissionStatus, message: string | null = null): FailureCode | undefined =>
  findCause(status, message)?.code;

describe('the cause of a failure', () => {
  it('is there for every status but a success, and never empty', () => {
    for (const status of SUBMISSION_STATUSES) {
      const cause = findCause(status, null);
      if (status === 'SUCCESS') expect(cause).toBeNull();
      else expect([cause?.code, cause?.title, cause?.remedy]).not.toContain('');
    }
    expect(SUBMISSION_STATUSES.map((status) => codeOf(status))).toEqual([
      undefined,
      'NOT_FOUND',
      'NOT_INCLUDED',
      'IN_MEMPOOL_ALREADY',
      'TOO_BIG',
      'TIMED_OUT',
      'UNKNOWN',
      'SEQUENCE_MISMATCH',
      'CANCELED',
      'DA_BEHIND',
      'UNKNOWN',
    ]);
  });

  it.each<[string, FailureCode]>([
    ['DA layer submission failed with error connection refused', 'DA_UNREACHABLE'],
    ['DA layer submission failed with codespace sdk, Code 19', 'OUT_OF_FUNDS'],
    ['failed to submit blobs: codespace sdk, Code 19: insufficient funds', 'OUT_OF_FUNDS'],
    [
      "codespace: 'sdk', code 13: insufficient fees; got: 1utia required: 20utia: insufficient fee",
      'FEE_TOO_LOW',
    ],
    ['failed to submit blobs: handler: websocket connection closed', 'DA_CONNECTION_LOST'],
    ['dial tcp 127.0.0.1:26658: connect: connection refused', 'DA_UNREACHABLE'],
    ['failed to submit blobs: tx already in mempool', 'IN_MEMPOOL_ALREADY'],
    ['account sequence mismatch, expected 7, got 6: incorrect account sequence', 'SEQUENCE_MISMATCH'],
    ['failed to submit blobs: blob: over size limit', 'TOO_BIG'],
    ['context deadline exceeded', 'TIMED_OUT'],
    ['context canceled', 'CANCELED'],
    ['invalid namespace version 7', 'BAD_NAMESPACE'],
    ['request failed: 401 Unauthorized', 'DA_UNAUTHORIZED'],
    ['runtime error: invalid memory address or nil pointer dereference', 'NODE_PANIC'],
    ['something nobody has seen', 'DA_ERROR'],
  ])('is found in the message of an error: %s', (message, code) => {
    expect(codeOf('ERROR', message)).toBe(code);
  });

  it('goes by a status that names it, whatever the message says beside', () => {
    expect(codeOf('NOT_INCLUDED_IN_BLOCK', 'timed out: context deadline exceeded')).toBe('NOT_INCLUDED');
    expect(codeOf('OTHER', 'who knows')).toBe('UNKNOWN');
  });

  it('is known of every failure of the recorded node', () => {
    const codes = new Set(
      loadTruth().map(({ row }) => {
        const { status, message } = decodeSubmissionRow(JSON.stringify(row));
        return codeOf(status, message);
      }),
    );
    expect(codes).toEqual(
      new Set([
        'DA_CONNECTION_LOST',
        'IN_MEMPOOL_ALREADY',
        'OUT_OF_FUNDS',
        'SEQUENCE_MISMATCH',
        'TOO_BIG',
        undefined,
      ]),
    );
  });
});
