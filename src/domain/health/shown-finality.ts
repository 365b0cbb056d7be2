import type { PackedBlocks } from '../blocks/block-facts.js';
import { unpackIntegers } from '../blocks/packed-columns.js';
import { readHeight } from '../bounds.js';
import type { BlockEvents } from '../events.js';
import type { Millis } from '../time.js';
import type { DaFacts } from './da-facts.js';
import type { Frontier } from './inclusion-frontier.js';

/**
 * A node's inclusion is judged once it was seen to move on to a higher DA height this often. A node that syncs by P2P
 * alone shows a few blocks as included when it starts, and never any more.
 */
const KNOWN_FROM = 10;

/** What of a node's blocks says whether it shows inclusion. */
interface ShownHeights {
  readonly daHeight: string | null;
  readonly daAdvances: number;
}

/** Whether the node is known to follow the DA layer, so that inclusion that stands still says something. */
export function isInclusionKnown({ daAdvances }: Pick<ShownHeights, 'daAdvances'>): boolean {
  return daAdvances >= KNOWN_FROM;
}

/** What `isInclusionKnown` waits for, for people. */
export const INCLUSION_KNOWN_WHEN = `its own inclusion height has advanced at ${KNOWN_FROM} DA heights while monitored`;

/** The highest DA height in packed blocks; null where none has one. */
export function highestDaHeight({ headerDaHeights, dataDaHeights }: PackedBlocks): bigint | null {
  const columns = [headerDaHeights, dataDaHeights].flatMap((column) =>
    column ? unpackIntegers(column) : [],
  );
  return highestOf(columns);
}

/** The same of an inclusion event. */
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
 * The facts after the frontier moved while the node was watched, and blocks up to there were shown at DA heights up to
 * `shown`. Blocks beyond the frontier may have been shown at higher ones before: they did not move it.
 */
export function noteAdvanceAt<F extends ShownHeights>(facts: F, shown: bigint | null): F {
  if (shown === null || (facts.daHeight !== null && shown <= BigInt(facts.daHeight))) return facts;
  return { ...facts, daHeight: String(shown), daAdvances: Math.min(facts.daAdvances + 1, KNOWN_FROM) };
}

/**
 * Counts how often other nodes moved on beyond the first block that waits here. It counts where a block has just arrived:
 * a node that gets no blocks has another trouble.
 *
 * @param othersNext the highest frontier of the other nodes; null where there are none
 */
export function noteOthers<B extends { readonly othersNext: string | null; readonly frontier: Frontier }>(
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

/** The count begins again: inclusion moved, or for a time nobody could see whether it did. */
export const NO_OTHERS = {
  othersSince: 0,
  firstOtherSince: null,
  lastOtherSince: null,
} as const satisfies Partial<DaFacts>;
