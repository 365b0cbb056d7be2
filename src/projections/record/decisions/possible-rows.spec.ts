import type { BracketEntity } from '../../../tables/record/bracket.entity.js';
import { bracketAt } from './possible-rows.js';

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
