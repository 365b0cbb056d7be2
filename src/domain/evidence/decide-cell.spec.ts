import fc from 'fast-check';
import { placeCarriers, type IncludedBlob } from './blob-segments.js';
import { explainCell, placeCell, sizesOf, type CellSuccess, type ShownHistory } from './decide-cell.js';
import type { Explanation } from './explain-group.js';
import { tries } from '../../../test/support/tries.js';

const PASSED = { HEADER: 'PASSED', DATA: 'PASSED' } as const;
const BEYOND = { HEADER: 'BEYOND', DATA: 'BEYOND' } as const;

/** Blobs of rising heights, beginning with `from`. */
const blobs = (from: number, ...bytes: number[]): IncludedBlob[] =>
  bytes.map((each, index) => ({ height: BigInt(from + index), bytes: each, timeNs: 0n }));
const history = (
  lineageKey: number,
  headers: IncludedBlob[],
  stands: ShownHistory['stands'] = PASSED,
  nodes: readonly number[] = [1, 2],
) => ({
  lineageKey,
  isShownBy: (nodeKey: number) => nodes.includes(nodeKey),
  blobs: { HEADER: headers, DATA: [] },
  stands,
});
const success = (
  toldLineage: number | null,
  blobCount: number,
  more: Partial<CellSuccess> = {},
): CellSuccess => ({
  nodeKey: 1,
  sequence: 1n,
  kind: 'HEADER',
  blobCount,
  sizeBytes: BigInt(331 * blobCount),
  toldLineage,
  ...more,
});
const nothing = (): Explanation<CellSuccess> => ({ outcome: 'RECONSTRUCTED' });

/** Rows as `history evidence`, groups as `history count outcome`. */
function outcomeOf(
  histories: readonly ShownHistory[],
  successes: readonly CellSuccess[],
  explain: () => Explanation<CellSuccess> = nothing,
) {
  const decided = explainCell(placeCell(histories, successes), explain);
  return {
    rows: decided.successes.map(({ lineageKey, evidence }) => `${lineageKey} ${evidence}`),
    landed: decided.landed.map(({ lineageKey, carried }) => `${lineageKey} ${carried.blockFrom}`),
    groups: decided.groups.map(
      ({ lineageKey, left, explanation }) => `${lineageKey} ${left.count} ${explanation.outcome}`,
    ),
  };
}

describe('a DA height', () => {
  it('consists of the blobs that successes carried, and of the leftover', () => {
    const shown = history(1, blobs(1, 331, 331, 400));
    expect(outcomeOf([shown], [success(1, 2)])).toEqual({
      rows: ['1 CONFIRMED'],
      landed: [],
      groups: ['1 1 RECONSTRUCTED'],
    });
  });

  it('has no groups before the frontier has passed it, and confirms what fits all the same', () => {
    const shown = history(1, blobs(1, 331, 400), BEYOND);
    expect(outcomeOf([shown], [success(1, 1), success(1, 3)])).toEqual({
      rows: ['1 CONFIRMED', '1 UNCONFIRMED'],
      landed: [],
      groups: [],
    });
  });

  it('leaves undecided what a success of an unknown history may be', () => {
    const shown = history(1, blobs(1, 400));
    expect(outcomeOf([shown], [success(null, 2)]).groups).toEqual(['1 1 UNDECIDED']);
    expect(outcomeOf([shown], [success(null, 0)]).groups).toEqual(['1 1 RECONSTRUCTED']);
    expect(outcomeOf([shown], [success(null, 2, { kind: 'DATA' })]).groups).toEqual(['1 1 RECONSTRUCTED']);
  });

  it('has the failure that landed, with its blobs, and only if it fits next to the successes', () => {
    const shown = history(1, blobs(1, 331, 400));
    const landed = (sizeBytes: bigint) =>
      outcomeOf([shown], [success(1, 1)], () => ({
        outcome: 'LANDED',
        row: success(1, 1, { sequence: 2n, sizeBytes }),
        rows: [],
        possible: 1,
      }));
    expect(landed(400n)).toMatchObject({ landed: ['1 2'], groups: [] });
    expect(landed(401n)).toMatchObject({ landed: [], groups: ['1 1 UNDECIDED'] });
  });
});

