import { failureAt } from '../../../../test/support/decided-rows.js';
import { LandedRows } from './landed-rows.js';
import type { PossibleRow } from './possible-rows.js';
import type { Row } from './row.js';

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
