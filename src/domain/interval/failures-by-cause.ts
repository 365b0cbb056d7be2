import { findCause, type FailureDiagnosis, type FailureCode } from '../submissions/failure-cause.js';
import type { SubmissionStatus } from '../submissions/submission-codes.js';
import type { Micros } from '../time.js';

/** Failures with the same status and message. */
export interface AlikeFailures {
  readonly status: SubmissionStatus;
  readonly message: string | null;
  readonly count: bigint;
  readonly firstUs: Micros;
  readonly lastUs: Micros;
  /** Positions of the events that recorded the first and the last failure. */
  readonly firstPosition: bigint;
  readonly lastPosition: bigint;
}

export interface CauseCount extends Omit<AlikeFailures, 'status' | 'message'> {
  readonly cause: FailureDiagnosis;
}

/** Counts failures by their cause; they may come in any order. */
export class FailuresByCause {
  private readonly counts = new Map<FailureCode, CauseCount>();

  /** Takes more failures; successes are ignored. */
  add({ status, message, ...alike }: AlikeFailures): void {
    const cause = findCause(status, message);
    if (cause === null) return;
    const known = this.counts.get(cause.code);
    const first = known !== undefined && known.firstUs < alike.firstUs ? known : alike;
    const last = known !== undefined && known.lastUs > alike.lastUs ? known : alike;
    this.counts.set(cause.code, {
      cause,
      count: (known?.count ?? 0n) + alike.count,
      firstUs: first.firstUs,
      firstPosition: first.firstPosition,
      lastUs: last.lastUs,
      lastPosition: last.lastPosition,
    });
  }

  /** Most frequent first; ties by the earliest first failure. */
  finish(): CauseCount[] {
    return [...this.counts.values()].sort(
      (a, b) => Number(b.count - a.count) || Number(a.firstUs - b.firstUs),
    );
  }
}
