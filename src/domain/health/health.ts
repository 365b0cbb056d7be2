import type { EventBodies, EventType, LossFact, Polls, RecordedEvent, Subject, NewEvent } from '../events.js';
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
import { applyReset, applyRows, applySource, applyFailingListPoll, applyListPolls } from './health-list.js';
import { HealthStep } from './health-step.js';
import type { HealthThresholds } from './health-thresholds.js';
import { noteBalance, noteHead } from './da-node-facts.js';
import { noteExecutionHead } from './execution-rules.js';
import { applyQuietSystemPolls, applySystem, noteOutcome } from './system-step.js';
import {
  applyBlocks,
  applyClaim,
  applyProbe,
  applyProgress,
  applyBlockPolls,
  applyProbePolls,
  applyQuietProbePolls,
  extendClaim,
} from './health-watch.js';

/**
 * Applies one of a node's events to its health, in the order of the log; events that health does not depend on change nothing. A
 * pure function: the same events give the same intervals, whenever they are folded and in batches of any size.
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

const applyListAgain: Apply<{ readonly looks: Polls }> = (step, { looks }, at) => {
  applyListPolls(step, looks);
  step.settleDa(at);
};

/** Notes missed rows before the polling gap: missed rows say more than that the list was not polled. */
function noteLoss(step: HealthStep, loss: LossFact, at: Millis): void {
  // Logs of older releases may lack it.
  if (typeof loss.from !== 'number' || loss.from < 0) return;
  const stretch = { from: loss.from, to: loss.to > loss.from && loss.to < at ? loss.to : at };
  step.noteUncovered(stretch, findMissed(loss, stretch));
}

const applyLoss: Apply<LossFact> = (step, body, at) => {
  noteLoss(step, body, at);
  step.setDa({ successTime: null });
  applyListAgain(step, body, at);
};

/** The effect of each event on the health of its node; null: none. */
const APPLY: { readonly [T in EventType]: Apply<EventBodies[T]> | null } = {
  NodeRegistered: (step, { systems = [] }, at) => {
    step.register(at);
    step.keepSystems(systems, at);
  },
  NodeSettingsChanged: (step, { systems = [] }, at) => step.keepSystems(systems, at),
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
  SubmissionWindowLost: applyLoss,
  SubmissionOverlapAmbiguous: applyLoss,
  SubmissionHistoryMissing: applyListAgain,
  SubmissionRingSwitched: applyListAgain,
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
  ProbesSummarised: (step, body) => applyProbePolls(step, body.looks),
  DaHealthClaimed: (step, body, at) => applyClaim(step, body.status, body.looks, at),
  DaStatsClaimed: (step, body) => extendClaim(step, body.looks),
  ServiceClaimed: null,
  DaNodeChanged: (step, body, at) =>
    applySystem(step, 'DA_NODE', { looks: body.looks, at }, (facts) => ({
      ...noteOutcome(facts, body, at),
      token: body.token,
    })),
  DaHeadObserved: (step, body, at) => {
    // The head stood still up to this poll; something else is new.
    if (step.state.daNode.facts.head?.height === body.height)
      applyQuietSystemPolls(step, 'DA_NODE', body.looks);
    applySystem(step, 'DA_NODE', { looks: body.looks, at }, (facts) =>
      noteHead(facts, body, step.thresholds, step.state.axis?.shiftMs),
    );
  },
  BalanceObserved: (step, body, at) => {
    step.setSystem('DA_NODE', noteBalance(step.state.daNode.facts, body, at));
    step.settleSystem('DA_NODE', at);
  },
  ExecutionChanged: (step, body, at) =>
    applySystem(step, 'EXECUTION', { looks: body.looks, at }, (facts) => noteOutcome(facts, body, at)),
  ExecutionHeadObserved: (step, { looks, ...latest }, at) =>
    applySystem(step, 'EXECUTION', { looks, at }, (facts) => noteExecutionHead(facts, latest, at)),
  PriceSet: null,
  FeesImported: null,
  JobRequested: null,
  AlertRaised: null,
  AlertReminded: null,
  AlertAcknowledged: null,
  AlertResolved: null,
  AlertDelivered: null,
  AlertsSilenced: null,
  SilenceLifted: null,
  ReportRequested: null,
  ReportDelivered: null,
  IncidentAcknowledged: null,
  IncidentNoted: null,
  NodeExcluded: null,
  NodeIncluded: null,
};

/** The types of events that a node's health depends on. */
export const HEALTH_EVENTS = (Object.keys(APPLY) as EventType[]).filter((type) => APPLY[type] !== null);

/** Facts that polls without news prove, for each subject. */
const APPLY_POLLS: { readonly [S in Subject]: (step: HealthStep, looks: Polls) => void } = {
  submissions: (step, looks) => {
    if (step.state.da.failing) return applyFailingListPoll(step, looks);
    applyListPolls(step, looks);
    step.settleDa(looks.last);
  },
  blocks: applyBlockPolls,
  probes: applyQuietProbePolls,
  claims: extendClaim,
  daNode: (step, looks) => applyQuietSystemPolls(step, 'DA_NODE', looks),
  execution: (step, looks) => applyQuietSystemPolls(step, 'EXECUTION', looks),
};

function applyWatched(step: HealthStep, looks: EventBodies['NodeWatched']['looks']): void {
  for (const subject of Object.keys(APPLY_POLLS) as Subject[]) {
    const made = looks[subject];
    if (made) APPLY_POLLS[subject](step, made);
  }
}

type PollsOfNode = EventBodies['NodeWatched']['looks'];

/**
 * A node's health as far as the log has it, for the writer of the log. Only polls in the log prove that nothing happened, so
 * polls that would change the health must be written at once.
 */
export class ForeseenHealth {
  private fold: HealthFold = NO_HEALTH;

  constructor(
    private readonly stream: string,
    private readonly thresholds: HealthThresholds,
  ) {}

  /** Takes events from the log, in its order. */
  noteRecorded(events: readonly RecordedEvent[]): void {
    for (const event of events) this.fold = foldHealth(this.fold, event, this.thresholds).state;
  }

  note(events: readonly NewEvent[]): void {
    this.noteRecorded(events.map((event) => this.asRecorded(event)));
  }

  /** Whether these polls would change the node's health if they were in the log, too. */
  isChangedBy(looks: PollsOfNode, at: Millis): boolean {
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

/** A claim that continues to contradict an interval is no news. */
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
