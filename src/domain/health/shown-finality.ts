import type { PackedBlocks } from '../blocks/block-facts.js';
import { unpackIntegers } from '../blocks/packed-columns.js';
import { readHeight } from '../bounds.js';
import type { BlockEvents } from '../events.js';
import type { Millis } from '../time.js';
import type { DaFacts } from './da-facts.js';
import type { InclusionFrontier } from './inclusion-frontier.js';

/**
 * A node's inclusion is judged after it was seen to reach a higher DA height this often. A node that syncs by P2P alone shows a
 * few blocks as included when it starts, and no more later.
 */
const KNOWN_FROM = 10;

/** The facts of a node's blocks that show whether it follows inclusion. */
interface ShownHeights {
  readonly daHeight: string | null;
  readonly daAdvances: number;
}

/** Whether the node is known to follow the DA layer, so that stalled inclusion means something. */
export function isInclusionKnown({ daAdvances }: Pick<ShownHeights, 'daAdvances'>): boolean {
  return daAdvances >= KNOWN_FROM;
}

/** The condition of `isInclusionKnown`, for people. */
export const INCLUSION_KNOWN_WHEN = `its own inclusion height has advanced at ${KNOWN_FROM} DA heights while monitored`;

/** The highest DA height in packed blocks; null if no block has one. */
export function highestDaHeight({ headerDaHeights, dataDaHeights }: PackedBlocks): bigint | null {
  const columns = [headerDaHeights, dataDaHeights].flatMap((column) =>
    column ? unpackIntegers(column) : [],
  );
  return highestOf(columns);
}

/** The highest DA height in an inclusion event; null if it has none. */
export function highestShown(heights: BlockEvents['BlockInclusionObserved']['heights']): bigint | null {
  return highestOf(heights.flatMap(([, header, data]) => [readHeight(header), readHeight(data)]));
}

function highestOf(heights: readonly (bigint | null)[]): bigint | null {
  return heights.reduce(
    (highest, height) => (height !== null && (highest ?? -1n) < height ? height : highest),
    null,
  );
}

/**
 * The facts after the frontier moved while the node was monitored, and blocks up to the frontier were shown at DA heights up to
 * `shown`. Blocks beyond the frontier may have been shown at higher DA heights before: they did not move it.
 */
export function noteAdvanceAt<F extends ShownHeights>(facts: F, shown: bigint | null): F {
  if (shown === null || (facts.daHeight !== null && shown <= BigInt(facts.daHeight))) return facts;
  return { ...facts, daHeight: String(shown), daAdvances: Math.min(facts.daAdvances + 1, KNOWN_FROM) };
}

/**
 * Counts how often other nodes moved on beyond the first block that waits here. Counts only if a block has just arrived here: a
 * node that gets no blocks has another trouble.
 *
 * @param othersNext the highest frontier of the other nodes; null if there are none
 */
export function noteOthers<
  B extends { readonly othersNext: string | null; readonly frontier: InclusionFrontier },
>(
  da: DaFacts,
  blocks: B,
  othersNext: string | null,
  at: Millis,
): { readonly da: DaFacts; readonly blocks: B } {
  if (othersNext === null || BigInt(othersNext) <= BigInt(blocks.othersNext ?? '-1')) return { da, blocks };
  const noted = { ...blocks, othersNext };
  const { next } = blocks.frontier;
  const isAhead = next !== null && BigInt(othersNext) > BigInt(next);
  if (!isAhead) return { da, blocks: noted };
  const firstOtherSince = da.othersSince === 0 ? at : da.firstOtherSince;
  return {
    da: { ...da, othersSince: da.othersSince + 1, firstOtherSince, lastOtherSince: at },
    blocks: noted,
  };
}

/** Restarts the count: inclusion moved, or could not be seen for a time. */
export const NO_OTHERS = {
  othersSince: 0,
  firstOtherSince: null,
  lastOtherSince: null,
} as const satisfies Partial<DaFacts>;
