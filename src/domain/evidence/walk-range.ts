import type { BlobKind, Hole, Line, StandingWalk } from './inclusion-walk.js';

/** DA heights from one up to another, which does not belong to it any more. */
export interface DaRange {
  readonly from: bigint;
  readonly below: bigint;
}

/** The DA heights at which blobs of a kind may stand elsewhere, since a walk went from one state to another; null: nowhere. */
export function changedStands(kind: BlobKind, before: StandingWalk, after: StandingWalk): DaRange | null {
  const [then, now] = [before.lines[kind], after.lines[kind]];
  const from = lowestChange(then, now, before.fromStart !== after.fromStart);
  if (from === null) return null;
  const below = [then.to, now.to].reduce<bigint>((most, to) => (to !== null && to > most ? to : most), 0n);
  return { from, below };
}

/** Whether a walk has passed a whole range by itself, without a hole in it. */
export function hasPassed(walk: StandingWalk, kind: BlobKind, { from, below }: DaRange): boolean {
  const line = walk.lines[kind];
  if (line.from === null || line.to === null || below > line.to) return false;
  if (!walk.fromStart && from <= line.from) return false;
  return line.holes.every((hole) => hole.from >= below || (hole.to !== null && hole.to < from));
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
