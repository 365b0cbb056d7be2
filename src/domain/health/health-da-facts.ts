import { isChainMoving, type BlockFacts } from './health-blocks.js';
import { failingLimit, frozenSpan, silentSpan, slowLimit, type DaInputs } from './health-da-limits.js';
import type { DaFacts } from './da-facts.js';
import { leaveOut, type Hole } from './health-looks.js';
import type { HealthThresholds } from './health-thresholds.js';
import { isActive } from './health-rule.js';
import { addGap } from './usual.js';
import type { Millis } from '../time.js';

/** An attempt that failed, seen at `at`; `text` says how. */
export function noteFailure(facts: DaFacts, text: string, at: Millis, thresholds: HealthThresholds): DaFacts {
  const isWanted = facts.failureTimes.length < thresholds.failingCount;
  return {
    ...facts,
    attempts: facts.attempts + 1,
    recent: [...facts.recent, true].slice(-thresholds.failuresOf),
    failureRun: facts.failureRun + 1,
    failureTimes: isWanted ? [...facts.failureTimes, at] : facts.failureTimes,
    lastFailure: text,
  };
}

/** An attempt that succeeded, seen at `at`. */
export function noteSuccess({ da, blocks }: DaInputs, at: Millis, thresholds: HealthThresholds): DaFacts {
  // After an outage the frontier is old whatever the node does; its age counts from here on.
  const isResumed = isOutage({ da, blocks }, at, thresholds);
  const successesSince = isResumed ? 1 : da.successesSince + 1;
  return {
    ...noteSuccessGap({ da, blocks }, at, thresholds),
    attempts: da.attempts + 1,
    recent: [...da.recent, false].slice(-thresholds.failuresOf),
    failureRun: 0,
    failureTimes: [],
    lastSuccessAt: at,
    isSuccessGapClean: true,
    waitingFrom: null,
    headAfterSuccess: null,
    wasMoving: isChainMoving(blocks, thresholds),
    successesSince,
    firstSuccessSince: successesSince === 1 ? at : da.firstSuccessSince,
  };
}

function noteSuccessGap({ da, blocks }: DaInputs, at: Millis, thresholds: HealthThresholds): DaFacts {
  if (da.lastSuccessAt === null || at <= da.lastSuccessAt) return da;
  const waitedFrom =
    da.waitingFrom ?? (da.wasMoving && isChainMoving(blocks, thresholds) ? da.lastSuccessAt : null);
  const limit = slowLimit(da, thresholds);
  const wasSlow = waitedFrom !== null && at - Math.max(waitedFrom, da.lastSuccessAt) >= limit;
  return {
    ...da,
    slow: wasSlow ? { from: at, until: at + thresholds.slowHoldMs } : da.slow,
    successGaps: da.isSuccessGapClean
      ? addGap(da.successGaps, at - da.lastSuccessAt, thresholds)
      : da.successGaps,
  };
}

function isOutage(inputs: DaInputs, at: Millis, thresholds: HealthThresholds): boolean {
  const { failureRun, lastSuccessAt } = inputs.da;
  const limit = failingLimit(inputs.da, thresholds);
  const failed =
    failureRun >= thresholds.failingCount && lastSuccessAt !== null && at - lastSuccessAt >= limit;
  return failed || (silentSpan(inputs, thresholds)?.from ?? Infinity) <= at;
}

/** The ring was emptied: its attempts are gone, and whatever was frozen gets a new chance. */
export function noteReset(facts: DaFacts): DaFacts {
  return {
    ...facts,
    attempts: 0,
    successesSince: 0,
    firstSuccessSince: null,
    wasFrozenAtRestart: facts.wasFrozenAtRestart || facts.frozenFrom !== null,
    frozenFrom: null,
  };
}

/** The inclusion frontier moved. */
export function noteAdvance(facts: DaFacts, at: Millis, thresholds: HealthThresholds): DaFacts {
  const gap = facts.frontierAt === null ? null : at - facts.frontierAt;
  return {
    ...facts,
    advanceGaps:
      gap !== null && gap > 0 && facts.isAdvanceGapClean
        ? addGap(facts.advanceGaps, gap, thresholds)
        : facts.advanceGaps,
    isAdvanceGapClean: true,
    frontierAt: at,
    successesSince: 0,
    firstSuccessSince: null,
    frozenFrom: null,
    wasFrozenAtRestart: false,
  };
}

/**
 * Whether blocks wait for a submission, after a look at the blocks at `at`. A block counts as waiting only when it
 * came after a look that itself was made after the last success: that success cannot have carried it.
 *
 * @param saysSubmitted the node just said which header it submitted last
 */
export function noteWaiting(da: DaFacts, blocks: BlockFacts, at: Millis, saysSubmitted: boolean): DaFacts {
  const { head, lastSubmitted, frontier } = blocks;
  if (head === null) return da;
  const headAfterSuccess = da.headAfterSuccess ?? head;
  const known = { ...da, headAfterSuccess };
  if (lastSubmitted !== null && BigInt(lastSubmitted) >= BigInt(head)) return { ...known, waitingFrom: null };
  if (lastSubmitted === null && frontier.next !== null && BigInt(frontier.next) > BigInt(head)) {
    return { ...known, waitingFrom: null };
  }
  const isBeyond = lastSubmitted === null ? frontier.next !== null : saysSubmitted;
  const isWaiting = isBeyond || BigInt(head) > BigInt(headAfterSuccess);
  if (!isWaiting || da.waitingFrom !== null) return known;
  return { ...known, waitingFrom: da.wasMoving ? (da.lastSuccessAt ?? at) : at };
}

/** Remembers that inclusion is frozen, once it is: a success more or less does not thaw it. */
export function latchFrozen(inputs: DaInputs, at: Millis, thresholds: HealthThresholds): DaFacts {
  if (inputs.da.frozenFrom !== null) return inputs.da;
  const span = frozenSpan(inputs, thresholds, 1);
  return span && isActive(span, at) ? { ...inputs.da, frozenFrom: span.from } : inputs.da;
}

/** Leaves a time in which the list could not be seen out of all ages. */
export function leaveOutOfAges(facts: DaFacts, unseen: Hole): DaFacts {
  if (unseen.to <= unseen.from) return facts;
  const shift = (moment: Millis | null) => (moment === null ? null : leaveOut(moment, unseen));
  return {
    ...facts,
    failureTimes: facts.failureTimes.map((moment) => leaveOut(moment, unseen)),
    startedAt: shift(facts.startedAt),
    lastSuccessAt: shift(facts.lastSuccessAt),
    waitingFrom: shift(facts.waitingFrom),
    firstSuccessSince: shift(facts.firstSuccessSince),
    isSuccessGapClean: false,
    isAdvanceGapClean: false,
  };
}
