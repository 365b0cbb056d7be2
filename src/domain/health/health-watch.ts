import type { BlockEvents, Polls, ProbeEvents } from '../events.js';
import {
  isInclusionPending,
  leaveOutOfHead,
  noteBlockPolls,
  noteProgress,
  type BlockFacts,
} from './health-blocks.js';
import { noteAdvance, noteFirstPending, noteWaiting } from './health-da-facts.js';
import type { HealthStep } from './health-step.js';
import { judgeFailingList, watchFailingList } from './health-list.js';
import { findPollGap, later, leaveOut, onePoll, quietTo, type PollTimes } from './health-polls.js';
import { isOutOfReach, noteProbe } from './health-node-facts.js';
import { noteOthers, NO_OTHERS } from './shown-finality.js';
import type { Millis } from '../time.js';

/** Applies polls of the blocks: what the absence of news proves about the inclusion frontier and the head. */
export function applyBlockPolls(step: HealthStep, looks: PollTimes): void {
  step.see(looks);
  watchFailingList(step, looks.last);
  const before = step.state.blocks;
  const quiet = quietTo(looks, before.lookedAt);
  step.setBlocks(noteBlockPolls(before, looks, quiet, step.thresholds));
  const gap = findPollGap(looks, before.lookedAt, step.thresholds);
  if (gap) step.settleNode(gap.to);
  const { firstSuccessSince } = step.state.da;
  if (gap) step.setDa(NO_OTHERS);
  if (gap && firstSuccessSince !== null) {
    step.setDa({ firstSuccessSince: leaveOut(firstSuccessSince, gap), isAdvanceGapClean: false });
  }
  if (quiet === null) return;
  step.walkDa(before.frontierSeenTo ?? quiet, quiet);
  step.walkNode(before.seenTo ?? quiet, quiet);
}

/** Applies news of the blocks to both components. */
export function applyBlocks(
  step: HealthStep,
  looks: Polls | undefined,
  at: Millis,
  change: (blocks: BlockFacts) => BlockFacts,
  saysSubmitted = false,
): void {
  if (looks) applyBlockPolls(step, looks);
  const before = step.state.blocks;
  const { seenTo, headAdvancedAt } = before;
  const stoodTo = headAdvancedAt !== null && seenTo !== null && seenTo > headAdvancedAt ? seenTo : null;
  const blocks = change(before);
  step.setBlocks(blocks);
  const { next } = blocks.frontier;
  if (next !== null && next !== before.frontier.next)
    step.setDa(noteAdvance(step.state.da, at, step.thresholds));
  if (isInclusionPending(blocks) && !isInclusionPending(before)) step.setDa(noteFirstPending(step.state.da));
  step.setDa(noteWaiting(step.state, at, { saysSubmitted, stoodTo }, step.thresholds));
  if (hasRisen(before, blocks) && isInclusionPending(blocks)) {
    const noted = noteOthers(step.state.da, blocks, step.others.next, at);
    step.setDa(noted.da);
    step.setBlocks(noted.blocks);
  }
  step.settleDa(at);
  step.settleNode(at);
}

function hasRisen(before: BlockFacts, { recordedTo }: BlockFacts): boolean {
  return recordedTo !== null && before.recordedTo !== null && BigInt(recordedTo) > BigInt(before.recordedTo);
}

export function applyProgress(step: HealthStep, body: BlockEvents['NodeProgressObserved'], at: Millis): void {
  const saysSubmitted = body.lastSubmittedHeader !== null;
  const change = (blocks: BlockFacts) => noteProgress(blocks, body, at, step.thresholds);
  applyBlocks(step, body.looks, at, change, saysSubmitted);
}

/** Applies polls of the probes. Up to the last poll but one, all probes answered as before. */
export function applyProbePolls(step: HealthStep, looks: PollTimes): void {
  watchFailingList(step, looks.last);
  const { lookedAt } = step.state.node;
  const gap = findPollGap(looks, lookedAt, step.thresholds);
  const quiet = quietTo(looks, lookedAt);
  if (gap) {
    // Polls before the gap come first: what they prove must not end the gap.
    proveProbesQuiet(step, looks, gap.from);
    step.judgeNodeGap(gap);
  }
  if (quiet !== null && (!gap || quiet >= gap.to)) proveProbesQuiet(step, looks, quiet);
  step.setNode({ lookedAt: later(lookedAt, looks.last) });
  if (!isOutOfReach(step.state.node)) step.see(looks);
}

/**
 * Applies polls of the probes without an event. If the polls before failed, the last of these failed, too: a success would be an
 * event.
 */
export function applyQuietProbePolls(step: HealthStep, looks: PollTimes): void {
  applyProbePolls(step, looks);
  if (isOutOfReach(step.state.node)) proveProbesQuiet(step, looks, looks.last);
}

function proveProbesQuiet(step: HealthStep, looks: PollTimes, quiet: Millis): void {
  const { seenTo, lookedAt, failedAgainAt, watchedFrom } = step.state.node;
  if (seenTo !== null && quiet <= seenTo) return;
  // The poll after the first failed one, if it is among those that prove that nothing changed.
  const since = step.state.node.probes.reachable?.since ?? Infinity;
  const again = [lookedAt, looks.first, quiet].find((moment) => moment !== null && moment > since);
  const isAgain = isOutOfReach(step.state.node) && failedAgainAt === null && again && again <= quiet;
  step.setNode({ seenTo: quiet, failedAgainAt: isAgain ? again : failedAgainAt });
  // Polls prove no deadline of a time without polls.
  step.walkNode(Math.max(seenTo ?? quiet, watchedFrom ?? 0), quiet);
  step.settleNode(quiet);
  judgeFailingList(step, quiet);
}

export function applyProbe(step: HealthStep, body: ProbeEvents['ProbeChanged'], at: Millis): void {
  const goodTo = quietTo(body.looks, step.state.node.lookedAt);
  applyProbePolls(step, body.looks);
  const wasOut = isOutOfReach(step.state.node);
  const { reachedAt } = step.state.node;
  step.setNode(noteProbe(step.state.node, body, at, goodTo));
  if (body.outcome === 'OK') step.see(onePoll(at));
  const { blocks } = step.state;
  if (wasOut && !isOutOfReach(step.state.node)) {
    const unseen = leaveOutOfHead(blocks, { from: blocks.seenTo ?? at, to: at });
    // Until its last answer the node could have shown its blocks: that time counts.
    const lookedAt = blocks.lookedAt && leaveOut(blocks.lookedAt, { from: reachedAt ?? at, to: at });
    step.setBlocks({ ...unseen, lookedAt });
    step.setDa(NO_OTHERS);
  }
  step.settleNode(at);
  judgeFailingList(step, at);
}

/** Applies a claim that is new or worded differently. */
export function applyClaim(step: HealthStep, status: string | null, looks: Polls, at: Millis): void {
  extendClaim(step, { ...looks, last: at });
  if (step.state.claim?.status !== status) step.setClaim({ status, since: at, seenTo: at });
}

/** Extends the known claim to these polls, except over times without polls. */
export function extendClaim(step: HealthStep, looks: PollTimes): void {
  step.see(looks);
  const { claim } = step.state;
  if (!claim || looks.last <= claim.seenTo) return;
  const gap = findPollGap(looks, claim.seenTo, step.thresholds);
  if (gap && gap.from > claim.seenTo) step.setClaim({ ...claim, seenTo: gap.from });
  const since = gap ? gap.to : claim.since;
  step.setClaim({ ...claim, since, seenTo: looks.last });
}
