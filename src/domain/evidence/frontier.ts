import type { Micros } from '../time.js';
import type { BlobKind, DaGap, DaLine, StandingWalk } from './inclusion-walk.js';

/** DA heights from `from` up to, but not including, `below`. */
interface DaRange {
  readonly from: bigint;
  readonly below: bigint;
}

/** The DA heights at which a kind's blobs may have changed their stand since a walk's earlier state; null: none. */
export function changedPositions(kind: BlobKind, before: StandingWalk, after: StandingWalk): DaRange | null {
  const [then, now] = [before.lines[kind], after.lines[kind]];
  const from = lowestChange(then, now, before.fromStart !== after.fromStart);
  if (from === null) return null;
  const below = [then.to, now.to].reduce<bigint>((most, to) => (to !== null && to > most ? to : most), 0n);
  return { from, below };
}

/** Whether a walk alone has passed a whole range, without a hole in it. */
export function hasPassed(walk: StandingWalk, kind: BlobKind, { from, below }: DaRange): boolean {
  const line = walk.lines[kind];
  if (line.from === null || line.to === null || below > line.to) return false;
  if (!walk.fromStart && from <= line.from) return false;
  return line.holes.every((hole) => hole.from >= below || (hole.to !== null && hole.to < from));
}

function lowestChange(before: DaLine, after: DaLine, isAnother: boolean): bigint | null {
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

function isSame(one: DaGap, other: DaGap | undefined): boolean {
  return one.from === other?.from && one.to === other.to;
}

/** DA heights that a walk had passed, and when: from `from` up to, but not including, `below`. */
export interface Stair {
  /** When blocks showed it, observer's clock. */
  readonly at: Micros;
  readonly from: bigint;
  readonly below: bigint;
}

/**
 * How far blobs of one kind of one history are decided. A walk has passed the heights below `below`, and every available
 * list has been polled since. The stairs wait for those polls, in the order of the log.
 */
export interface Frontier {
  readonly below: bigint;
  readonly stairs: readonly Stair[];
}

/** Most stairs. If no list is polled any more, stairs are joined: what they passed is decided later, never earlier. */
const MOST_STAIRS = 64;

export const AT_THE_START: Frontier = { below: 0n, stairs: [] };

/**
 * Adds the progress of a walk.
 *
 * @param passed DA heights below this are passed now; null: none
 * @param changed lower DA heights about which the walk now proves more than before; null: none
 */
export function climb(
  frontier: Frontier,
  {
    at,
    passed,
    changed,
  }: {
    readonly at: Micros;
    readonly passed: bigint | null;
    readonly changed: { readonly from: bigint; readonly below: bigint } | null;
  },
): Frontier {
  const stairs = [...frontier.stairs];
  const top = stairs.reduce((highest, { below }) => (below > highest ? below : highest), frontier.below);
  const late = changed && { at, from: changed.from, below: changed.below < top ? changed.below : top };
  if (late && late.from < late.below) stairs.push(late);
  if (passed !== null && passed > top) stairs.push({ at, from: top, below: passed });
  if (stairs.length === frontier.stairs.length) return frontier;
  while (stairs.length > MOST_STAIRS) join(stairs);
  return { ...frontier, stairs };
}

/**
 * Applies that all lists have been polled through a time.
 *
 * @returns the frontier, and the stairs that are thereby decided
 */
export function settle(
  frontier: Frontier,
  polledThrough: Micros,
): { readonly frontier: Frontier; readonly passed: readonly Stair[] } {
  const passed = frontier.stairs.filter(({ at }) => at < polledThrough);
  if (passed.length === 0) return { frontier, passed };
  const below = passed.reduce(
    (highest, stair) => (stair.below > highest ? stair.below : highest),
    frontier.below,
  );
  return { frontier: { below, stairs: frontier.stairs.filter(({ at }) => at >= polledThrough) }, passed };
}

function join(stairs: Stair[]): void {
  const [last, before] = [stairs.pop(), stairs.pop()];
  if (!last || !before) return;
  const from = before.from < last.from ? before.from : last.from;
  const below = before.below > last.below ? before.below : last.below;
  stairs.push({ at: before.at > last.at ? before.at : last.at, from, below });
}
