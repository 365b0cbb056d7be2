import type { EventBodies, EventType, LossFact, Looks, RecordedEvent, Subject, NewEvent } from '../events.js';
import { microsToMillis, type Millis } from '../time.js';
import { placeOnAxis } from '../time-axis.js';
import { findOtherHistory } from './chain-history.js';
import { findMissed } from './coverage-line.js';
import { noteBlocks, noteInclusion, notePruned, noteSkipped } from './health-blocks.js';
import {
  type HealthChange,
  type HealthFold,
  bookOf,
  NO_HEALTH,
  NO_OTHER_NODES,
  type OtherNodes,
} from './health-fold.js';
import { applyReset, applyRows, applySource, lookAtFailingList, lookAtList } from './health-list.js';
import { HealthStep } from './health-step.js';
import type { HealthThresholds } from './health-thresholds.js';
import {
  applyBlocks,
  applyClaim,
  applyProbe,
  applyProgress,
  lookAtBlocks,
  lookAtProbes,
  lookAtQuietProbes,
  standClaim,
} from './health-watch.js';

/**
 * Moves a node's health on by one of its events, in the order of the log; other events change nothing.
 * A pure function: the same events give the same intervals, whenever and in whatever portions they are folded.
 *
 * @param others what the other nodes of the chain show, up to this event of the log
 */
export function foldHealth(
  state: HealthFold,
  event: RecordedEvent,
  thresholds: HealthThresholds,
  others: OtherNodes = NO_OTHER_NODES,
): { readonly state: HealthFold; readonly changes: readonly HealthChange[] } {
  const { axis, event: placed } = placeOnAxis(state.axis, event);
  const step = new HealthStep({ ...state, axis }, thresholds, others);
  const at = microsToMillis(placed.observedAt);
  noteOtherNodes(step, at);
  const apply = APPLY[placed.type] as Apply<unknown> | null;
  apply?.(step, placed.body, at);
  return { state: step.end(), changes: step.changes };
}

function noteOtherNodes(step: HealthStep, at: Millis): void {
  const { state, others, thresholds } = step;
  const { blocks } = state;
  const otherHistory = findOtherHistory(blocks, others.histories, at, thresholds);
  const isSame = blocks.isDaOutElsewhere === others.isDaOut && blocks.otherHistory === otherHistory;
  if (!isSame) step.setBlocks({ ...blocks, isDaOutElsewhere: others.isDaOut, otherHistory });
}

type Apply<Body> = (step: HealthStep, body: Body, at: Millis) => void;

const lookAtListAgain: Apply<{ readonly looks: Looks }> = (step, { looks }, at) => {
  lookAtList(step, looks);
  step.settleDa(at);
};

/** What a hole in the list means comes first: it says more than that nobody looked. */
function noteLoss(step: HealthStep, loss: LossFact, at: Millis): void {
  // Logs of older releases need not tell it.
  if (typeof loss.from !== 'number' || loss.from < 0) return;
  const stretch = { from: loss.from, to: loss.to > loss.from && loss.to < at ? loss.to : at };
  step.noteUncovered(stretch, findMissed(loss, stretch));
}

const lookAtLoss: Apply<LossFact> = (step, body, at) => {
  noteLoss(step, body, at);
  step.setDa({ successTime: null });
  lookAtListAgain(step, body, at);
};

