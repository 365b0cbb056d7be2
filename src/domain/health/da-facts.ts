import type { SourceState } from '../events.js';
import type { FailureCode } from '../submissions/failure-cause.js';
import { NO_FAILURES } from './failure-tally.js';
import type { Gaps } from './health-rule.js';
import type { Millis } from '../time.js';

/** The facts of a node's submissions list by which the DA component is judged, as JSON. Initially empty. */
export const NO_DA_FACTS = {
  /** The last poll of the list, good or not; the last good one; and the last poll of anything of the node. */
  lookedAt: null as Millis | null,
  goodAt: null as Millis | null,
  watchedTo: null as Millis | null,
  /** Polls prove that nothing else happened up to here. */
  seenTo: null as Millis | null,
  /** While a gap between two polls is judged: when it became too long. */
  unwatchedFrom: null as Millis | null,
  /** Set from the first failed poll until the next good one; `since` when it has failed in this way. */
  failing: null as { readonly since: Millis; readonly state: SourceState; readonly detail: string } | null,
  aggregator: null as boolean | null,
  /** Attempts since the list was first seen, or the ring was emptied last. */
  attempts: 0,
  /** Whether each of the latest attempts failed, oldest first. */
  recent: [] as readonly boolean[],
  /** Failures since the last success, and the times of the first of them. */
  failureRun: 0,
  failureTimes: [] as readonly Millis[],
  lastFailure: null as string | null,
  lastFailureCode: null as FailureCode | null,
  /** The causes of the failures of this trouble, or of the last one. */
  failures: NO_FAILURES,
  /** Ages are measured from these moments; unmonitored times are left out. */
  startedAt: null as Millis | null,
  lastSuccessAt: null as Millis | null,
  /** The DA height of a success, and when its row was seen: the first one above the head of the DA node, else the last one. */
  landed: null as { readonly daHeight: string; readonly at: Millis } | null,
  /** The time of the last success on the node's own clock; null if rows may be missing since. */
  successTime: null as Millis | null,
  successGaps: [] as Gaps,
  isSuccessGapClean: false,
  /**
   * The last gap that was too long for the usual pace and had no failed attempt: its length, and its end by the node's clock.
   */
  quietGap: null as { readonly ms: Millis; readonly endedAt: Millis } | null,
  /** A long gap that has ended: until when the warning stays, how long blocks had waited, and how long they were allowed to. */
  slow: null as {
    readonly from: Millis;
    readonly until: Millis;
    readonly waitedMs: Millis;
    readonly limitMs: Millis;
  } | null,
  /** Since when blocks are known to wait for a submission; null if no block is known to wait. */
  waitingFrom: null as Millis | null,
  /** The head at the first poll of the blocks after the last success, and whether the chain was moving then. */
  headAfterSuccess: null as string | null,
  wasMoving: false,
  /** Successes since the inclusion frontier moved last, and the first of them. */
  successesSince: 0,
  firstSuccessSince: null as Millis | null,
  /** How often other nodes moved on beyond the first block that waits here as a block arrived here; first and last time. */
  othersSince: 0,
  firstOtherSince: null as Millis | null,
  lastOtherSince: null as Millis | null,
  frontierAt: null as Millis | null,
  advanceGaps: [] as Gaps,
  isAdvanceGapClean: false,
  /** Since when inclusion is frozen; reset when the frontier moves or the ring is emptied. */
  frozenFrom: null as Millis | null,
  wasFrozenAtRestart: false,
};

export type DaFacts = Readonly<typeof NO_DA_FACTS>;
