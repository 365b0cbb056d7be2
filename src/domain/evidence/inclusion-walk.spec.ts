import { addGap, advanceWalk, standOf, startWalk, type WalkedBlock } from './inclusion-walk.js';

const block = (header: number | null, data: number | null, hasData = true): WalkedBlock => ({
  headerDaHeight: header === null ? null : BigInt(header),
  dataDaHeight: data === null ? null : BigInt(data),
  hasData,
});
const walkOver = (blocks: Record<number, WalkedBlock>, first: number, fromStart: boolean) => {
  const walk = startWalk(BigInt(first), fromStart);
  advanceWalk(walk, (height) => blocks[Number(height)]);
  return walk;
};

describe('the inclusion walk', () => {
  it('stops at the first block that misses a DA height', () => {
    const walk = walkOver({ 1: block(5, 5), 2: block(6, 7), 3: block(8, null), 4: block(8, 8) }, 1, true);
    expect(walk).toMatchObject({ frontier: 2n, headerFrom: 5n, headerTo: 6n, dataFrom: 5n, dataTo: 7n });
  });

  it('asks for no data of a block without transactions', () => {
    const walk = walkOver({ 1: block(5, null, false) }, 1, true);
    expect(walk).toMatchObject({ frontier: 1n, headerTo: 5n, dataFrom: null, dataTo: null });
  });

  it('knows all blocks of a DA height once a later block points to a higher one', () => {
    const walk = walkOver({ 1: block(5, 5), 2: block(6, 5), 3: block(9, 9) }, 1, true);
    expect(standOf([walk], 'HEADER', 6n)).toBe('PASSED');
    expect(standOf([walk], 'HEADER', 9n)).toBe('BEYOND');
    expect(standOf([walk], 'HEADER', 1n)).toBe('PASSED');
  });

  it('says nothing of what may lie before the first recorded block', () => {
    const walk = walkOver({ 7: block(5, 5), 8: block(6, 6), 9: block(7, 7) }, 7, false);
    expect(standOf([walk], 'HEADER', 5n)).toBe('BEFORE');
    expect(standOf([walk], 'HEADER', 6n)).toBe('PASSED');
  });

  it('takes the node that knows most', () => {
    const late = walkOver({ 7: block(5, 5), 8: block(6, 6) }, 7, false);
    const whole = walkOver({ 1: block(4, 4), 2: block(9, 9) }, 1, true);
    expect(standOf([late, whole], 'DATA', 5n)).toBe('PASSED');
    expect(standOf([], 'DATA', 5n)).toBe('BEYOND');
  });

  it('steps over a gap, and concludes nothing from the DA heights around it', () => {
    const blocks = { 1: block(5, 5), 2: block(6, 6), 4: block(8, 8), 5: block(9, 9) };
    const walk = walkOver(blocks, 1, true);
    expect(walk.frontier).toBe(2n);
    addGap(walk, { from: 3n, to: 3n });
    expect(advanceWalk(walk, (height) => blocks[Number(height) as 1])).toBe(true);
    expect(walk.frontier).toBe(5n);
    expect([5n, 6n, 7n, 8n].map((da) => standOf([walk], 'HEADER', da))).toEqual([
      'PASSED',
      'BEFORE',
      'BEFORE',
      'BEFORE',
    ]);
  });

  it('keeps headers and data apart, before its start and around a gap', () => {
    const blocks = {
      7: block(5, 15),
      8: block(6, 16),
      10: block(8, 18),
      11: block(9, 19),
      12: block(10, 20),
    };
    const walk = walkOver(blocks, 7, false);
    addGap(walk, { from: 9n, to: 9n });
    advanceWalk(walk, (height) => blocks[Number(height) as 7]);
    const stands = (kind: 'HEADER' | 'DATA', ...heights: bigint[]) =>
      heights.map((height) => standOf([walk], kind, height));
    expect(stands('HEADER', 5n, 6n, 8n, 9n, 10n)).toEqual(['BEFORE', 'BEFORE', 'BEFORE', 'PASSED', 'BEYOND']);
    expect(stands('DATA', 15n, 16n, 18n, 19n, 20n)).toEqual([
      'BEFORE',
      'BEFORE',
      'BEFORE',
      'PASSED',
      'BEYOND',
    ]);
  });

  it('waits for the blocks before a gap', () => {
    const walk = walkOver({ 1: block(5, 5), 4: block(6, 6) }, 1, true);
    addGap(walk, { from: 3n, to: 3n });
    expect(advanceWalk(walk, () => undefined)).toBe(false);
    expect(walk.frontier).toBe(1n);
  });

  it('remembers five hundred gaps at most', () => {
    const walk = walkOver({}, 1, true);
    for (let at = 2n; at < 1_100n; at += 2n) addGap(walk, { from: at, to: at });
    expect(walk.gaps).toHaveLength(500);
  });

  it('keeps no gap that it has passed', () => {
    const walk = walkOver({ 1: block(5, 5), 2: block(6, 6) }, 1, true);
    addGap(walk, { from: 1n, to: 2n });
    expect(walk.gaps).toEqual([]);
    addGap(walk, { from: 1n, to: 3n });
    expect(walk.gaps).toEqual([{ from: 1n, to: 3n }]);
  });
});
