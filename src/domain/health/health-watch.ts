import type { BlockEvents, Looks, ProbeEvents } from '../events.js';
import {
  isInclusionPending,
  leaveOutOfHead,
  noteBlockLooks,
  noteProgress,
  type BlockFacts,
} from './health-blocks.js';
import { noteAdvance, noteFirstPending, noteWaiting } from './health-da-facts.js';
import type { HealthStep } from './health-step.js';
import { judgeFailingList, watchFailingList } from './health-list.js';
import { findHole, later, leaveOut, oneLook, quietTo, type LookTimes } from './health-looks.js';
import { isOutOfReach, noteProbe } from './health-node-facts.js';
import { noteOthers, NO_OTHERS } from './shown-finality.js';
import type { Millis } from '../time.js';

/** Applies polls of the blocks: what the absence of news proves about the inclusion frontier and the head. */
export function lookAtBlocks(step: HealthStep, looks: LookTimes): void {
  step.see(looks);
  watchFailingList(step, looks.last);
  const before = step.state.blocks;
  const quiet = quietTo(looks, before.lookedAt);
  step.setBlocks(noteBlockLooks(before, looks, quiet, step.thresholds));
  const hole = findHole(looks, before.lookedAt, step.thresholds);
  if (hole) step.settleNode(hole.to);
  const { firstSuccessSince } = step.state.da;
  if (hole) step.setDa(NO_OTHERS);
  if (hole && firstSuccessSince !== null) {
    step.setDa({ firstSuccessSince: leaveOut(firstSuccessSince, hole), isAdvanceGapClean: false });
  }
  if (quiet === null) return;
  step.walkDa(before.frontierSeenTo ?? quiet, quiet);
  step.walkNode(before.seenTo ?? quiet, quiet);
}

/** Applies news of the blocks to both components. */
export function applyBlocks(
  step: HealthStep,
  looks: Looks | undefined,
  at: Millis,
  change: (blocks: BlockFacts) => BlockFacts,
  saysSubmitted = false,
): void {
  if (looks) lookAtBlocks(step, looks);
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
export function lookAtProbes(step: HealthStep, looks: LookTimes): void {
  watchFailingList(step, looks.last);
  const { lookedAt } = step.state.node;
  const hole = findHole(looks, lookedAt, step.thresholds);
  const quiet = quietTo(looks, lookedAt);
  if (hole) {
    // Polls before the gap come first: what they prove must not end the gap.
    proveProbesQuiet(step, looks, hole.from);
    step.judgeNodeHole(hole);
  }
  if (quiet !== null && (!hole || quiet >= hole.to)) proveProbesQuiet(step, looks, quiet);
  step.setNode({ lookedAt: later(lookedAt, looks.last) });
  if (!isOutOfReach(step.state.node)) step.see(looks);
}

/**
 * Applies polls of the probes without an event. If the polls before failed, the last of these failed, too: a success would be an
 * event.
 */
export function lookAtQuietProbes(step: HealthStep, looks: LookTimes): void {
  lookAtProbes(step, looks);
  if (isOutOfReach(step.state.node)) proveProbesQuiet(step, looks, looks.last);
}

function proveProbesQuiet(step: HealthStep, looks: LookTimes, quiet: Millis): void {
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

/** Applies a probe whose answer changed. */
export function applyProbe(step: HealthStep, body: ProbeEvents['ProbeChanged'], at: Millis): void {
  const goodTo = quietTo(body.looks, step.state.node.lookedAt);
  lookAtProbes(step, body.looks);
  const wasOut = isOutOfReach(step.state.node);
  const { reachedAt } = step.state.node;
  step.setNode(noteProbe(step.state.node, body, at, goodTo));
  if (body.outcome === 'OK') step.see(oneLook(at));
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
export function applyClaim(step: HealthStep, status: string | null, looks: Looks, at: Millis): void {
  standClaim(step, { ...looks, last: at });
  if (step.state.claim?.status !== status) step.setClaim({ status, since: at, seenTo: at });
}

/** Extends the known claim to these polls, except over times without polls. */
export function standClaim(step: HealthStep, looks: LookTimes): void {
  step.see(looks);
  const { claim } = step.state;
  if (!claim || looks.last <= claim.seenTo) return;
  const hole = findHole(looks, claim.seenTo, step.thresholds);
  if (hole && hole.from > claim.seenTo) step.setClaim({ ...claim, seenTo: hole.from });
  const since = hole ? hole.to : claim.since;
  step.setClaim({ ...claim, since, seenTo: looks.last });
}
