import type { SourceState } from '../events.js';
import type { FailureCode } from '../submissions/failure-cause.js';
import { NO_FAILURES } from './failure-tally.js';
import type { Gaps } from './health-rule.js';
import type { Millis } from '../time.js';

/** What a node's submissions list said, as far as the DA component is judged by it; as JSON. Nothing, to begin with. */
export const NO_DA_FACTS = {
  /** The last look at the list, good or not; the last good one; and the last look at anything of the node. */
  lookedAt: null as Millis | null,
  goodAt: null as Millis | null,
  watchedTo: null as Millis | null,
  /** Looks prove that nothing else happened up to here. */
  seenTo: null as Millis | null,
  /** While a hole between two looks is judged: when it became one. */
  unwatchedFrom: null as Millis | null,
  /** Set from the first failed look until the next good one; `since` when it fails in this way. */
  failing: null as { readonly since: Millis; readonly state: SourceState; readonly detail: string } | null,
  aggregator: null as boolean | null,
  /** Attempts since the list was first seen, or the ring was emptied last. */
  attempts: 0,
  /** The latest attempts, oldest first: whether each failed. */
  recent: [] as readonly boolean[],
  /** Failures since the last success, and the times of the first of them. */
  failureRun: 0,
  failureTimes: [] as readonly Millis[],
  lastFailure: null as string | null,
  lastFailureCode: null as FailureCode | null,
  /** What the failures of this trouble, or of the last one, were caused by. */
  failures: NO_FAILURES,
  /** Ages are measured from these; times in which nobody saw are left out. */
  startedAt: null as Millis | null,
  lastSuccessAt: null as Millis | null,
  /** When the node says that the last success was, on its own clock; null where rows may be missing since. */
  successTime: null as Millis | null,
  successGaps: [] as Gaps,
  isSuccessGapClean: false,
  /** The last gap that was too long for the usual pace and in which no attempt failed: how long, and its end on the node's clock. */
  quietGap: null as { readonly ms: Millis; readonly endedAt: Millis } | null,
  /** A long gap that has ended: until when the warning stays, how long blocks had waited, and what they were allowed to. */
  slow: null as {
    readonly from: Millis;
    readonly until: Millis;
    readonly waitedMs: Millis;
    readonly limitMs: Millis;
  } | null,
  /** Since when blocks are known to wait for a submission; null when none is known to. */
  waitingFrom: null as Millis | null,
  /** The head at the first look at the blocks after the last success, and whether the chain was moving then. */
  headAfterSuccess: null as string | null,
  wasMoving: false,
  /** Successes since the inclusion frontier moved last, and the first of them. */
  successesSince: 0,
  firstSuccessSince: null as Millis | null,
  /** The same of other nodes that moved on beyond the first block that waits here, each time as a block arrived here. */
  othersSince: 0,
  firstOtherSince: null as Millis | null,
  lastOtherSince: null as Millis | null,
  frontierAt: null as Millis | null,
  advanceGaps: [] as Gaps,
  isAdvanceGapClean: false,
  /** Inclusion is frozen since then, until the frontier moves or the ring is emptied. */
  frozenFrom: null as Millis | null,
  wasFrozenAtRestart: false,
};

export type DaFacts = Readonly<typeof NO_DA_FACTS>;
