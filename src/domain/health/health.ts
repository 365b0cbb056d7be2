import type { EventType, RecordedEvent } from '../events.js';
import { microsToMillis, type Millis } from '../time.js';
import { placeOnAxis } from '../time-axis.js';
import { noteBlocks, noteInclusion, notePruned } from './health-blocks.js';
import { HealthStep, type HealthChange, type HealthFold } from './health-fold.js';
import { applyReset, applyRows, applySource, lookAtFailingList, lookAtList } from './health-list.js';
import type { HealthThresholds } from './health-thresholds.js';
import {
  applyBlocks,
  applyClaim,
  applyProbe,
  applyProgress,
  lookAtBlocks,
  lookAtProbes,
  standClaim,
} from './health-watch.js';

/** The events of a node that its health is a function of. */
export const HEALTH_EVENTS = [
  'NodeRegistered',
  'NodeDescribed',
  'NodeWatched',
  'SubmissionsObserved',
  'SubmissionWindowLost',
  'SubmissionRingReset',
  'SubmissionOverlapAmbiguous',
  'SubmissionHistoryMissing',
  'SubmissionRingSwitched',
  'SubmissionSourceChanged',
  'BlocksObserved',
  'BlockUnreadable',
  'BlockInclusionObserved',
  'BlocksPruned',
  'NodeProgressObserved',
  'ProbeChanged',
  'ProbesSummarised',
  'DaHealthClaimed',
  'DaStatsClaimed',
] as const satisfies readonly EventType[];

/**
 * Moves a node's health on by one of its events, in the order of the log; other events change nothing.
 * A pure function: the same events give the same intervals, whenever and in whatever portions they are folded.
 */
export function foldHealth(
  state: HealthFold,
  event: RecordedEvent,
  thresholds: HealthThresholds,
): { readonly state: HealthFold; readonly changes: readonly HealthChange[] } {
  const { axis, event: placed } = placeOnAxis(state.axis, event);
  const step = new HealthStep({ ...state, axis }, thresholds);
  apply(step, placed, microsToMillis(placed.observedAt));
  return { state: step.state, changes: step.changes };
}

function apply(step: HealthStep, event: RecordedEvent, at: Millis): void {
  switch (event.type) {
    case 'NodeRegistered':
      step.settleDa(at);
      return step.settleNode(at);
    case 'NodeDescribed':
      step.setDa({ aggregator: event.body.aggregator });
      return step.settleDa(at);
    case 'NodeWatched':
      return applyWatched(step, event.body.looks);
    case 'SubmissionsObserved':
      return applyRows(step, event.body, at);
    case 'SubmissionRingReset':
      return applyReset(step, event.body.looks, at);
    case 'SubmissionWindowLost':
    case 'SubmissionOverlapAmbiguous':
    case 'SubmissionHistoryMissing':
    case 'SubmissionRingSwitched':
      lookAtList(step, event.body.looks);
      return step.settleDa(at);
    case 'SubmissionSourceChanged':
      return applySource(step, event.body, at);
    case 'BlocksObserved':
    case 'BlockUnreadable':
    case 'BlockInclusionObserved':
    case 'BlocksPruned':
    case 'NodeProgressObserved':
      return applyBlockEvent(step, event, at);
    case 'ProbeChanged':
      return applyProbe(step, event.body, at);
    case 'ProbesSummarised':
      return lookAtProbes(step, event.body.looks);
    case 'DaHealthClaimed':
      return applyClaim(step, event.body.status, event.body.looks, at);
    case 'DaStatsClaimed':
      return standClaim(step, event.body.looks);
    default:
  }
}

type BlockEvent = Extract<
  RecordedEvent,
  {
    type:
      | 'BlocksObserved'
      | 'BlockUnreadable'
      | 'BlockInclusionObserved'
      | 'BlocksPruned'
      | 'NodeProgressObserved';
  }
>;

function applyBlockEvent(step: HealthStep, event: BlockEvent, at: Millis): void {
  const { thresholds } = step;
  switch (event.type) {
    case 'BlocksObserved':
      return applyBlocks(step, event.body.looks, at, (blocks) =>
        noteBlocks(blocks, event.body, at, thresholds),
      );
    case 'BlockUnreadable':
      return applyBlocks(step, event.body.looks, at, (blocks) => blocks);
    case 'BlockInclusionObserved':
      return applyBlocks(step, event.body.looks, at, (blocks) => noteInclusion(blocks, event.body));
    case 'BlocksPruned':
      return applyBlocks(step, undefined, at, (blocks) => notePruned(blocks, event.body));
    case 'NodeProgressObserved':
      return applyProgress(step, event.body, at);
  }
}

/** Looks of subjects in which nothing happened. */
function applyWatched(
  step: HealthStep,
  looks: Extract<RecordedEvent, { type: 'NodeWatched' }>['body']['looks'],
): void {
  if (looks.submissions) {
    if (step.state.da.failing) lookAtFailingList(step, looks.submissions);
    else {
      lookAtList(step, looks.submissions);
      step.settleDa(looks.submissions.last);
    }
  }
  if (looks.blocks) lookAtBlocks(step, looks.blocks);
  if (looks.probes) lookAtProbes(step, looks.probes);
  if (looks.claims) standClaim(step, looks.claims);
}
