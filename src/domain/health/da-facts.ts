import type { SourceState } from '../events.js';
import type { Gaps } from './usual.js';
import type { Millis } from '../time.js';

/** What a node's submissions list said, as far as the DA component is judged by it; as JSON. */
export interface DaFacts {
  /** The last look at the list, good or not; the last good one; and the last look at anything of the node. */
  readonly lookedAt: Millis | null;
  readonly goodAt: Millis | null;
  readonly watchedTo: Millis | null;
  /** Looks prove that nothing else happened up to here. */
  readonly seenTo: Millis | null;
  /** While a hole between two looks is judged: when it became one. */
  readonly unwatchedFrom: Millis | null;
  /** Set from the first failed look until the next good one. */
  readonly failing: {
    readonly since: Millis;
    readonly state: SourceState;
    readonly detail: string;
  } | null;
  readonly aggregator: boolean | null;
  /** Attempts since the list was first seen, or the ring was emptied last. */
  readonly attempts: number;
  /** The latest attempts, oldest first: whether each failed. */
  readonly recent: readonly boolean[];
  /** Failures since the last success, and the times of the first of them. */
  readonly failureRun: number;
  readonly failureTimes: readonly Millis[];
  readonly lastFailure: string | null;
  /** Ages are measured from these; times in which nobody saw are left out. */
  readonly startedAt: Millis | null;
  readonly lastSuccessAt: Millis | null;
  readonly successGaps: Gaps;
  readonly isSuccessGapClean: boolean;
  /** A long gap that has ended: until when the warning stays. */
  readonly slow: { readonly from: Millis; readonly until: Millis } | null;
  /** Since when blocks are known to wait for a submission; null when none is known to. */
  readonly waitingFrom: Millis | null;
  /** The head at the first look at the blocks after the last success, and whether the chain was moving then. */
  readonly headAfterSuccess: string | null;
  readonly wasMoving: boolean;
  /** Successes since the inclusion frontier moved last, and the first of them. */
  readonly successesSince: number;
  readonly firstSuccessSince: Millis | null;
  readonly frontierAt: Millis | null;
  readonly advanceGaps: Gaps;
  readonly isAdvanceGapClean: boolean;
  /** Inclusion is frozen since then, until the frontier moves or the ring is emptied. */
  readonly frozenFrom: Millis | null;
  readonly wasFrozenAtRestart: boolean;
}

export const NO_DA_FACTS: DaFacts = {
  lookedAt: null,
  goodAt: null,
  watchedTo: null,
  seenTo: null,
  unwatchedFrom: null,
  failing: null,
  aggregator: null,
  attempts: 0,
  recent: [],
  failureRun: 0,
  failureTimes: [],
  lastFailure: null,
  startedAt: null,
  lastSuccessAt: null,
  successGaps: [],
  isSuccessGapClean: false,
  slow: null,
  waitingFrom: null,
  headAfterSuccess: null,
  wasMoving: false,
  successesSince: 0,
  firstSuccessSince: null,
  frontierAt: null,
  advanceGaps: [],
  isAdvanceGapClean: false,
  frozenFrom: null,
  wasFrozenAtRestart: false,
};
