import type { BlobKind, Hole, InclusionWalk } from './inclusion-walk.js';

/** DA heights from one up to another, which does not belong to it any more. */
export interface DaRange {
  readonly from: bigint;
  readonly below: bigint;
}

/** The DA heights at which something may stand elsewhere, since a walk went from one state to another; null: nowhere. */
export function changedStands(before: InclusionWalk, after: InclusionWalk): DaRange | null {
  const isAnother = before.fromStart !== after.fromStart;
  const lows = [
    lowestChange(
      { from: before.headerFrom, to: before.headerTo, holes: before.headerHoles },
      { from: after.headerFrom, to: after.headerTo, holes: after.headerHoles },
      isAnother,
    ),
    lowestChange(
      { from: before.dataFrom, to: before.dataTo, holes: before.dataHoles },
      { from: after.dataFrom, to: after.dataTo, holes: after.dataHoles },
      isAnother,
    ),
  ].filter((low) => low !== null);
  const [low, other = low] = lows;
  if (low === undefined || other === undefined) return null;
  const tops = [before.headerTo, before.dataTo, after.headerTo, after.dataTo];
  const below = tops.reduce<bigint>((most, to) => (to !== null && to > most ? to : most), 0n);
  return { from: low < other ? low : other, below };
}

/** The same of one kind of blobs. */
export function changedStandsOf(kind: BlobKind, before: InclusionWalk, after: InclusionWalk): DaRange | null {
  const lineOf = (walk: InclusionWalk): Line =>
    kind === 'HEADER'
      ? { from: walk.headerFrom, to: walk.headerTo, holes: walk.headerHoles }
      : { from: walk.dataFrom, to: walk.dataTo, holes: walk.dataHoles };
  const [then, now] = [lineOf(before), lineOf(after)];
  const from = lowestChange(then, now, before.fromStart !== after.fromStart);
  if (from === null) return null;
  const below = [then.to, now.to].reduce<bigint>((most, to) => (to !== null && to > most ? to : most), 0n);
  return { from, below };
}

/** Below which no step of a walk, as long as it meets no gap, changes where anything stands. */
export function firstUndecided({ headerTo, dataTo, gaps, headerHoles, dataHoles }: InclusionWalk): bigint {
  const isInOrder = gaps.length === 0 && headerHoles.at(-1)?.to !== null && dataHoles.at(-1)?.to !== null;
  if (!isInOrder || headerTo === null || dataTo === null) return 0n;
  return headerTo < dataTo ? headerTo : dataTo;
}

/** One kind of blobs on a walk. */
interface Line {
  readonly from: bigint | null;
  readonly to: bigint | null;
  readonly holes: readonly Hole[];
}

function lowestChange(before: Line, after: Line, isAnother: boolean): bigint | null {
  if (isAnother || before.from !== after.from || before.to === null || after.to === null) {
    return before.to === null && after.to === null ? null : 0n;
  }
  const lows: bigint[] = [];
  if (before.to !== after.to) lows.push(before.to, after.to);
  const at = after.holes.findIndex((hole, index) => !isSame(hole, before.holes[index]));
  const changed = at === -1 ? after.holes.length : at;
  for (const hole of [before.holes[changed], after.holes[changed]]) if (hole) lows.push(hole.from);
  return lows.length === 0 ? null : lows.reduce((least, low) => (low < least ? low : least));
}

function isSame(one: Hole, other: Hole | undefined): boolean {
  return one.from === other?.from && one.to === other.to;
}
