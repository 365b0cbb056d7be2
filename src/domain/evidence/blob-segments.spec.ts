import { placeCarriers, type Carrier, type IncludedBlob } from './blob-segments.js';

const blobs = (...bytes: (number | null)[]): IncludedBlob[] =>
  bytes.map((each, index) => ({ height: BigInt(index + 1), bytes: each, timeNs: BigInt(index) }));
const carrier = (
  blobCount: number | null,
  sizeBytes: bigint | null,
  more: Partial<Carrier> = {},
): Carrier => ({
  nodeKey: 1,
  kind: 'HEADER',
  blobCount,
  sizeBytes,
  ...more,
});
const place = (headers: IncludedBlob[], carriers: Carrier[]) =>
  placeCarriers({ HEADER: headers, DATA: [] }, carriers);

describe('placeCarriers', () => {
  it('finds the run of blobs with the count and the bytes of an attempt', () => {
    const { fits, carried, leftover } = place(blobs(10, 20, 30), [carrier(2, 50n)]);
    expect(fits).toEqual(['EXACT']);
    expect(carried).toEqual([{ kind: 'HEADER', from: 1, to: 3, less: 0 }]);
    expect(leftover.HEADER).toMatchObject({ count: 1, bytes: 10n });
  });

  it('gives equal attempts of one node the blobs in their order, each once', () => {
    const { fits, leftover } = place(blobs(10, 10), [carrier(1, 10n), carrier(1, 10n), carrier(1, 10n)]);
    expect(fits).toEqual(['EXACT', 'EXACT', 'NONE']);
    expect(leftover.HEADER).toBeNull();
  });

  it('lets two nodes show the same attempt', () => {
    const { fits } = place(blobs(10), [carrier(1, 10n), carrier(1, 10n, { nodeKey: 2 })]);
    expect(fits).toEqual(['EXACT', 'EXACT']);
  });

  it('gives attempts of two nodes different blobs where there are enough', () => {
    const { leftover } = place(blobs(10, 10), [carrier(1, 10n), carrier(1, 10n, { nodeKey: 2 })]);
    expect(leftover.HEADER).toBeNull();
  });

  it('treats the leftover as a part of an attempt that is large enough', () => {
    const { fits, leftover } = place(blobs(10, 10), [carrier(5, 50n)]);
    expect(fits).toEqual(['PARTIAL']);
    expect(leftover.HEADER).toBeNull();
  });

  it('treats the leftover as a part of one attempt, also if another node shows it', () => {
    const of = (nodeKey: number, blobCount: number) =>
      carrier(blobCount, 10n * BigInt(blobCount), { nodeKey });
    const { fits, leftover } = place(blobs(10, 10), [of(1, 5), of(1, 5), of(2, 4), of(2, 5), of(2, 5)]);
    expect(fits).toEqual(['PARTIAL', 'NONE', 'NONE', 'PARTIAL', 'NONE']);
    expect(leftover.HEADER).toBeNull();
  });

  it('assigns no more bytes than an attempt had', () => {
    const { fits, leftover } = place(blobs(100, 100), [carrier(5, 67n)]);
    expect(fits).toEqual(['NONE']);
    expect(leftover.HEADER).toMatchObject({ count: 2, bytes: 200n });
  });

  it('compares only the count if a size is not known', () => {
    expect(place(blobs(null, null), [carrier(2, 50n)]).fits).toEqual(['EXACT']);
    expect(place(blobs(10, 20), [carrier(2, null)]).fits).toEqual(['EXACT']);
  });

  it('reports nothing as missing next to a row with an unreadable count', () => {
    const { fits, leftover } = place(blobs(10), [carrier(null, 10n)]);
    expect(fits).toEqual(['VAGUE']);
    expect(leftover.HEADER).toBeNull();
  });

  it('searches headers and data for a row without a kind', () => {
    const { carried } = placeCarriers({ HEADER: blobs(10), DATA: blobs(7) }, [
      carrier(1, 7n, { kind: 'UNKNOWN' }),
    ]);
    expect(carried).toEqual([{ kind: 'DATA', from: 0, to: 1, less: 0 }]);
  });

  it('finds headers that were posted without the signature of their envelope', () => {
    const { carried, leftover } = place(blobs(175, 180, 178), [carrier(2, 175n + 180n - 2n * 66n)]);
    expect(carried).toEqual([{ kind: 'HEADER', from: 0, to: 2, less: 66 }]);
    expect(leftover.HEADER).toMatchObject({ count: 1 });
    expect(
      placeCarriers({ HEADER: [], DATA: blobs(175) }, [carrier(1, 109n, { kind: 'DATA' })]).fits,
    ).toEqual(['NONE']);
  });

  it('gives a row without bytes what the rows with bytes leave', () => {
    const { fits, carried } = place(blobs(10, 20), [carrier(1, null), carrier(1, 10n)]);
    expect(fits).toEqual(['EXACT', 'EXACT']);
    expect(carried.map((run) => run?.from)).toEqual([1, 0]);
  });

  it('accepts a run of an older scheme only if there is none of the usual one', () => {
    const { carried } = place(blobs(397, 331), [carrier(1, 331n)]);
    expect(carried).toEqual([{ kind: 'HEADER', from: 1, to: 2, less: 0 }]);
  });

  it("does not read another node's row of data as headers because the data are explained", () => {
    const { fits, leftover } = placeCarriers({ HEADER: blobs(10), DATA: blobs(10) }, [
      carrier(1, 10n, { kind: 'DATA' }),
      carrier(1, 10n, { kind: 'UNKNOWN', nodeKey: 2 }),
    ]);
    expect(fits).toEqual(['EXACT', 'VAGUE']);
    expect(leftover.HEADER).toBeNull();
  });

  it('finds the kind of a row from what another row leaves to it, whichever comes first', () => {
    const both = [1, 2].flatMap((nodeKey) => [
      carrier(2, null, { kind: 'UNKNOWN', nodeKey }),
      carrier(3, null, { kind: 'UNKNOWN', nodeKey }),
    ]);
    const { carried } = placeCarriers({ HEADER: blobs(1, 1, 1), DATA: blobs(5, 5) }, both);
    expect(carried.map((run) => run?.kind)).toEqual(['DATA', 'HEADER', 'DATA', 'HEADER']);
  });

  it('assigns no blobs to a row without blobs', () => {
    const { fits, leftover } = place(blobs(10), [carrier(0, null, { kind: 'UNKNOWN' })]);
    expect(fits).toEqual(['NONE']);
    expect(leftover.HEADER).toMatchObject({ count: 1 });
  });

  it.each([
    ['fits headers and data alike', { kind: 'UNKNOWN' }, 1, null],
    ['fits both, of a shared namespace', { kind: 'MIXED' }, 1, 10n],
    ['has no kind and fits neither', { kind: 'UNKNOWN' }, 3, 999n],
  ] as const)(
    'allows any blobs for a row that %s, and misses nothing next to it',
    (_, more, count, bytes) => {
      const { fits, leftover } = placeCarriers({ HEADER: blobs(10), DATA: blobs(10) }, [
        carrier(count, bytes, more),
      ]);
      expect(fits).toEqual(['VAGUE']);
      expect(leftover).toEqual({ HEADER: null, DATA: null });
    },
  );
});
