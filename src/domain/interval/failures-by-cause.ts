import { findCause, type FailureCause, type FailureCode } from '../submissions/failure-cause.js';
import type { SubmissionStatus } from '../submissions/submission-row.js';
import type { Micros } from '../time.js';

/** Failures that told the same. */
export interface AlikeFailures {
  readonly status: SubmissionStatus;
  readonly message: string | null;
  readonly count: bigint;
  readonly firstUs: Micros;
  readonly lastUs: Micros;
}

/** Failures of one cause. */
export interface CauseCount {
  readonly cause: FailureCause;
  readonly count: bigint;
  readonly firstUs: Micros;
  readonly lastUs: Micros;
}

/** Counts failures by their cause, in any order. */
export class FailuresByCause {
  private readonly counts = new Map<FailureCode, CauseCount>();

  /** Takes more of them; successes are none. */
  add({ status, message, count, firstUs, lastUs }: AlikeFailures): void {
    const cause = findCause(status, message);
    if (cause === null) return;
    const known = this.counts.get(cause.code);
    this.counts.set(cause.code, {
      cause,
      count: (known?.count ?? 0n) + count,
      firstUs: known !== undefined && known.firstUs < firstUs ? known.firstUs : firstUs,
      lastUs: known !== undefined && known.lastUs > lastUs ? known.lastUs : lastUs,
    });
  }

  /** The most frequent first; of equals the one that came first. */
  finish(): CauseCount[] {
    return [...this.counts.values()].sort(
      (a, b) => Number(b.count - a.count) || Number(a.firstUs - b.firstUs),
    );
  }
}
