import {
  CHAIN,
  CONFIRMED,
  failureAt,
  headerOf,
  LINEAGE,
  OBSERVED,
  RECONSTRUCTED,
  stepAt,
  successAt,
  UNCONFIRMED,
  walkTo,
} from '../../../../test/support/decided-rows.js';
import { LossBook } from '../facts/losses.js';
import { Cells } from './cell.js';
import { askGroups, decideSteps, placeSteps } from './decide-steps.js';
import { type LoadedBracket, PossibleRows } from './possible-rows.js';
import { Rows, type Row } from './row.js';
import type { Step } from './step.js';

/** The bracket between the successes at the DA heights 90 and 110. */
const BRACKET = {
  nodeKey: 1,
  kind: 0,
  afterSequence: 1n,
  daFrom: 90n,
  daTo: 110n,
  fromPosition: 2n,
  closedPosition: 4n,
  lossPosition: null,
  otherLossPosition: null,
  lossChain: CHAIN,
} satisfies LoadedBracket;

/** DA heights of a chain, and rows between two of its successes. */
class World {
  readonly cells = new Cells();
  readonly losses = new LossBook();
  readonly counted: string[] = [];
  bracket: LoadedBracket | null = BRACKET;

  constructor(private readonly possibleRows: readonly Row[] = []) {
    this.losses.count = (loss, _, by, position) => void this.counted.push(`${loss} ${by} at ${position}`);
  }

  at(daHeight: bigint) {
    return this.cells.get(CHAIN, daHeight);
  }

  /** Decides steps at all these DA heights. Every step names them, except one that re-examines groups. */
  decide(steps: readonly Step[], ...daHeights: bigint[]) {
    const heights = new Set(daHeights);
    const toDecide = steps.map((step) => ({
      step: step.groupsFrom === undefined ? { ...step, cells: heights } : step,
      heights,
    }));
    const placed = placeSteps(toDecide, this.cells);
    const possible = new PossibleRows(new Rows());
    for (const group of askGroups(placed)) {
      const brackets = possible.newBrackets(group);
      if (!brackets || !this.bracket) continue;
      brackets.push(this.bracket);
      possible.newRows(this.bracket, group)?.push(...this.possibleRows);
    }
    return decideSteps(placed, { cells: this.cells, possible, losses: this.losses });
  }
}

describe('a success', () => {
  it('is CONFIRMED by the event that showed its blob, before the frontier has passed', () => {
    const world = new World();
    const row = successAt(10n);
    world.at(100n).addRow(row);
    world.at(100n).addBlob(LINEAGE, 'HEADER', headerOf(9n, 20n));
    world.decide([stepAt(10n, 0n), stepAt(20n, 0n)], 100n);
    expect(row).toMatchObject({ evidence: CONFIRMED, evidenceFromPosition: 20n, blockFrom: 9n, blockTo: 9n });
  });

  it('waits for the frontier, too, near an unreadable block: a later row may have the blobs', () => {
    const world = new World();
    const row = successAt(10n, { blobCount: 2, sizeBytes: 662n });
    world.at(100n).addRow(row);
    world.at(100n).addBlob(LINEAGE, 'HEADER', headerOf(9n, 20n));
    const line = { from: 1n, to: 102n, holes: [{ from: 100n, to: 100n, first: 10n, last: 10n }] };
    const walks = new Map([[LINEAGE, [{ ...walkTo(102n), lines: { HEADER: line, DATA: line } }]]]);
    world.decide([stepAt(20n, 100n, { walks })], 100n);
    expect(row.evidence).toBe(UNCONFIRMED);
    world.decide([stepAt(30n, 102n, { walks })], 100n);
    expect(row).toMatchObject({ evidence: CONFIRMED, evidenceFromPosition: 30n, blockFrom: null });
  });

  it('does not count at events before it', () => {
    const world = new World();
    const row = successAt(30n);
    world.at(100n).addRow(row);
    world.at(100n).addBlob(LINEAGE, 'HEADER', headerOf(9n, 20n));
    const { rows, groups } = world.decide([stepAt(20n, 0n)], 100n);
    expect([rows.size, groups.added.size, row.evidence]).toEqual([0, 0, UNCONFIRMED]);
  });
});

