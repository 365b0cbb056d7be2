import type { Micros } from '../time.js';

/** DA heights that a walk had passed, and when: from one up to another, which does not belong to them. */
export interface Stair {
  /** When blocks showed it, observer's clock. */
  readonly at: Micros;
  readonly from: bigint;
  readonly below: bigint;
}

/**
 * How far blobs of one kind of one history are decided. Below `below` a walk has passed, and every list that is at hand
 * has been looked at since. The stairs wait for those looks, in the order of the log.
 */
export interface Frontier {
  readonly below: bigint;
  readonly stairs: readonly Stair[];
}

/** Where no list is looked at any more, stairs are joined: what they passed is decided later, never earlier. */
const MOST_STAIRS = 64;

export const AT_THE_START: Frontier = { below: 0n, stairs: [] };

/**
 * A walk has gone on.
 *
 * @param passed DA heights below it are passed now; null: none are
 * @param changed those below at which it tells more than before; null: none
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
 * All lists have been looked at through a time.
 *
 * @returns the frontier, and what is decided by that
 */
export function settle(
  frontier: Frontier,
  lookedThrough: Micros,
): { readonly frontier: Frontier; readonly passed: readonly Stair[] } {
  const passed = frontier.stairs.filter(({ at }) => at < lookedThrough);
  if (passed.length === 0) return { frontier, passed };
  const below = passed.reduce(
    (highest, stair) => (stair.below > highest ? stair.below : highest),
    frontier.below,
  );
  return { frontier: { below, stairs: frontier.stairs.filter(({ at }) => at >= lookedThrough) }, passed };
}

function join(stairs: Stair[]): void {
  const [last, before] = [stairs.pop(), stairs.pop()];
  if (!last || !before) return;
  const from = before.from < last.from ? before.from : last.from;
  const below = before.below > last.below ? before.below : last.below;
  stairs.push({ at: before.at > last.at ? before.at : last.at, from, below });
}
