import type { DaySpending } from '../../domain/byte-budget.js';
import type { NewEvent, Polls, ProvenTime, SourceState } from '../../domain/events.js';
import {
  applyVerdict,
  initialRing,
  type KnownRing,
  RECENT_ROWS,
  type RingScalars,
  saveRing,
} from '../../domain/submissions/known-ring.js';
import {
  initialPace,
  nextPace,
  type Pace,
  type PacedPoll,
  type PaceLimits,
} from '../../domain/submissions/poll-cadence.js';
import { reconcile } from '../../domain/submissions/reconcile-window.js';
import type { KnownList } from '../../domain/coverage/observations.js';
import { decodeSubmissionRow } from '../../domain/submissions/submission-row.js';
import {
  boundVerdict,
  carryPollsOnce,
  eventsOfVerdict,
  stateGap,
} from '../../domain/submissions/verdict-events.js';
import type { Verdict } from '../../domain/submissions/window-verdict.js';
import type { Millis } from '../../domain/time.js';
import type { NodeApi } from '../../node-api/node-api.js';
import type { SubmissionsAnswer } from '../../node-api/submissions.client.js';
import type { Clock } from '../../platform/clock.js';
import type { Logger } from '../../platform/logger.js';
import type { Poll } from '../poll-book.js';
import type { SeeingObserver } from '../subject-observer.js';
import { type RecorderParts, SubjectRecorder } from '../subject-recorder.js';
import { CachedAnswers, faultOf, STALE_PATIENCE_MS, startOf, RowForms } from './list-answers.js';
import { type ListObservations, loadLists } from './list-observations.js';
import { type ListEnds, loadRing } from './ring-memory.js';

/** The state at the end of the stream `<node>/submissions`. The rows to compare with are in the log itself. */
export interface SubmissionsState {
  readonly ring: RingScalars | null;
  readonly source: SourceState | null;
  /** The lists behind the address, and up to when each is proven; older versions have `lastLook` instead. */
  readonly lists?: readonly KnownList[];
  readonly lastLook?: Millis | null;
  /** The node's spending of its daily share; absent in states of older versions. */
  readonly spent?: DaySpending;
  readonly ends?: ListEnds;
}

export interface SubmissionsObserverParts extends RecorderParts {
  readonly clock: Clock;
  readonly api: NodeApi;
  readonly logger: Logger;
  /** Observations of this node's lists; the observer of its description reads the present list from it. */
  readonly observations: ListObservations;
}

type GoodAnswer = Extract<SubmissionsAnswer, { ok: true }>;
type Refusal = Extract<SubmissionsAnswer, { ok: false }>;

interface PolledList {
  readonly at: Millis;
  /** When the request was sent: rows added since then need not be in the list. */
  readonly askedAt: Millis;
  readonly forms: readonly string[];
  /** A cache returned it, so it says nothing about now. */
  readonly isCached: boolean;
}

/** The observer's state once a poll is recorded. */
interface AfterPoll {
  readonly poll: Poll & { readonly proven: ProvenTime | null };
  readonly known: KnownRing;
  /** The list to which rows are added; null if there are no new rows. */
  readonly list: number | null;
  readonly state: SourceState;
}

/** The number of submissions that ev-node keeps. */
const EV_NODE_RING = 100;

/** Proof of an answer that shows no list, or only a part of one. */
const NOTHING_PROVEN = { observation: null, proven: null, gap: null } as const;

/** Observes a node's list of submissions: records each row once, and every gap with its lower and upper bound. */
export class SubmissionsObserver implements SeeingObserver {
  readonly subject = 'submissions';
  hasSeen = false;
  private readonly recorder: SubjectRecorder<SubmissionsState>;
  private readonly forms = new RowForms();
  private ring: KnownRing = initialRing();
  private ends: ListEnds = {};
  private lastState: SourceState | null = null;
  private readonly cached = new CachedAnswers();
  /** Since when polls have failed; null while they succeed. */
  private failingSince: Millis | null = null;
  private pace: Pace;
  /** The minimum pause before the next poll, while the node has used up its share of the day. */
  private pauseMs: Millis = 0;
  /** Since when all answers are older than the known rows; null while they are not. */
  private staleFrom: Millis | null = null;
  /** Whether the newest attempt in the list failed. */
  private hasFailure = false;
  /** The last body was understood and is recorded: an equal body contains nothing new. */
  private isSettled = false;

  constructor(
    private readonly parts: SubmissionsObserverParts,
    private readonly limits: PaceLimits,
  ) {
    this.recorder = new SubjectRecorder('submissions', parts);
    this.pace = initialPace(limits);
  }

  async poll(signal: AbortSignal): Promise<Millis> {
    await this.remember();
    const { api, clock } = this.parts;
    const askedAt = clock.now();
    const answer = await api.submissions(signal);
    if (signal.aborted || (!answer.ok && answer.state === 'ABORTED')) return this.pace.intervalMs;
    this.hasSeen = answer.ok;
    const at = clock.now();
    this.pauseMs = 0;
    const isRecorded = answer.ok
      ? await this.recordList(answer, askedAt, at)
      : await this.recordRefusal(answer, at);
    // After a lost append the decision rests on an old state: discard the answer and poll again.
    return isRecorded ? Math.max(this.pace.intervalMs, this.pauseMs) : this.limits.floorMs;
  }

