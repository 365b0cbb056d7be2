import { isInclusionPending } from './health-blocks.js';
import type { DaFacts } from './da-facts.js';
import type { HealthFold } from './health-fold.js';
import { unreachableNodeSpan } from './health-node-facts.js';
import { isUsualKnown, type RuleSpan, usualGap, usualLimit } from './health-rule.js';
import type { HealthThresholds } from './health-thresholds.js';
import type { SourceState } from '../events.js';
import { isInclusionKnown } from './shown-finality.js';
import type { Millis } from '../time.js';

export type DaInputs = Pick<HealthFold, 'da' | 'blocks' | 'node'>;

/** How long attempts may fail. Failures are enough evidence: a chain that posts rarely need not wait for its next post. */
export function failingLimit(da: DaFacts, t: HealthThresholds): Millis {
  return between(t.failingAfterMs, t.failingUsualFactor * usualGap(da.successGaps, t), t.failingAtMostMs);
}

/** How long successes may go without inclusion. Several of them are enough evidence, too. */
export function frozenLimit(da: DaFacts, t: HealthThresholds): Millis {
  return between(t.frozenAfterMs, t.frozenUsualFactor * usualGap(da.advanceGaps, t), t.frozenAtMostMs);
}

export function silentLimit(da: DaFacts, t: HealthThresholds): Millis {
  return usualLimit(usualGap(da.successGaps, t), t.silentUsualFactor, t.silentAfterMs, t.silentAtMostMs);
}

export function slowLimit(da: DaFacts, t: HealthThresholds): Millis {
  return usualLimit(usualGap(da.successGaps, t), t.slowUsualFactor, t.slowAfterMs);
}

function between(atLeastMs: Millis, limitMs: Millis, atMostMs: Millis): Millis {
  return Math.max(atLeastMs, Math.min(limitMs, atMostMs));
}

/** The span in which attempts count as failing; undefined while too few failed in a row. */
export function failingSpan({ da }: DaInputs, t: HealthThresholds): RuleSpan | undefined {
  const enoughAt = da.failureTimes[t.failingCount - 1];
  if (da.failureRun < t.failingCount || enoughAt === undefined) return undefined;
  const since = da.lastSuccessAt ?? da.startedAt ?? enoughAt;
  return { from: Math.max(enoughAt, since + failingLimit(da, t)), proven: da.seenTo };
}

/** The span in which a DA layer for which blocks wait is silent for too long; undefined while no block is known to wait. */
export function silentSpan({ da }: DaInputs, t: HealthThresholds): RuleSpan | undefined {
  const since = waitingSince(da);
  return since === null ? undefined : { from: since + silentLimit(da, t), proven: da.seenTo };
}

/** The span in which the open gap between successes is slow. */
export function slowSpan({ da }: DaInputs, t: HealthThresholds): RuleSpan | undefined {
  const since = waitingSince(da);
  return since === null ? undefined : { from: since + slowLimit(da, t), proven: da.seenTo };
}

/**
 * The span in which inclusion stalls although submissions continue: after a share of the time for frozen. Undefined while nothing
 * is pending, too few attempts succeeded since the frontier moved, or the DA layer itself is out.
 */
export function frozenSpan(inputs: DaInputs, t: HealthThresholds, share: number): RuleSpan | undefined {
  const { da, blocks } = inputs;
  if (!isInclusionPending(blocks)) return undefined;
  if (isWithoutList(da)) return behindOthersSpan(inputs, t, share);
  if (da.firstSuccessSince === null || da.successesSince < t.frozenCount) return undefined;
  const from = da.firstSuccessSince + share * frozenLimit(da, t);
  const outageFrom = Math.min(
    failingSpan(inputs, t)?.from ?? Infinity,
    silentSpan(inputs, t)?.from ?? Infinity,
  );
  return outageFrom < from ? undefined : { from, proven: blocks.frontierSeenTo };
}

/**
 * The same for a node whose own submissions cannot be seen. The other nodes of its chain must have moved on for as long: if they
 * stall, too, the DA layer or the submitter is the cause.
 */
function behindOthersSpan(
  { da, blocks }: DaInputs,
  t: HealthThresholds,
  share: number,
): RuleSpan | undefined {
  const { firstOtherSince: first, lastOtherSince: last } = da;
  const isKnown = isInclusionKnown(blocks) && isUsualKnown(da.advanceGaps, t);
  if (!isKnown || first === null || last === null || da.othersSince < t.frozenCount) return undefined;
  const from = first + share * frozenLimit(da, t);
  return last < from ? undefined : { from, proven: blocks.frontierSeenTo };
}

/** Whether the node shows no list, or a list that never had an attempt. */
export function isWithoutList({ failing, attempts }: DaFacts): boolean {
  return failing === null ? attempts === 0 : WITHOUT_LIST.has(failing.state);
}

/** States of a node that answers but has no list. */
export const WITHOUT_LIST: ReadonlySet<SourceState> = new Set([
  'DISABLED',
  'NOT_AGGREGATOR',
  'NOT_SUPPORTED',
]);

/**
 * The spans in which a failing list cannot be judged. They begin when a poll fails long enough after the last good one. Or when a
 * warning that was active at the last good poll runs out: failed polls neither prolong it nor show that all is well. Or when the
 * node that does not answer for its list is itself unreachable.
 */
export function unavailableSpans({ da, node }: DaInputs, t: HealthThresholds): RuleSpan[] {
  if (!da.failing) return [];
  const { since, state } = da.failing;
  const heldTo = da.slow && da.goodAt !== null && da.slow.until > da.goodAt ? da.slow.until : Infinity;
  const failedFrom = da.goodAt === null ? since : Math.max(since, da.goodAt + t.unreachableAfterMs);
  const from = Math.min(failedFrom, heldTo);
  const own = state === 'UNREACHABLE' ? unreachableNodeSpan(node, t) : undefined;
  const spans = [{ from, proven: da.watchedTo }];
  return own ? [{ ...own, from: Math.max(since, own.from) }, ...spans] : spans;
}

/** Since when blocks have waited without a success; null while no block is known to wait. */
export function waitingSince(da: DaFacts): Millis | null {
  if (da.waitingFrom === null) return null;
  return Math.max(da.waitingFrom, da.lastSuccessAt ?? da.startedAt ?? da.waitingFrom);
}
