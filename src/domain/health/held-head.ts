import type { Millis } from '../time.js';
import type { BlockFacts } from './health-blocks.js';
import type { HealthFold } from './health-fold.js';

/** The facts that decide whether the DA layer holds up a node. */
export type HeadInputs = Pick<HealthFold, 'blocks' | 'da' | 'daLine' | 'nodeLine'>;

/** The rule of a node whose chain may have stopped because its DA layer fails. */
export const HEAD_HELD_RULE = 'head-held';

/** Rules of the DA component for attempts that do not end: the submitter may have stopped together with the node. */
const HANGING_RULES: ReadonlySet<string> = new Set(['silent', 'slow']);
/** A head that stopped before the DA layer failed has another reason. */
const STILL_RULES: ReadonlySet<string> = new Set(['head-late', 'head-still']);

/**
 * Whether blocks of this node wait for a DA layer that is in trouble, so that the node may have to stop producing blocks. Failed
 * attempts prove it: the limit may be as low as one block. If no attempt ends, more blocks must have come after the first one
 * that waits.
 */
export function isDaOut({ blocks, da, daLine }: Pick<HeadInputs, 'blocks' | 'da' | 'daLine'>): boolean {
  const { failing, failureRun, waitingFrom, headAfterSuccess } = da;
  if (failing !== null) return false;
  const rule = daLine?.rule ?? '';
  // Old failures hold nothing up, nor does a single one among successes.
  if (rule === 'failing' || rule === 'failures') return failureRun > 1;
  if (!HANGING_RULES.has(rule) || waitingFrom === null) return false;
  if (headAfterSuccess === null || blocks.head === null) return false;
  return BigInt(blocks.head) > BigInt(headAfterSuccess) + 1n;
}

/**
 * Whether a head that has stopped shows nothing about the node. An aggregator stops producing blocks once it has as many pending
 * ones as it may keep, and its followers get no more blocks.
 */
export function isHeadHeld(fold: HeadInputs): boolean {
  return (fold.blocks.isDaOutElsewhere || isDaOut(fold)) && !STILL_RULES.has(fold.nodeLine?.rule ?? '');
}

/** Restarts the head's age when the DA layer no longer holds it up: the next block may take as long as after any other. */
export function releaseHead(fold: HeadInputs, at: Millis): BlockFacts {
  if (fold.nodeLine?.rule !== HEAD_HELD_RULE || isHeadHeld(fold)) return fold.blocks;
  return { ...fold.blocks, headAdvancedAt: at, isHeadGapClean: false };
}
