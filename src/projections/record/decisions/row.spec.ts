import { evidenceCodeOf } from '../../../domain/submissions/submission-codes.js';
import { decide, keptPast, Rows, takeBack, type Row } from './row.js';

const [OBSERVED, CONFIRMED, UNCONFIRMED] = (['OBSERVED', 'CONFIRMED', 'UNCONFIRMED'] as const).map((name) =>
  evidenceCodeOf(name),
);

const rowAt = (fromPosition: bigint, more: Partial<Row> = {}): Row => ({
  nodeKey: 1,
  sequence: 5n,
  status: 0,
  namespaceKey: null,
  blobCount: 1,
  sizeBytes: 331n,
  evidenceFromPosition: fromPosition,
  fromPosition,
  timeAt: 0n,
  wildTime: false,
  observedAt: 0n,
  occurredAt: 0n,
  digest: 1n,
  message: null,
  toldLineageKey: 1,
  headerAfter: null,
  dataAfter: null,
  shownAt: null,
  lineageKey: 1,
  chainId: 'c1',
  kind: 0,
  daHeight: 100n,
  evidence: UNCONFIRMED ?? 0,
  blockFrom: null,
  blockTo: null,
  shares: null,
  signedShares: null,
  countsForChain: true,
  isStored: true,
  ...more,
});

describe('what is decided of a row', () => {
  it('makes no version where it says what stands', () => {
    const row = rowAt(10n);
    expect(decide(row, 20n, { daHeight: 100n, chainId: 'c1' })).toBe(false);
    expect([row.evidenceFromPosition, keptPast(row)]).toEqual([10n, []]);
  });

  it('replaces what the same event said of it, and keeps what an earlier one did', () => {
    const row = rowAt(10n, { evidence: OBSERVED ?? 0 });
    decide(row, 20n, { evidence: UNCONFIRMED ?? 0 });
    decide(row, 20n, { evidence: CONFIRMED ?? 0 });
    expect(row).toMatchObject({ evidence: CONFIRMED, evidenceFromPosition: 20n });
    expect(keptPast(row)).toMatchObject([{ evidence: OBSERVED, fromPosition: 10n, toPosition: 20n }]);
  });

  it('needs no version of a success that was UNCONFIRMED first: readers derive it, unless it was of another chain', () => {
    const [row, moved] = [rowAt(10n), rowAt(10n)];
    decide(row, 20n, { evidence: CONFIRMED ?? 0 });
    decide(moved, 20n, { evidence: CONFIRMED ?? 0, chainId: 'c2' });
    expect([keptPast(row), keptPast(moved).map(({ chainId }) => chainId)]).toEqual([[], ['c1']]);
  });

  it('of a failure that had landed can be taken back whole', () => {
    const row = rowAt(10n, {
      status: 4,
      lineageKey: 2,
      evidence: CONFIRMED ?? 0,
      blockFrom: 1n,
      shownAt: 5n,
    });
    expect(takeBack(row, 30n)).toBe(true);
    expect(row).toMatchObject({
      evidence: OBSERVED,
      daHeight: null,
      lineageKey: 1,
      blockFrom: null,
      shownAt: null,
    });
  });
});

it('a row is held once, whoever brings it', () => {
  const rows = new Rows();
  const [first, again] = [rowAt(10n), rowAt(10n)];
  expect(rows.identify(first)).toBe(first);
  expect(rows.identify(again)).toBe(first);
});
