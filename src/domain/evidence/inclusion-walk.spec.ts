import fc from 'fast-check';
import {
  addGap,
  advanceWalk,
  fillGap,
  lowerWalk,
  walkPositionOf,
  startWalk,
  type WalkedBlock,
} from './inclusion-walk.js';
import { tries } from '../../../test/support/tries.js';

const block = (header: number | null, data: number | null, txCount = 1): WalkedBlock => ({
  headerDaHeight: header === null ? null : BigInt(header),
  dataDaHeight: data === null ? null : BigInt(data),
  txCount,
});
const walkOver = (blocks: Record<number, WalkedBlock>, first: number, fromStart: boolean) => {
  const walk = startWalk(BigInt(first), fromStart);
  advanceWalk(walk, (height) => blocks[Number(height)]);
  return walk;
};

describe('the inclusion walk', () => {
  it('stops at the first block that misses a DA height', () => {
    const walk = walkOver({ 1: block(5, 5), 2: block(6, 7), 3: block(8, null), 4: block(8, 8) }, 1, true);
    expect(walk).toMatchObject({
      frontier: 2n,
      lines: { HEADER: { from: 5n, to: 6n }, DATA: { from: 5n, to: 7n } },
    });
  });

  it('needs no data of a block without transactions', () => {
    const walk = walkOver({ 1: block(5, null, 0) }, 1, true);
    expect(walk).toMatchObject({
      frontier: 1n,
      lines: { HEADER: { to: 5n }, DATA: { from: null, to: null } },
    });
  });

  it('knows all blocks of a DA height once a later block points to a higher one', () => {
    const walk = walkOver({ 1: block(5, 5), 2: block(6, 5), 3: block(9, 9) }, 1, true);
    expect(walkPositionOf([walk], 'HEADER', 6n)).toBe('PASSED');
    expect(walkPositionOf([walk], 'HEADER', 9n)).toBe('BEYOND');
    expect(walkPositionOf([walk], 'HEADER', 1n)).toBe('PASSED');
  });

  it('says nothing about what may lie before the first recorded block', () => {
    const walk = walkOver({ 7: block(5, 5), 8: block(6, 6), 9: block(7, 7) }, 7, false);
    expect(walkPositionOf([walk], 'HEADER', 5n)).toBe('BEFORE');
    expect(walkPositionOf([walk], 'HEADER', 6n)).toBe('PASSED');
  });

  it('uses the node that knows most', () => {
    const late = walkOver({ 7: block(5, 5), 8: block(6, 6) }, 7, false);
    const whole = walkOver({ 1: block(4, 4), 2: block(9, 9) }, 1, true);
    expect(walkPositionOf([late, whole], 'DATA', 5n)).toBe('PASSED');
    expect(walkPositionOf([], 'DATA', 5n)).toBe('BEYOND');
  });

  it('skips a gap, and concludes nothing from the DA heights around it', () => {
    const blocks = { 1: block(5, 5), 2: block(6, 6), 4: block(8, 8), 5: block(9, 9) };
    const walk = walkOver(blocks, 1, true);
    expect(walk.frontier).toBe(2n);
    addGap(walk, { from: 3n, to: 3n });
    expect(advanceWalk(walk, (height) => blocks[Number(height) as 1])).toBe(true);
    expect(walk.frontier).toBe(5n);
    expect([5n, 6n, 7n, 8n].map((da) => walkPositionOf([walk], 'HEADER', da))).toEqual([
      'PASSED',
      'BEFORE',
      'BEFORE',
      'BEFORE',
    ]);
  });

  it('leaves undecided what may be missing behind a gap, until the order of DA heights is found again', () => {
    const blocks = { 1: block(50, 50), 2: block(60, 60), 4: block(40, 40), 5: block(45, 45) };
    const more: Record<number, WalkedBlock> = { ...blocks, 6: block(70, 70), 7: block(80, 80) };
    const walk = walkOver(blocks, 1, true);
    addGap(walk, { from: 3n, to: 3n });
    advanceWalk(walk, (height) => blocks[Number(height) as 1]);
    // The missing block may point as low as the next one, or to anything higher.
    expect(walk).toMatchObject({ frontier: 5n, lines: { HEADER: { holes: [{ from: 40n, to: null }] } } });
    advanceWalk(walk, (height) => more[Number(height)]);
    expect(walk.lines.HEADER.holes).toEqual([{ from: 40n, to: 70n, first: 3n, last: 5n }]);
    expect([39n, 40n, 60n, 70n, 71n, 80n].map((da) => walkPositionOf([walk], 'HEADER', da))).toEqual([
      'PASSED',
      'BEFORE',
      'BEFORE',
      'BEFORE',
      'PASSED',
      'BEYOND',
    ]);
  });

  it('skips blocks that were given up, whether they are at hand or not', () => {
    const blocks: Record<number, WalkedBlock> = {
      1: block(5, 5),
      2: block(null, null),
      3: block(6, 6),
      4: block(8, 8),
    };
    const walks = [blocks, { 1: block(5, 5), 4: block(8, 8) } as typeof blocks].map((known) => {
      const walk = startWalk(1n, true);
      addGap(walk, { from: 2n, to: 3n });
      advanceWalk(walk, (height) => known[Number(height)]);
      return walk;
    });
    expect(walks[0]).toEqual(walks[1]);
    expect(walks[0]).toMatchObject({ frontier: 4n, lines: { HEADER: { holes: [{ from: 5n, to: 8n }] } } });
  });

  it('joins gaps that touch, as the database does', () => {
    const blocks: Record<number, WalkedBlock> = {
      1: block(5, 5),
      3: block(8, 8),
      5: block(4, 4),
      6: block(9, 9),
    };
    const walk = startWalk(1n, true);
    addGap(walk, { from: 2n, to: 2n });
    addGap(walk, { from: 4n, to: 4n });
    advanceWalk(walk, (height) => blocks[Number(height)]);
    expect(walk.lines.HEADER.holes).toEqual([{ from: 4n, to: 9n, first: 2n, last: 5n }]);
  });

  it('keeps gaps that a range can hold, in order and apart, whatever DA heights the blocks show', () => {
    const da = fc.option(fc.oneof(fc.bigInt({ min: 1n, max: 20n }), fc.constant(2n ** 62n)), { freq: 9 });
    const shown = fc.record({ headerDaHeight: da, dataDaHeight: da, txCount: fc.nat({ max: 1 }) });
    fc.assert(
      fc.property(fc.array(fc.option(shown, { freq: 3 }), { maxLength: 60 }), (blocks) => {
        const walk = startWalk(1n, true);
        blocks.forEach((each, index) => {
          if (each === null) addGap(walk, { from: BigInt(index + 1), to: BigInt(index + 1) });
        });
        advanceWalk(walk, (height) => blocks[Number(height) - 1] ?? undefined);
        for (const holes of [walk.lines.HEADER.holes, walk.lines.DATA.holes]) {
          holes.forEach(({ from, to }, index) => {
            expect(to === null ? index === holes.length - 1 : from <= to).toBe(true);
            const before = holes[index - 1]?.to;
            if (typeof before === 'bigint') expect(from > before + 1n).toBe(true);
          });
        }
      }),
      tries(100),
    );
  });

  it('never treats a skipped block as known, where DA heights rise', () => {
    const steps = fc.array(fc.tuple(fc.bigInt({ min: 0n, max: 3n }), fc.boolean()), {
      minLength: 1,
      maxLength: 60,
    });
    fc.assert(
      fc.property(steps, (all) => {
        let da = 1n;
        const heights = all.map(([step]) => (da += step));
        const walk = startWalk(1n, true);
        all.forEach(([, isLost], index) => {
          if (isLost) addGap(walk, { from: BigInt(index + 1), to: BigInt(index + 1) });
        });
        const find = (height: bigint) => {
          const index = Number(height) - 1;
          const at = heights[index];
          if (at === undefined || all[index]?.[1]) return undefined;
          return { headerDaHeight: at, dataDaHeight: at, txCount: 1 };
        };
        advanceWalk(walk, find);
        all.forEach(([, isLost], index) => {
          if (isLost) expect(walkPositionOf([walk], 'HEADER', heights[index] ?? 0n)).not.toBe('PASSED');
        });
      }),
      tries(100),
    );
  });

  it('knows a skipped block once the node returns it and shows it as included', () => {
    const blocks: Record<number, WalkedBlock> = {
      1: block(5, 5),
      2: block(6, 6),
      5: block(9, 9),
      6: block(10, 10),
    };
    const walk = walkOver(blocks, 1, true);
    addGap(walk, { from: 3n, to: 4n });
    advanceWalk(walk, (height) => blocks[Number(height)]);
    const stands = () => [6n, 7n, 8n, 9n].map((da) => walkPositionOf([walk], 'HEADER', da));
    const [open, passed] = [Array(4).fill('BEFORE'), Array(4).fill('PASSED')];
    expect(stands()).toEqual(open);
    fillGap(walk, 3n, block(7, 7));
    fillGap(walk, 4n, block(8, null));
    expect(stands()).toEqual(open);
    fillGap(walk, 4n, block(8, 8));
    expect(stands()).toEqual(passed);
    expect(walk.gaps).toEqual([]);
  });

  it('begins again below its first block, and treats the heights between as a gap', () => {
    const blocks: Record<number, WalkedBlock> = { 5: block(8, 8), 6: block(10, 10), 8: block(12, 12) };
    const walk = walkOver(blocks, 5, false);
    addGap(walk, { from: 7n, to: 7n });
    Object.assign(blocks, { 1: block(2, 2), 2: block(3, 3) });
    lowerWalk(walk, [1n, 2n], true);
    advanceWalk(walk, (height) => blocks[Number(height)]);
    expect(walk).toMatchObject({ firstHeight: 1n, frontier: 8n, fromStart: true });
    expect(walk.gaps).toEqual([
      { from: 3n, to: 4n },
      { from: 7n, to: 7n },
    ]);
    fillGap(walk, 3n, block(4, 4));
    fillGap(walk, 4n, block(5, 5));
    expect([2n, 4n, 9n, 10n].map((da) => walkPositionOf([walk], 'DATA', da))).toEqual([
      'PASSED',
      'PASSED',
      'PASSED',
      'BEFORE',
    ]);
  });

  it('reports in the end what it would have reported had nothing been missing, whatever came late', () => {
    const shown = fc.record({ step: fc.bigInt({ min: 0n, max: 3n }), isLate: fc.boolean(), key: fc.nat() });
    fc.assert(
      fc.property(fc.array(shown, { minLength: 1, maxLength: 40 }), (all) => {
        let da = 1n;
        const blocks = all.map(({ step }) => block(Number((da += step)), Number(da)));
        const whole = startWalk(1n, true);
        advanceWalk(whole, (height) => blocks[Number(height) - 1]);
        const walk = startWalk(1n, true);
        const late = all.flatMap(({ isLate, key }, index) => (isLate && index > 0 ? [{ index, key }] : []));
        for (const { index } of late) addGap(walk, { from: BigInt(index + 1), to: BigInt(index + 1) });
        const isLate = (index: number): boolean => late.some((each) => each.index === index);
        advanceWalk(walk, (height) => (isLate(Number(height) - 1) ? undefined : blocks[Number(height) - 1]));
        const heights = Array.from({ length: Number(da) + 1 }, (_, at) => BigInt(at));
        const stands = (of: typeof walk) => heights.map((at) => walkPositionOf([of], 'HEADER', at));
        const final = stands(whole);
        for (const { index } of late.sort((a, b) => a.key - b.key)) {
          stands(walk).forEach((stand, at) => {
            if (stand === 'PASSED') expect(final[at]).toBe('PASSED');
          });
          fillGap(walk, BigInt(index + 1), blocks[index] as WalkedBlock);
        }
        expect(stands(walk)).toEqual(final);
        expect(walk.gaps).toEqual([]);
      }),
      tries(200),
    );
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
      heights.map((height) => walkPositionOf([walk], kind, height));
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
    expect(walk.gaps).toEqual([{ from: 3n, to: 3n }]);
  });
});
