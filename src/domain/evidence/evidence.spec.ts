import { placeTime } from '../../projections/record/facts/submissions.js';
import { kindOf, type SubmissionStatus } from '../submissions/submission-codes.js';
import { evidenceOfSuccess, provesNothingPosted } from './evidence.js';

const header = { kind: 'HEADER', blobCount: 2 } as const;

describe('evidenceOfSuccess', () => {
  it.each([
    ['EXACT', 'BEYOND', 'CONFIRMED'],
    ['PARTIAL', 'BEYOND', 'UNCONFIRMED'],
    ['PARTIAL', 'PASSED', 'CONFIRMED'],
    ['NONE', 'BEYOND', 'UNCONFIRMED'],
    ['NONE', 'PASSED', 'UNREFERENCED'],
    ['NONE', 'BEFORE', 'OBSERVED'],
    ['VAGUE', 'PASSED', 'OBSERVED'],
  ] as const)('is, for a fit %s where the blocks are %s: %s', (fit, stand, evidence) => {
    expect(evidenceOfSuccess(header, fit, { HEADER: stand, DATA: 'BEYOND' })).toBe(evidence);
  });

  it('is only observed if the kind is not known, unless a run of blocks fits exactly', () => {
    const unknown = { kind: 'UNKNOWN', blobCount: 2 } as const;
    const passed = { HEADER: 'PASSED', DATA: 'PASSED' } as const;
    expect(evidenceOfSuccess(unknown, 'NONE', passed)).toBe('OBSERVED');
    expect(evidenceOfSuccess(unknown, 'EXACT', passed)).toBe('CONFIRMED');
  });

  it('waits for headers and data if both share a namespace', () => {
    const mixed = { kind: 'MIXED', blobCount: 2 } as const;
    expect(evidenceOfSuccess(mixed, 'NONE', { HEADER: 'PASSED', DATA: 'BEYOND' })).toBe('UNCONFIRMED');
    expect(evidenceOfSuccess(mixed, 'NONE', { HEADER: 'PASSED', DATA: 'PASSED' })).toBe('UNREFERENCED');
  });
});

describe('kindOf', () => {
  it('follows the namespaces that the node reported', () => {
    expect(kindOf('aa', { header: 'aa', data: 'bb' })).toBe('HEADER');
    expect(kindOf('bb', { header: 'aa', data: 'bb' })).toBe('DATA');
    expect(kindOf('aa', { header: 'aa', data: 'aa' })).toBe('MIXED');
    expect(kindOf('cc', { header: 'aa', data: 'bb' })).toBe('UNKNOWN');
    expect(kindOf(null, { header: null, data: null })).toBe('UNKNOWN');
  });
});

describe('provesNothingPosted', () => {
  it.each<[SubmissionStatus, string | null]>([
    ['TOO_BIG', null],
    ['INCORRECT_ACCOUNT_SEQUENCE', 'account sequence mismatch, expected 7, got 8'],
    ['ERROR', 'codespace sdk, Code 5: insufficient funds'],
    ['ERROR', 'broadcast tx error: insufficient minimum gas price for this node: insufficient fee'],
    ['ERROR', "missing permission to invoke 'Submit' (need 'write')"],
    ['ERROR', 'failed to parse submit options: unexpected end of JSON input'],
  ])('holds for %s, %s', (status, message) => {
    expect(provesNothingPosted(status, message)).toBe(true);
  });

  it.each<[SubmissionStatus, string | null]>([
    ['ERROR', null],
    ['ERROR', 'failed to submit blobs: handler: websocket connection closed'],
    ['ERROR', '502 Bad Gateway'],
    ['ERROR', 'rpc error: code = Unavailable desc = transport is closing'],
    ['ERROR', 'tx execution failed with code 5: insufficient funds'],
    ['ERROR', 'words that no version has used so far'],
    ['OTHER', 'insufficient funds'],
    ['OTHER', null],
    ['CONTEXT_DEADLINE', null],
    ['CONTEXT_CANCELED', 'submission canceled'],
    ['NOT_INCLUDED_IN_BLOCK', null],
    ['ALREADY_IN_MEMPOOL', null],
    ['NOT_FOUND', null],
    ['HEIGHT_FROM_FUTURE', null],
  ])('does not hold for %s, %s', (status, message) => {
    expect(provesNothingPosted(status, message)).toBe(false);
  });
});

describe('placeTime', () => {
  const node = Date.UTC(2031, 0, 1);
  const ns = (ms: number) => BigInt(ms) * 1_000_000n;
  const looks = { nodeClockBefore: node - 2_000, nodeClock: node };

  it('uses the time of a row that lies between two polls on the clock of the node, however wrong that clock is', () => {
    expect(placeTime(ns(node - 1_000), 7n, looks, false)).toEqual({
      timeAt: BigInt(node - 1_000) * 1000n,
      isWild: false,
    });
  });

  it.each([
    ['later than the poll', ns(node + 60_000), looks, false],
    ['earlier than the previous poll', ns(node - 60_000), looks, false],
    ['none', null, looks, false],
    ['without a clock of the node', ns(node), {}, false],
  ])('uses the time of the observer for one %s', (_, occurred, clocks, isFirst) => {
    expect(placeTime(occurred, 7n, clocks, isFirst)).toEqual({ timeAt: 7n, isWild: true });
  });

  it('accepts any time that is not in the future at first contact', () => {
    expect(placeTime(ns(node - 86_400_000), 7n, looks, true).isWild).toBe(false);
    expect(placeTime(ns(node + 86_400_000), 7n, looks, true).isWild).toBe(true);
  });
});