describe('the history of a success', () => {
  const both = [history(1, blobs(1, 331)), history(2, blobs(1, 400))];

  it('is the last one that its node had shown, unless only another one matches it exactly', () => {
    expect(outcomeOf(both, [success(2, 1)]).rows).toEqual(['1 CONFIRMED']);
    expect(outcomeOf(both, [success(2, 1, { sizeBytes: 1n })]).rows).toEqual(['2 UNREFERENCED']);
    const alike = [history(1, blobs(1, 331)), history(2, blobs(1, 331))];
    expect(outcomeOf(alike, [success(2, 1)]).rows).toEqual(['2 CONFIRMED']);
  });

  it('is found by its blobs if its node had shown none', () => {
    expect(outcomeOf(both, [success(null, 1)]).rows).toEqual(['1 CONFIRMED']);
    expect(outcomeOf(both, [success(null, 5)]).rows).toEqual(['null UNCONFIRMED']);
  });

  it('is never a history whose blocks its node has not shown', () => {
    const others = [history(1, blobs(1, 331)), history(2, blobs(1, 300), PASSED, [2])];
    const impostor = success(2, 1, { nodeKey: 2 });
    expect(outcomeOf([others[0] as ShownHistory, ...others.slice(1)], [impostor]).rows).toEqual([
      '1 CONFIRMED',
    ]);
    const apart = [history(1, blobs(1, 331), PASSED, [1]), ...others.slice(1)];
    expect(outcomeOf(apart, [impostor])).toMatchObject({
      rows: ['2 CONFIRMED'],
      groups: ['1 1 RECONSTRUCTED'],
    });
  });

  it('is not a history whose blobs another success has', () => {
    expect(outcomeOf(both, [success(1, 1), success(2, 1, { sequence: 2n })]).rows).toEqual([
      '1 CONFIRMED',
      '2 UNREFERENCED',
    ]);
  });

  it('stays open if another history shows a part of it, and the success is not reported as unreferenced', () => {
    expect(outcomeOf([history(1, blobs(1, 331)), history(2, [])], [success(2, 3)])).toMatchObject({
      rows: ['2 OBSERVED'],
      groups: ['1 1 UNDECIDED'],
    });
  });
});

it('neither loses a blob nor counts it twice, whatever fields successes have', () => {
  const row = fc.record({ size: fc.integer({ min: 0, max: 4 }), kind: fc.constantFrom('HEADER', 'UNKNOWN') });
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 8 }), fc.array(row, { maxLength: 6 }), (count, all) => {
      const shown = history(1, blobs(1, ...Array.from({ length: count }, () => 331)));
      const rows = all.map(({ size, kind }, index) =>
        success(1, size, { kind: kind as CellSuccess['kind'], sequence: BigInt(index) }),
      );
      const { successes, groups } = explainCell(placeCell([shown], rows), nothing);
      const heights = successes.flatMap(({ carried: { blockFrom, blockTo } }) =>
        blockFrom === null || blockTo === null
          ? []
          : Array.from({ length: Number(blockTo - blockFrom) + 1 }, (_, index) => Number(blockFrom) + index),
      );
      expect(new Set(heights).size).toBe(heights.length);
      const left = groups.flatMap((group) => group.left.blobs.map(({ height }) => Number(height)));
      expect(left.filter((height) => heights.includes(height))).toEqual([]);
      const { fits } = placeCarriers(shown.blobs, rows);
      const isCertain = fits.every((fit) => fit === 'EXACT' || fit === 'NONE');
      if (isCertain) expect(heights.length + left.length).toBe(count);
    }),
    tries(200),
  );
});

describe('the blobs of a group', () => {
  it('have their bytes by both schemes of headers, and by one scheme of data', () => {
    const left = { count: 2, bytes: 662n, blobs: [] };
    expect([
      sizesOf('HEADER', left),
      sizesOf('DATA', left),
      sizesOf('DATA', { ...left, bytes: null }),
    ]).toEqual([[662n, 530n], [662n], null]);
  });
});
