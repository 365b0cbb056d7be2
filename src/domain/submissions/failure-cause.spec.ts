import fc from 'fast-check';
import { loadTruth } from '../../../test/support/recording.js';
import { findCause, type FailureCode } from './failure-cause.js';
import { SUBMISSION_STATUSES, type SubmissionStatus } from './submission-codes.js';
import { decodeSubmissionRow } from './submission-row.js';

const codeOf = (status: SubmissionStatus, message: string | null = null): FailureCode | undefined =>
  findCause(status, message)?.code;

const HASH = '502454BA177E98FF6F1A519DC70DEE8499C1E2DD3B51C798484D63C18FF8761F';
/** Start of the text in which celestia-app's client reports a refusal by the consensus node. */
const SENT = `broadcast tx error: hash ${HASH} error:`;

describe('the cause of a failure', () => {
  it('exists for every status except a success, and is never empty', () => {
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
    ['DA layer submission failed with codespace sdk, Code 19', 'IN_MEMPOOL_ALREADY'],
    [`DA layer submission failed error="Codespace: 'sdk', Code: 19, Message: "`, 'IN_MEMPOOL_ALREADY'],
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

  // As celestia-node, celestia-app, the SDK and go-jsonrpc write them; the first three were recorded.
  it.each<[string, FailureCode]>([
    [
      `${SENT} spendable balance 8utia is smaller than 320utia: insufficient funds: insufficient funds code: 5`,
      'OUT_OF_FUNDS',
    ],
    ['account for signer celestia12pzme7wgmk2cn74y9ex36cgzm7lm2rfl5z3y2j not found', 'ACCOUNT_NOT_FOUND'],
    ["missing permission to invoke 'Submit' (need 'write')", 'DA_UNAUTHORIZED'],
    [`${SENT} fee payer address: celestia1x does not exist: unknown address code: 9`, 'ACCOUNT_NOT_FOUND'],
    [
      'rpc error: code = NotFound desc = account celestia12pzme7wgmk2cn74y9ex36cgzm7lm2 not found',
      'ACCOUNT_NOT_FOUND',
    ],
    [
      `failed to submit blobs due to insufficient gas price in txconfig: ${SENT} insufficient fees; got: 1utia required: 320utia: insufficient fee code: 13`,
      'FEE_TOO_LOW',
    ],
    ['failed to submit blobs due to insufficient estimated gas price 0.002000: it is low', 'FEE_TOO_LOW'],
    [
      `${SENT} insufficient minimum fee for this node; got: 1 required at least: 2: insufficient fee code: 13`,
      'FEE_TOO_LOW',
    ],
    ['state: estimated gas price exceeds max gas price in tx config', 'FEE_TOO_LOW'],
    [
      `${SENT} not enough gas to pay for blobs (minimum: 79796, got: 60000): insufficient fee code: 13`,
      'OUT_OF_GAS',
    ],
    [
      'tx execution failed with code 11: out of gas in location: WritePerByte; gasWanted: 1, gasUsed: 2',
      'OUT_OF_GAS',
    ],
    [
      `${SENT} celestia1a does not allow to pay fees for celestia1b: fee-grant not found: not found code: 38`,
      'FEE_GRANT_REFUSED',
    ],
    [
      `${SENT} celestia1a does not allow to pay fees for celestia1b: basic allowance: fee limit exceeded code: 2`,
      'FEE_GRANT_REFUSED',
    ],
    [`${SENT} tx already in mempool code: 19`, 'IN_MEMPOOL_ALREADY'],
    [
      `${SENT} mempool is full: number of txs 5000 (max: 5000), total txs bytes 1 (max: 2) code: 20`,
      'MEMPOOL_FULL',
    ],
    [
      `${SENT} account sequence mismatch, expected 7, got 6: incorrect account sequence code: 32`,
      'SEQUENCE_MISMATCH',
    ],
    [
      `${SENT} signature verification failed; please verify account number (12) and chain-id (hs-1): unauthorized code: 4`,
      'DA_ERROR',
    ],
    [
      'signature verification failed; please verify account number (401) and chain-id (x): unauthorized',
      'DA_ERROR',
    ],
    [
      `${SENT} tx size 9000000 bytes is larger than the application's configured MaxTxSize of 8388608 bytes for version 9: transaction size exceeds maximum allowed limit code: 11142`,
      'TOO_BIG',
    ],
    [`${SENT} blob(s) too large code: 11139`, 'TOO_BIG'],
    [`${SENT} cannot use reserved namespace IDs code: 11110`, 'BAD_NAMESPACE'],
    ['not allowed namespace 00ff were used to build the blob', 'BAD_NAMESPACE'],
    ['getting account from keyring: other.info: key not found', 'BAD_NAMESPACE'],
    [`tx: ${HASH} not found in txTracker; likely failed during broadcast`, 'NOT_INCLUDED'],
    [`transaction with hash ${HASH} not found`, 'NOT_INCLUDED'],
    [`eviction poll timeout: transaction ${HASH} was evicted`, 'NOT_INCLUDED'],
    [
      `tx with hash ${HASH} was rejected by the node with execution code: 32 and log: account sequence mismatch`,
      'SEQUENCE_MISMATCH',
    ],
    [
      'node is running without state access. run with --core.ip <CORE NODE IP> to resolve',
      'CORE_UNREACHABLE',
    ],
    [
      'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial tcp 127.0.0.1:9090: connect: connection refused"',
      'CORE_UNREACHABLE',
    ],
    ['failed to setup a tx client: rpc error: code = Unavailable desc = error reading', 'CORE_UNREACHABLE'],
    [
      'querying network min gas price: rpc error: code = Unavailable desc = connection error',
      'CORE_UNREACHABLE',
    ],
    ['header: given height is from the future: networkHeight: 47, requestedHeight: 9999999', 'DA_BEHIND'],
    ['blob: given height exceeds local head. requestedHeight:503', 'DA_BEHIND'],
    ['cannot dial address ws://da:26658 for websocket: bad handshake', 'DA_UNREACHABLE'],
    ['cannot dial address ws://da:26658 for dial tcp 10.0.0.7:26658: i/o timeout', 'DA_UNREACHABLE'],
    ['request failed, http status 429 Too Many Requests', 'DA_BUSY'],
    ['request failed, http status 503 Service Unavailable', 'DA_CONNECTION_LOST'],
    ["method 'blob.Submit' not found", 'DA_ERROR'],
    ['blob: not found', 'NOT_FOUND'],
    ['state: no blobs provided', 'DA_ERROR'],
  ])('is found in the messages of DA nodes: %s', (message, code) => {
    expect(codeOf('ERROR', `failed to submit blobs: ${message}`)).toBe(code);
  });

  it('follows the code, whatever words are next to it', () => {
    const words = fc.constantFrom('unauthorized', 'out of gas', 'not found', 'too large', 'deadline', '503');
    const known = fc.constantFrom<[number, FailureCode]>(
      [5, 'OUT_OF_FUNDS'],
      [13, 'FEE_TOO_LOW'],
      [19, 'IN_MEMPOOL_ALREADY'],
      [20, 'MEMPOOL_FULL'],
      [32, 'SEQUENCE_MISMATCH'],
      [4, 'DA_ERROR'],
    );
    fc.assert(
      fc.property(fc.array(words), known, (log, [code, cause]) => {
        expect(codeOf('ERROR', `${SENT} ${log.join(': ')} code: ${code}`)).toBe(cause);
        expect(codeOf('ERROR', `codespace sdk code ${code}: ${log.join(': ')}`)).toBe(cause);
      }),
    );
  });

  it('does not depend on a number that is no HTTP status', () => {
    fc.assert(
      fc.property(fc.constantFrom(401, 403, 429, 502, 503, 504, 5, 13, 19), (number) => {
        expect(codeOf('ERROR', `refused at height ${number}`)).toBe('DA_ERROR');
      }),
    );
  });

  it('follows a status that names it, whatever the message adds', () => {
    expect(codeOf('NOT_INCLUDED_IN_BLOCK', 'timed out: context deadline exceeded')).toBe('NOT_INCLUDED');
    expect(codeOf('OTHER', 'who knows')).toBe('UNKNOWN');
  });

  it('is known for every failure of the recorded node', () => {
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
