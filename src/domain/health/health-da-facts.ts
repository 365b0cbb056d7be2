import { isChainMoving, type BlockFacts } from './health-blocks.js';
import { failingLimit, frozenSpan, silentSpan, slowLimit, type DaInputs } from './health-da-limits.js';
import type { DaFacts } from './da-facts.js';
import { countFailure } from './failure-tally.js';
import type { FailureCode } from '../submissions/failure-cause.js';
import { leaveOut, type PollGap } from './health-polls.js';
import type { HealthThresholds } from './health-thresholds.js';
import { learnSuccessGap } from './da-pace.js';
import { isActive, addGap, isUsualKnown, usualGap } from './health-rule.js';
import { NO_OTHERS } from './shown-finality.js';
import type { Millis } from '../time.js';

/** The warning of a slow gap stays for this many times the length of the gap. */
const SLOW_AGAIN_FACTOR = 2;

/** Notes a failed attempt, seen at `at`; `text` says how it failed, and `code` why. */
export function noteFailure(
  facts: DaFacts,
  { text, code }: { readonly text: string; readonly code: FailureCode | null },
  at: Millis,
  thresholds: HealthThresholds,
): DaFacts {
  const isWanted = facts.failureTimes.length < thresholds.failingCount;
  return {
    ...facts,
    attempts: facts.attempts + 1,
    recent: [...facts.recent, true].slice(-thresholds.failuresOf),
    failureRun: facts.failureRun + 1,
    failureTimes: isWanted ? [...facts.failureTimes, at] : facts.failureTimes,
    lastFailure: text,
    lastFailureCode: code,
    failures: countFailure(facts.failures, { text, code }, at, facts.failureRun > 0),
  };
}

/**
 * Notes a successful attempt, seen at `at`.
 *
 * @param time of the attempt on the node's clock; null if its row has none
 */
export function noteSuccess(
  inputs: DaInputs,
  at: Millis,
  time: Millis | null,
  thresholds: HealthThresholds,
): DaFacts {
  const { da, blocks } = inputs;
  // After an outage the frontier is old anyway; its age counts from here on.
  const isResumed = isOutage(inputs, at, thresholds);
  const successesSince = isResumed ? 1 : da.successesSince + 1;
  return {
    ...noteSlowGap(inputs, at, thresholds),
    ...learnSuccessGap(da, at, time, thresholds),
    successTime: time,
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

function noteSlowGap(inputs: DaInputs, at: Millis, thresholds: HealthThresholds): DaFacts {
  const { da, blocks } = inputs;
  if (da.lastSuccessAt === null || at <= da.lastSuccessAt) return da;
  const limitMs = slowLimit(da, thresholds);
  // While no block is known to wait, a guessed pace makes nothing slow.
  const isPaced =
    da.wasMoving && isChainMoving(blocks, thresholds) && isUsualKnown(da.successGaps, thresholds);
  const waitedFrom = da.waitingFrom ?? (isPaced ? nextBlockBy(da, blocks, thresholds) : null);
  const waitedMs = waitedFrom === null ? 0 : at - Math.max(waitedFrom, da.lastSuccessAt);
  if (waitedFrom === null || waitedMs < limitMs) return da;
  // A second gap as long as this one is still the same trouble. After an outage the pace differs.
  const heldMs = isOutage(inputs, at, thresholds) ? 0 : SLOW_AGAIN_FACTOR * waitedMs;
  const until = at + Math.max(thresholds.slowHoldMs, heldMs);
  return { ...da, slow: { from: at, until, waitedMs, limitMs } };
}

/** When the next block was due after the last success, at the usual pace of blocks; null while that is unknown. */
function nextBlockBy(da: DaFacts, { headGaps }: BlockFacts, thresholds: HealthThresholds): Millis | null {
  if (da.lastSuccessAt === null || !isUsualKnown(headGaps, thresholds)) return null;
  return da.lastSuccessAt + usualGap(headGaps, thresholds);
}

function isOutage(inputs: DaInputs, at: Millis, thresholds: HealthThresholds): boolean {
  const { failureRun, lastSuccessAt } = inputs.da;
  const limit = failingLimit(inputs.da, thresholds);
  const failed =
    failureRun >= thresholds.failingCount && lastSuccessAt !== null && at - lastSuccessAt >= limit;
  return failed || (silentSpan(inputs, thresholds)?.from ?? Infinity) <= at;
}

/**
 * Notes that the ring was emptied: its attempts are gone, and a frozen state is reset. The node may have restarted with another
 * pace, so only a few gaps of the old pace are kept.
 */
export function noteReset(facts: DaFacts, { usualKnownFrom }: HealthThresholds): DaFacts {
  return {
    ...facts,
    attempts: 0,
    successTime: null,
    quietGap: null,
    successGaps: facts.successGaps.slice(-Math.ceil(usualKnownFrom / 2)),
    successesSince: 0,
    firstSuccessSince: null,
    wasFrozenAtRestart: facts.wasFrozenAtRestart || facts.frozenFrom !== null,
    frozenFrom: null,
  };
}

/** Notes that the inclusion frontier moved. */
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
    ...NO_OTHERS,
    frozenFrom: null,
    wasFrozenAtRestart: false,
  };
}

