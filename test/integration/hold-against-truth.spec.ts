import {
  canonicalText,
  EDGE_MS,
  holdAgainstTruth,
  joinTold,
  uncovered,
  type PostedRow,
  type Told,
} from '../support/truth/hold-against-truth.js';

const NOTHING: Told = { rows: [], holes: [], covered: [] };
/** Three rows, a minute apart. */
const POSTED: readonly PostedRow[] = ['a', 'b', 'c'].map((text, index) => ({
  text,
  at: (index + 1) * 60_000,
}));
const [A, B, C] = POSTED as [PostedRow, PostedRow, PostedRow];
const ALL = { from: 0, to: 300_000 };
const AROUND_B = { from: 90_000, to: 150_000 };

describe('the comparison of a record with the truth', () => {
  it('finds nothing where each row is recorded once', () => {
    const told = { rows: ['a', 'b', 'c'], holes: [], covered: [ALL] };
    expect(holdAgainstTruth(POSTED, told)).toEqual({
      doubled: [],
      outside: [],
      covered: [],
      unexcused: [],
      missing: 0,
    });
  });

  it('excuses a row that is missing in a gap and outside coverage', () => {
    const covered = [
      { from: 0, to: 90_000 },
      { from: 150_000, to: 300_000 },
    ];
    const found = holdAgainstTruth(POSTED, { rows: ['a', 'c'], holes: [AROUND_B], covered });
    expect(found).toMatchObject({ missing: 1, outside: [], covered: [], unexcused: [] });
  });

  it.each([
    ['in no gap', { holes: [], covered: [] }, { outside: [B], covered: [] }],
    ['in a gap, but covered', { holes: [AROUND_B], covered: [ALL] }, { outside: [], covered: [B] }],
    ['covered, and in no gap', { holes: [], covered: [ALL] }, { outside: [B], covered: [B] }],
    [
      'next to the gap',
      { holes: [{ from: 0, to: B.at - EDGE_MS - 1 }], covered: [] },
      { outside: [B], covered: [] },
    ],
    [
      'before the open gap',
      { holes: [{ from: B.at + EDGE_MS + 1, to: Infinity }], covered: [] },
      { outside: [B], covered: [] },
    ],
  ])('notices a row that is missing %s', (_, told, expected) => {
    expect(holdAgainstTruth(POSTED, { rows: ['a', 'c'], ...told })).toMatchObject({
      ...expected,
      missing: 1,
      unexcused: [B],
    });
  });

  it('accepts gaps without a beginning or an end', () => {
    const holes = [
      { from: -Infinity, to: A.at },
      { from: B.at, to: Infinity },
    ];
    expect(holdAgainstTruth(POSTED, { ...NOTHING, holes })).toMatchObject({ missing: 3, unexcused: [] });
  });

  it('allows for the edges of clocks, and for no more', () => {
    const hole = (to: number): Told => ({ ...NOTHING, holes: [{ from: 0, to }] });
    const covered = (from: number): Told => ({ ...hole(B.at), covered: [{ from, to: 300_000 }] });
    const unexcused = (told: Told): number => holdAgainstTruth([B], told).unexcused.length;
    expect([unexcused(hole(B.at - EDGE_MS)), unexcused(hole(B.at - EDGE_MS - 1))]).toEqual([0, 1]);
    expect([unexcused(covered(B.at - EDGE_MS + 1)), unexcused(covered(B.at - EDGE_MS))]).toEqual([0, 1]);
  });

  it('expects no gap over a row after the last poll, but no coverage either', () => {
    const late = [{ ...C, isTooLate: true }];
    expect(holdAgainstTruth(late, NOTHING)).toMatchObject({ missing: 1, unexcused: [] });
    expect(holdAgainstTruth(late, { ...NOTHING, covered: [ALL] })).toMatchObject({ unexcused: late });
  });

  it('counts equal rows: as many must be recorded, and not one more', () => {
    const twice = [A, { ...A, at: C.at }];
    const told = (...rows: string[]): Told => ({ ...NOTHING, rows, covered: [ALL] });
    expect(holdAgainstTruth(twice, told('a', 'a'))).toMatchObject({ doubled: [], missing: 0, unexcused: [] });
    expect(holdAgainstTruth(twice, told('a'))).toMatchObject({ missing: 1, unexcused: [twice[1]] });
    expect(holdAgainstTruth(twice, told('a', 'a', 'a'))).toMatchObject({ doubled: ['a'], missing: 0 });
  });

  it('matches the recorded one of equal rows with the one that nothing else excuses', () => {
    const twice = [A, { ...A, at: C.at }];
    const told = { rows: ['a'], holes: [{ from: 0, to: B.at }], covered: [{ from: B.at, to: 300_000 }] };
    expect(holdAgainstTruth(twice, told)).toMatchObject({ missing: 1, unexcused: [] });
  });

  it('notices rows that were never posted', () => {
    expect(holdAgainstTruth(POSTED, { ...NOTHING, rows: ['a', 'b', 'c', 'd'] }).doubled).toEqual(['d']);
  });
});

describe('the combined record of the nodes of a chain', () => {
  it('has a row once that two nodes recorded, and the rows of each node', () => {
    const a = { ...NOTHING, rows: ['a', 'b'], holes: [AROUND_B] };
    const b = { ...NOTHING, rows: ['b', 'c'], holes: [ALL] };
    const joined = joinTold([a, b], [ALL]);
    expect(joined).toEqual({ rows: ['a', 'b', 'c'], holes: [AROUND_B, ALL], covered: [ALL] });
    expect(holdAgainstTruth(POSTED, joined)).toMatchObject({ doubled: [], missing: 0 });
  });

  it('keeps how often a node recorded equal rows', () => {
    expect(
      joinTold(
        [
          { ...NOTHING, rows: ['a', 'a'] },
          { ...NOTHING, rows: ['a'] },
        ],
        [],
      ).rows,
    ).toEqual(['a', 'a']);
  });
});

describe('uncovered time', () => {
  it('lies before, between and behind the spans, whatever their order', () => {
    const spans = [
      { from: 50_000, to: 90_000 },
      { from: 10_000, to: 40_000 },
      { from: 20_000, to: 30_000 },
    ];
    expect(uncovered(spans, { from: 0, to: 100_000 })).toEqual([
      { from: 0, to: 10_000 },
      { from: 40_000, to: 50_000 },
      { from: 90_000, to: 100_000 },
    ]);
    expect(uncovered([], ALL)).toEqual([ALL]);
    expect(uncovered([{ from: -5, to: 400_000 }], ALL)).toEqual([]);
  });

  it('leaves out gaps that are no wider than an edge', () => {
    const spans = [
      { from: 0, to: 1_000 },
      { from: 1_000 + EDGE_MS, to: 300_000 },
    ];
    expect(uncovered(spans, ALL)).toEqual([]);
    expect(uncovered(spans, ALL, EDGE_MS - 1)).toHaveLength(1);
  });
});

describe('the canonical text of a row', () => {
  it('is the same however the keys are ordered, and differs with any value', () => {
    expect(canonicalText({ b: [{ d: 1, c: 2 }], a: null })).toBe(
      canonicalText({ a: null, b: [{ c: 2, d: 1 }] }),
    );
    expect(canonicalText({ a: [1, 2] })).not.toBe(canonicalText({ a: [2, 1] }));
  });
});
