import type { BracketEntity } from '../../../tables/record/bracket.entity.js';
import { failureAt } from '../../../../test/support/decided-rows.js';
import { bracketAt, LandedRows, type PossibleRow } from './possible-rows.js';
import type { Row } from './row.js';

describe('a bracket as it was known at a position', () => {
  const bracket = {
    nodeKey: 1,
    kind: 0,
    afterSequence: 3n,
    daFrom: 100n,
    daTo: 105n,
    fromPosition: 10n,
    closedPosition: 20n,
    lossPosition: 15n,
    otherLossPosition: null,
  } satisfies BracketEntity;

  it('has no end before the event that closed it, and no hole before the one that told it', () => {
    expect([14n, 15n, 20n].map((position) => bracketAt(bracket, position))).toEqual([
      { from: 100n, to: null, hasHole: false },
      { from: 100n, to: null, hasHole: true },
      { from: 100n, to: 105n, hasHole: true },
    ]);
  });

  it('has none where none is known yet', () => {
    const open = { ...bracket, daFrom: null, daTo: null, closedPosition: null, lossPosition: null };
    expect(bracketAt(open, 99n)).toEqual({ from: null, to: null, hasHole: false });
  });
});

const possibleOf = (row: Row, attempt: string) => ({ row, attempt }) as PossibleRow;

describe('a failure that may have landed', () => {
  it('is free at a DA height where it landed nowhere, there, or where it is to be decided later', () => {
    const landed = new LandedRows(new Set([95n, 100n, 105n]));
    const at = (daHeight: bigint | null) => landed.isFree(failureAt(10n, { daHeight }), 100n);
    expect([null, 100n, 105n].map(at)).toEqual([true, true, true]);
    // The step decides nothing there, or has decided it already.
    expect([104n, 95n].map(at)).toEqual([false, false]);
  });

  it('lands once, with the rows of other nodes that are the same attempt', () => {
    const landed = new LandedRows(new Set([100n, 105n]));
    const [mine, theirs, another] = [10n, 11n, 12n].map((position) => failureAt(position)) as [Row, Row, Row];
    const possible = [possibleOf(mine, 'a'), possibleOf(theirs, 'a'), possibleOf(another, 'b')];
    const explained = { outcome: 'LANDED', attempt: possible[0] as PossibleRow, possible: 1 } as const;
    expect(landed.note(explained, possible)).toBe(explained);
    expect(landed.isFree(theirs, 100n)).toBe(true);
    expect(landed.take(mine)).toEqual([mine, theirs]);
    expect([mine, theirs, another].map((row) => landed.isFree(row, 105n))).toEqual([false, false, true]);
  });
});