  /** Reloads the known state when another process may have moved the end of the stream. */
  private async remember(): Promise<void> {
    const { state, fresh } = await this.recorder.load();
    if (!fresh) return;
    const { store, node, observations } = this.parts;
    this.ends = state?.ends ?? {};
    this.ring = await loadRing(store, this.recorder.stream, state?.ring ?? null, this.ends);
    this.lastState = state?.source ?? null;
    const empty = this.ring.windows.filter(({ length }) => length === 0).map(({ source }) => source);
    observations.restore(await loadLists(store, node.id, state), new Set(empty));
    if (state) this.cached.restart();
    this.isSettled = false;
  }

  private async recordList(answer: GoodAnswer, askedAt: Millis, at: Millis): Promise<boolean> {
    const { api, budget, observations } = this.parts;
    const { value: window, nodeClock, process, isAged } = answer;
    const isCached = this.cached.isCached(nodeClock, askedAt, at) || isAged;
    if (window.unchanged && this.isSettled && !isCached && !this.ring.isBlind && !this.isEmpty) {
      const list = this.ring.windows[0]?.source ?? 0;
      const observation = { at: askedAt, list, isEmpty: false, connection: process };
      const { proven } = observations.judge(observation, { isAnchored: true, isStated: false });
      this.parts.book.note(at, nodeClock, false, proven);
      this.note(observation, proven, { at, isEmptied: false });
      this.setPace(at, { outcome: 'CONTINUED', fresh: 0, hasFailure: this.hasFailure, bytes: window.bytes });
      return true;
    }
    const forms = this.forms.of(window.rows);
    const empty = this.ring.windows.find(({ length }) => length === 0);
    const found = reconcile(this.ring, {
      rows: forms,
      complete: window.complete,
      isSameProcess: empty !== undefined && observations.isSameProcess(empty.source, process),
      ...(api.shape === 'EV_NODE' && { ringHolds: EV_NODE_RING }),
    });
    const verdict = boundVerdict(this.ring, found, { most: RECENT_ROWS, characters: budget.left(at) });
    const isOld = verdict.kind === 'STALE' || (isCached && 'fresh' in verdict && verdict.fresh.length === 0);
    if (isOld && !this.isStaleForLong(at, nodeClock)) {
      // It says nothing about now, so it does not count as a poll.
      this.isSettled = false;
      this.setPace(at, { ...this.summaryOf(verdict), bytes: window.bytes });
      return true;
    }
    if (!isOld) this.staleFrom = null;
    return this.recordVerdict(isOld ? { kind: 'STALE', source: null, behind: null } : verdict, answer, {
      at,
      askedAt,
      forms,
      isCached,
    });
  }

  private async recordVerdict(verdict: Verdict, answer: GoodAnswer, poll: PolledList): Promise<boolean> {
    const { observations } = this.parts;
    const { value: window, nodeClock } = answer;
    const { at, forms } = poll;
    const fault = faultOf(verdict);
    const state = fault === undefined ? 'AVAILABLE' : 'INVALID';
    const evidence = fault === undefined ? undefined : startOf(window.rows);
    const known = applyVerdict(this.ring, verdict);
    const list = 'fresh' in verdict ? verdict.source : null;
    const { observation, proven, gap } = this.prove(verdict, answer, poll);
    const noted = { at, nodeClock, isBlind: !observation, proven };
    const after = { poll: noted, known, list, state } as const;
    const isRecorded = await this.record(after, (looks) => [
      ...this.sourceChange(state, fault ?? 'the list is there', evidence, { at, looks }),
      ...(gap && list !== null ? [stateGap(gap, { at, list, known: this.ring, looks })] : []),
      ...eventsOfVerdict(verdict, {
        at,
        provenTo: observations.provenTo(list ?? 0),
        isReturn: list !== null && observations.isReplaced(list),
        failingSince: this.failingSince,
        known: this.ring,
        rowsPerSecond: this.pace.rowsPerSecond,
        rows: window.rows,
        forms,
        originals: window.originals,
        looks,
      }),
    ]);
    if (!isRecorded) return false;
    this.ring = known;
    const isEmptied = gap !== null || ('loss' in verdict && verdict.loss?.kind === 'RESET');
    if (observation) this.note(observation, proven, { at, isEmptied });
    this.isSettled = window.complete && 'fresh' in verdict;
    this.setPace(at, { ...this.summaryOf(verdict), bytes: window.bytes });
    return true;
  }

