import { explainGroup, MOST_POSSIBLE, type BlobGroup, type Possible } from './explain-group.js';

const MINUTE_US = 60_000_000n;
const GROUP: BlobGroup = { kind: 'HEADER', daHeight: 7n, blobCount: 2, sizes: [662n, 530n], shownAt: 0n };

let sequence = 0n;
/** A failure between successes at DA heights 3 and 9. */
function failure(more: Partial<Possible> = {}): Possible {
  sequence += 1n;
  return {
    nodeKey: 1,
    sequence,
    kind: 'HEADER',
    isSuccess: false,
    isChainless: false,
    isInMempool: false,
    blobCount: 2,
    sizeBytes: 662n,
    earliestAt: 0n,
    attempt: String(sequence),
    bracket: { from: 3n, to: 9n, hasGap: false },
    ...more,
  };
}

const outcomeOf = (...rows: Possible[]) => explainGroup(GROUP, rows).outcome;

describe('a group', () => {
  it('is reconstructed if nothing can be it', () => {
    expect(outcomeOf()).toBe('RECONSTRUCTED');
  });

  it('is the failure that can be it', () => {
    const row = failure();
    expect(explainGroup(GROUP, [row])).toEqual({ outcome: 'LANDED', row, rows: [row], possible: 1 });
  });

  it.each<[string, Partial<Possible>]>([
    ['another number', { blobCount: 3 }],
    ['other bytes', { sizeBytes: 663n }],
    ['another kind', { kind: 'DATA' }],
    ['a place above it', { bracket: { from: 8n, to: 9n, hasGap: false } }],
    ['a place below it', { bracket: { from: 3n, to: 6n, hasGap: false } }],
    ['a time long after it', { earliestAt: 10n * MINUTE_US + 1n }],
  ])('is no failure with %s', (_, more) => {
    expect(outcomeOf(failure(more))).toBe('RECONSTRUCTED');
  });

  it.each<[string, Partial<Possible>]>([
    ['the bytes of older nodes', { sizeBytes: 530n }],
    ['no bytes', { sizeBytes: null }],
    ['no known kind', { kind: 'UNKNOWN' }],
    ['both ends of its place at it', { bracket: { from: 7n, to: 7n, hasGap: false } }],
    ['a time ten minutes after it', { earliestAt: 10n * MINUTE_US }],
    ['no time', { earliestAt: null }],
  ])('may be a failure with %s', (_, more) => {
    expect(outcomeOf(failure(more))).toBe('LANDED');
  });

  it.each<[string, Possible['bracket']]>([
    ['before the first success', { from: null, to: 9n, hasGap: false }],
    ['after the last success', { from: 3n, to: null, hasGap: false }],
    ['next to a gap', { from: 3n, to: 9n, hasGap: true }],
  ])('is undecided if a failure %s can be it, with or without number and bytes', (_, bracket) => {
    for (const more of [{}, { blobCount: null, sizeBytes: null }]) {
      expect(explainGroup(GROUP, [failure({ bracket, ...more })])).toMatchObject({
        outcome: 'UNDECIDED',
        possible: 1,
      });
    }
  });

  it('is the last of equal failures that was not in the mempool already', () => {
    const [first, last] = [failure(), failure()];
    const retry = failure({ isInMempool: true });
    expect(explainGroup(GROUP, [last, retry, first])).toMatchObject({ row: last, possible: 3 });
    expect(explainGroup(GROUP, [retry])).toMatchObject({ row: retry });
  });

  it('is undecided if different attempts can be it', () => {
    expect(outcomeOf(failure(), failure({ sizeBytes: null }))).toBe('UNDECIDED');
  });

  it('is one attempt of two nodes, one of which has more fields', () => {
    const rows = [failure({ attempt: 'a' }), failure({ attempt: 'a', nodeKey: 2, kind: 'UNKNOWN' })];
    expect(explainGroup(GROUP, rows)).toMatchObject({ outcome: 'LANDED', rows, possible: 1 });
  });

  it('is undecided, and left to a success with a blob count, if that success can be all or a part of it', () => {
    for (const more of [{}, { blobCount: 1, sizeBytes: 331n }]) {
      const found = explainGroup(GROUP, [failure(), failure({ ...more, isSuccess: true })]);
      expect(found).toMatchObject({ outcome: 'UNDECIDED', possible: 2, isSuccess: true });
    }
    expect(outcomeOf(failure({ isSuccess: true, blobCount: 1, sizeBytes: 662n }))).toBe('RECONSTRUCTED');
  });

  it('is undecided, and counts by itself, if a success without a blob count can be it', () => {
    const success = failure({ isSuccess: true, blobCount: null, sizeBytes: null });
    expect(explainGroup(GROUP, [success])).toMatchObject({ outcome: 'UNDECIDED', isSuccess: false });
  });

  it('is not distinguished among too many', () => {
    const rows = Array.from({ length: MOST_POSSIBLE + 1 }, () => failure());
    expect(outcomeOf(...rows.slice(1))).toBe('LANDED');
    expect(explainGroup(GROUP, rows)).toMatchObject({ outcome: 'UNDECIDED', possible: MOST_POSSIBLE + 1 });
  });
});