/** Notes that a block waits after everything was included: no earlier success can have carried it. */
export function noteFirstPending(facts: DaFacts): DaFacts {
  return { ...facts, successesSince: 0, firstSuccessSince: null, ...NO_OTHERS };
}

/**
 * Notes whether blocks wait for a submission, after a poll of the blocks at `at`. A block counts as waiting only if it came after
 * a poll that was itself made after the last success: that success cannot have carried it. It waits since it was seen. If the
 * pace of the chain is known, the block was not late, and no poll found it missing, it waits since it was due.
 *
 * @param saysSubmitted the node just reported which header it submitted last
 * @param stoodTo the last poll of the blocks, if it found that the head had not moved
 */
export function noteWaiting(
  { da, blocks }: Pick<DaInputs, 'da' | 'blocks'>,
  at: Millis,
  { saysSubmitted, stoodTo }: { readonly saysSubmitted: boolean; readonly stoodTo: Millis | null },
  thresholds: HealthThresholds,
): DaFacts {
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
  const dueBy = da.wasMoving ? nextBlockBy(da, blocks, thresholds) : null;
  // The block did not exist while polls found that the head had not moved, whenever it was due.
  const absentTo = isUsualKnown(da.successGaps, thresholds) ? stoodTo : blocks.seenTo;
  const since = dueBy === null || !blocks.isMoving ? at : Math.max(dueBy, absentTo ?? dueBy);
  return { ...known, waitingFrom: Math.min(at, since) };
}

/** Remembers that inclusion is frozen: single successes do not end that. */
export function latchFrozen(inputs: DaInputs, at: Millis, thresholds: HealthThresholds): DaFacts {
  if (inputs.da.frozenFrom !== null) return inputs.da;
  const span = frozenSpan(inputs, thresholds, 1);
  return span && isActive(span, at) ? { ...inputs.da, frozenFrom: span.from } : inputs.da;
}

/** Shifts all ages so that a time in which the list could not be read does not count. Their proven part remains proven. */
export function leaveOutOfAges(facts: DaFacts, unseen: PollGap): DaFacts {
  if (unseen.to <= unseen.from) return facts;
  const shift = (moment: Millis | null) => (moment === null ? null : leaveOut(moment, unseen));
  return {
    ...facts,
    failureTimes: facts.failureTimes.map((moment) => leaveOut(moment, unseen)),
    seenTo: shift(facts.seenTo),
    startedAt: shift(facts.startedAt),
    lastSuccessAt: shift(facts.lastSuccessAt),
    waitingFrom: shift(facts.waitingFrom),
    firstSuccessSince: shift(facts.firstSuccessSince),
    isSuccessGapClean: false,
    isAdvanceGapClean: false,
  };
}