describe('blobs that no success carried', () => {
  const withBlob = (world: World, ...daHeights: bigint[]) => {
    for (const daHeight of daHeights)
      world.at(daHeight).addBlob(LINEAGE, 'HEADER', headerOf(daHeight - 90n, 20n));
    return world;
  };

  it('are nothing while the frontier has not passed, and RECONSTRUCTED if nothing else can be them', () => {
    const world = withBlob(new World(), 100n);
    // A walk has passed, but lists have not been polled since.
    const walked = { walks: new Map([[LINEAGE, [walkTo(101n)]]]) };
    expect(world.decide([stepAt(20n, 100n, walked)], 100n).groups.added.size).toBe(0);
    const [group] = world.decide([stepAt(30n, 101n)], 100n).groups.added;
    expect(group).toMatchObject({
      evidence: RECONSTRUCTED,
      fromPosition: 30n,
      blockFrom: 10n,
      observedAt: 30_000n,
    });
  });

  it('were carried by the failure between two successes with as many bytes', () => {
    const [fits, other] = [failureAt(3n), failureAt(2n, { sizeBytes: 400n })];
    const world = withBlob(new World([other, fits]), 100n);
    const { rows, groups } = world.decide([stepAt(30n, 101n)], 100n);
    expect([[...rows], groups.added.size]).toEqual([[fits], 0]);
    expect(fits).toMatchObject({ evidence: CONFIRMED, daHeight: 100n, blockFrom: 10n, shownAt: 30_000n });
    expect(other).toMatchObject({ evidence: OBSERVED, daHeight: null });
  });

  it('become another group if a later event shows one more of them', () => {
    const world = withBlob(new World(), 100n);
    world.at(100n).addBlob(LINEAGE, 'HEADER', headerOf(11n, 40n));
    const { groups } = world.decide([stepAt(30n, 101n), stepAt(40n, 101n)], 100n);
    const versions = [...groups.added].map(({ fromPosition, toPosition, blobCount }) => [
      fromPosition,
      toPosition,
      blobCount,
    ]);
    expect(versions).toEqual([
      [30n, 40n, 1],
      [40n, undefined, 2],
    ]);
  });

  it('are not explained twice by one failure', () => {
    const failure = failureAt(3n);
    const world = withBlob(new World([failure]), 100n, 101n);
    const { groups } = world.decide([stepAt(30n, 102n)], 101n, 100n);
    expect(failure.daHeight).toBe(100n);
    expect([...groups.added].map(({ daHeight, evidence }) => [daHeight, evidence])).toEqual([
      [101n, RECONSTRUCTED],
    ]);
  });

  it('end as a group, and a failure as landed, if a success that carried them appears', () => {
    const failure = failureAt(3n);
    const world = withBlob(new World([failure]), 100n, 101n);
    world.decide([stepAt(30n, 102n)], 100n, 101n);
    const late = [successAt(40n), successAt(41n, { daHeight: 101n })];
    world.at(100n).addRow(late[0] as Row);
    world.at(101n).addRow(late[1] as Row);
    const { rows, groups } = world.decide([stepAt(41n, 102n)], 100n, 101n);
    expect(failure).toMatchObject({ daHeight: null, evidence: OBSERVED, shownAt: null });
    expect(failure.past?.at(-1)).toMatchObject({ daHeight: 100n, evidence: CONFIRMED, toPosition: 41n });
    expect(late.map(({ evidence }) => evidence)).toEqual([CONFIRMED, CONFIRMED]);
    expect([rows.size, groups.added.size]).toEqual([3, 0]);
    expect([world.at(100n), world.at(101n)].map((cell) => cell.groups.size + cell.landed.size)).toEqual([
      0, 0,
    ]);
  });

  it('count for the only gap that can have held them, and no longer once something explains them', () => {
    const world = withBlob(new World(), 100n);
    world.bracket = { ...BRACKET, lossPosition: 3n };
    world.decide([stepAt(30n, 101n)], 100n);
    world.at(100n).addRow(successAt(40n));
    world.decide([stepAt(40n, 101n)], 100n);
    expect(world.counted).toEqual(['3 1 at 30', '3 -1 at 40']);
  });

  it('are decided by an event that only checks groups again if some exist by then, in the same batch or not', () => {
    const world = withBlob(new World(), 100n);
    const asking = stepAt(40n, 101n, { groupsFrom: 90n });
    expect(world.decide([asking], 100n).groups.added.size).toBe(0);
    expect(world.decide([stepAt(30n, 101n), asking], 100n).groups.added.size).toBe(1);
    world.at(100n).addRow(successAt(35n));
    expect(world.decide([asking], 100n).groups.added.size).toBe(0);
    expect(world.at(100n).groups.size).toBe(0);
  });

  it('count for no gap if two can have held them', () => {
    const world = withBlob(new World(), 100n);
    world.bracket = { ...BRACKET, lossPosition: 3n, otherLossPosition: 4n };
    const { groups } = world.decide([stepAt(30n, 101n)], 100n);
    expect([[...groups.added].map(({ lossPosition }) => lossPosition), world.counted]).toEqual([[null], []]);
  });
});
