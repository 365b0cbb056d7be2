import type { BracketEntity } from '../../../tables/record.entities.js';
import { failureAt } from '../../../../test/support/decided-rows.js';
import { bracketAt, isFree } from './possible-rows.js';

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

  it('has no end before the event that closed it, and no gap before the event that reported it', () => {
    expect([14n, 15n, 20n].map((position) => bracketAt(bracket, position))).toEqual([
      { from: 100n, to: null, hasGap: false },
      { from: 100n, to: null, hasGap: true },
      { from: 100n, to: 105n, hasGap: true },
    ]);
  });

  it('has no ends and no gap while these are unknown', () => {
    const open = { ...bracket, daFrom: null, daTo: null, closedPosition: null, lossPosition: null };
    expect(bracketAt(open, 99n)).toEqual({ from: null, to: null, hasGap: false });
  });
});

it('a failure is free at a DA height if it landed nowhere, or there, or is to be decided later', () => {
  const heights = new Set([95n, 100n, 105n]);
  const at = (daHeight: bigint | null) =>
    isFree(failureAt(10n, { daHeight }), 100n, (each) => heights.has(each));
  expect([null, 100n, 105n].map(at)).toEqual([true, true, true]);
  // The step decides nothing there, or has already decided it.
  expect([104n, 95n].map(at)).toEqual([false, false]);
});