/** What each event does to the health of its node; null: nothing. */
const APPLY: { readonly [T in EventType]: Apply<EventBodies[T]> | null } = {
  NodeRegistered: (step, _, at) => step.register(at),
  NodeSettingsChanged: null,
  NodeRetired: (step, _, at) => step.retire(at),
  NodeDescribed: (step, { aggregator }, at) => {
    step.setDa({ aggregator });
    step.settleDa(at);
  },
  NodeWatched: (step, body) => applyWatched(step, body.looks),
  ClockStepped: null,
  ChainSettingsChanged: null,
  ChainLineageOpened: null,
  SubmissionsObserved: applyRows,
  SubmissionRingReset: (step, body, at) => {
    noteLoss(step, body, at);
    applyReset(step, body.looks, at);
  },
  SubmissionWindowLost: lookAtLoss,
  SubmissionOverlapAmbiguous: lookAtLoss,
  SubmissionHistoryMissing: lookAtListAgain,
  SubmissionRingSwitched: lookAtListAgain,
  SubmissionSourceChanged: applySource,
  BlocksObserved: (step, body, at) =>
    applyBlocks(step, body.looks, at, (blocks) =>
      noteBlocks(blocks, body, at, step.thresholds, step.others.histories),
    ),
  BlockUnreadable: (step, body, at) =>
    applyBlocks(step, body.looks, at, (blocks) => noteSkipped(blocks, body)),
  BlockInclusionObserved: (step, body, at) =>
    applyBlocks(step, body.looks, at, (blocks) => noteInclusion(blocks, body)),
  BlockChainBroken: null,
  BlocksPruned: (step, body, at) => applyBlocks(step, undefined, at, (blocks) => notePruned(blocks, body)),
  NodeProgressObserved: applyProgress,
  ProbeChanged: applyProbe,
  ProbesSummarised: (step, body) => lookAtProbes(step, body.looks),
  DaHealthClaimed: (step, body, at) => applyClaim(step, body.status, body.looks, at),
  DaStatsClaimed: (step, body) => standClaim(step, body.looks),
  ServiceClaimed: null,
  PriceSet: null,
  FeesImported: null,
  JobRequested: null,
  AlertRaised: null,
  AlertReminded: null,
  AlertResolved: null,
  AlertDelivered: null,
  AlertsSilenced: null,
  SilenceLifted: null,
  IncidentAcknowledged: null,
};

/** The events of a node that its health is a function of. */
export const HEALTH_EVENTS = (Object.keys(APPLY) as EventType[]).filter((type) => APPLY[type] !== null);

/** What looks prove in which nothing happened, for each subject. */
const LOOK_AT: { readonly [S in Subject]: (step: HealthStep, looks: Looks) => void } = {
  submissions: (step, looks) => {
    if (step.state.da.failing) return lookAtFailingList(step, looks);
    lookAtList(step, looks);
    step.settleDa(looks.last);
  },
  blocks: lookAtBlocks,
  probes: lookAtQuietProbes,
  claims: standClaim,
};

function applyWatched(step: HealthStep, looks: EventBodies['NodeWatched']['looks']): void {
  for (const subject of Object.keys(LOOK_AT) as Subject[]) {
    const made = looks[subject];
    if (made) LOOK_AT[subject](step, made);
  }
}

type LooksOfNode = EventBodies['NodeWatched']['looks'];

/**
 * What the log tells of a node's health so far, for whoever writes it. Only looks that are in the log prove a silence,
 * so those that would change the health must not wait.
 */
export class ForeseenHealth {
  private fold: HealthFold = NO_HEALTH;

  constructor(
    private readonly stream: string,
    private readonly thresholds: HealthThresholds,
  ) {}

  /** Events that the log holds, in its order. */
  noteRecorded(events: readonly RecordedEvent[]): void {
    for (const event of events) this.fold = foldHealth(this.fold, event, this.thresholds).state;
  }

  /** Events that were just appended. */
  note(events: readonly NewEvent[]): void {
    this.noteRecorded(events.map((event) => this.asRecorded(event)));
  }

  /** Whether the node's health would be another one if these looks stood in the log, too. */
  isChangedBy(looks: LooksOfNode, at: Millis): boolean {
    const event = this.asRecorded({ type: 'NodeWatched', observedAt: at, body: { looks } });
    const { changes } = foldHealth(this.fold, event, this.thresholds);
    return changes.some((change) => isNews(this.fold, change));
  }

  private asRecorded(event: NewEvent): RecordedEvent {
    const at = BigInt(Math.round(event.observedAt * 1000));
    const place = { position: 0n, stream: this.stream, version: 0n, schema: 1 };
    return { ...place, ...event, observedAt: at, recordedAt: at };
  }
}

/** That a claim goes on contradicting an interval is none. */
function isNews(fold: HealthFold, change: HealthChange): boolean {
  if (change.kind === 'drop') return true;
  const { open, closed } = bookOf(fold, change.component);
  const { interval } = change;
  const known = [open, ...closed].find((each) => each?.from === interval.from);
  return (
    known?.rule !== interval.rule ||
    known.to !== interval.to ||
    (known.contradicted.length === 0) !== (interval.contradicted.length === 0)
  );
}