  /** Returns what a poll proves. An incomplete, contradictory or old answer proves nothing about the time before it. */
  private prove(verdict: Verdict, { value: window, process }: GoodAnswer, poll: PolledList) {
    const { askedAt, forms, isCached } = poll;
    if (!('fresh' in verdict) || !window.complete || isCached) return NOTHING_PROVEN;
    const isEmpty = forms.length === 0;
    const observation = { at: askedAt, list: verdict.source, isEmpty, connection: process };
    const evidence = { isAnchored: verdict.anchored, isStated: verdict.loss !== null };
    return { observation, ...this.parts.observations.judge(observation, evidence) };
  }

  private async recordRefusal(answer: Refusal, at: Millis): Promise<boolean> {
    const state = answer.state as SourceState;
    this.isSettled = false;
    this.staleFrom = null;
    const { observations } = this.parts;
    const proven = state === 'NOT_AGGREGATOR' ? observations.judgeNone(at) : null;
    const poll = { at, nodeClock: answer.nodeClock, isBlind: true, proven };
    const isRecorded = await this.record({ poll, known: this.ring, list: null, state }, (looks) =>
      this.sourceChange(state, answer.detail, answer.evidence, { at, looks }),
    );
    if (isRecorded) {
      if (proven) observations.noteNone(proven);
      this.failingSince ??= at;
      this.pace = nextPace(this.pace, this.limits, {
        at,
        outcome: 'REFUSED',
        fresh: 0,
        bytes: 0,
        ringSize: this.ring.ringSize,
        hasFailure: true,
        isEmpty: this.isEmpty,
      });
    }
    return isRecorded;
  }

  /** Whether the list has been stale for so long that this must be recorded. Time before a restart does not count. */
  private isStaleForLong(at: Millis, nodeClock: Millis | undefined): boolean {
    const lastAt = this.cached.isUnproven(nodeClock) ? null : this.parts.observations.lastAt;
    this.staleFrom ??= lastAt ?? at;
    return at - this.staleFrom > STALE_PATIENCE_MS;
  }

  /** Appends the events that `eventsWith` makes of the polls so far. Without events nothing is written, and the polls wait. */
  private async record(after: AfterPoll, eventsWith: (looks: Polls) => NewEvent[]): Promise<boolean> {
    const { book, logger, observations } = this.parts;
    const { poll, state } = after;
    const found = eventsWith(book.with(poll));
    if (found.length === 0) {
      book.note(poll.at, poll.nodeClock, poll.isBlind, poll.proven);
      return true;
    }
    const ends = this.endsAfter(after, found.length);
    const lists = observations.listsAfter(poll.proven);
    const pauseMs = await this.recorder.record({
      at: poll.at,
      poll,
      events: carryPollsOnce(found),
      state: () => ({ ring: saveRing(after.known), source: state, lists, ends }),
    });
    if (pauseMs === undefined) return false;
    this.pauseMs = pauseMs;
    this.ends = ends;
    if (state !== this.lastState) logger.info({ state }, 'list of submissions');
    this.lastState = state;
    return true;
  }

  /** Where the kept lists end once `count` events are appended. */
  private endsAfter({ known, list }: AfterPoll, count: number): ListEnds {
    const end = String(this.recorder.version + BigInt(count));
    const ends = known.windows.map(({ source }) => [source, source === list ? end : this.ends[source]]);
    return Object.fromEntries(ends.filter(([, version]) => version !== undefined));
  }

  private sourceChange(
    state: SourceState,
    detail: string,
    evidence: string | undefined,
    { at, looks }: { at: Millis; looks: Polls },
  ): NewEvent[] {
    if (state === this.lastState) return [];
    const body = { looks, state, detail, ...(evidence === undefined ? {} : { evidence }) };
    return [{ type: 'SubmissionSourceChanged', observedAt: at, body }];
  }

  private setPace(at: Millis, poll: Omit<PacedPoll, 'at' | 'ringSize' | 'isEmpty'>): void {
    const { ringSize } = this.ring;
    this.hasFailure = poll.hasFailure;
    this.pace = nextPace(this.pace, this.limits, { ...poll, at, ringSize, isEmpty: this.isEmpty });
  }

  /** Whether the list was empty when last seen. */
  private get isEmpty(): boolean {
    return this.ring.windows[0]?.length === 0;
  }

  /** Called when a poll that saw the whole list is recorded, or counted. */
  private note(...observed: Parameters<ListObservations['note']>): void {
    this.parts.observations.note(...observed);
    this.failingSince = null;
  }

  private summaryOf(verdict: Verdict): Pick<PacedPoll, 'outcome' | 'fresh' | 'hasFailure'> {
    if (!('fresh' in verdict)) return { outcome: 'BROKEN', fresh: 0, hasFailure: this.hasFailure };
    const isBroken = verdict.loss !== null || verdict.kind === 'SWITCHED';
    const last = verdict.fresh.at(-1);
    const hasFailure = last === undefined ? this.hasFailure : decodeSubmissionRow(last).status !== 'SUCCESS';
    return { outcome: isBroken ? 'BROKEN' : 'CONTINUED', fresh: verdict.fresh.length, hasFailure };
  }
}
