import type { Millis } from '../time.js';
import type { DaFacts } from './da-facts.js';
import type { BlockFacts } from './health-blocks.js';
import type { HealthLine } from './health-line.js';

/** What decides whether the DA layer holds up a node. */
export interface HeadInputs {
  readonly blocks: BlockFacts;
  readonly da: DaFacts;
  readonly daLine: HealthLine | null;
  readonly nodeLine: HealthLine | null;
}

/** The rule of a node whose chain may stand still because its DA layer fails. */
export const HEAD_HELD_RULE = 'head-held';

/** Rules of the DA component by which no attempt ends: the submitter may stand still with the node. */
const HANGING_RULES: ReadonlySet<string> = new Set(['silent', 'slow']);
/** A head that stood still before the DA layer failed does so for another reason. */
const STILL_RULES: ReadonlySet<string> = new Set(['head-late', 'head-still']);

/**
 * Whether blocks of this node wait for a DA layer that is in trouble, so that the node may have to stop making blocks.
 * Attempts that fail prove it: a limit may be as low as one block. Where no attempt ends, more blocks must have come after
 * the first one that waits.
 */
export function isDaOut({ blocks, da, daLine }: Pick<HeadInputs, 'blocks' | 'da' | 'daLine'>): boolean {
  const { failing, failureRun, waitingFrom, headAfterSuccess } = da;
  if (failing !== null) return false;
  const rule = daLine?.rule ?? '';
  // Attempts that failed some time ago hold nothing up, nor does a single one among successes.
  if (rule === 'failing' || rule === 'failures') return failureRun > 1;
  if (!HANGING_RULES.has(rule) || waitingFrom === null) return false;
  if (headAfterSuccess === null || blocks.head === null) return false;
  return BigInt(blocks.head) > BigInt(headAfterSuccess) + 1n;
}

/**
 * Whether a head that stands still says nothing of the node. An aggregator makes no block once as many as it may keep
 * wait for the DA layer, and its followers get none.
 */
export function isHeadHeld(fold: HeadInputs): boolean {
  return (fold.blocks.isDaOutElsewhere || isDaOut(fold)) && !STILL_RULES.has(fold.nodeLine?.rule ?? '');
}

/** Once nothing holds it any more, the head has as long for its next block as after any other. */
export function releaseHead(fold: HeadInputs, at: Millis): BlockFacts {
  if (fold.nodeLine?.rule !== HEAD_HELD_RULE || isHeadHeld(fold)) return fold.blocks;
  return { ...fold.blocks, headAdvancedAt: at, isHeadGapClean: false };
}
