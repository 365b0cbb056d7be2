import type { Millis } from '../../domain/time.js';
import type { Refused } from '../../node-api/answer.js';

/** How long what a node refused is told again. */
const KEPT_MS: Millis = 30_000;
/** Refusals that are kept: each has a few kB at most. */
const MOST_KEPT = 2_000;

/**
 * What nodes refused lately, that there is no such thing above all: for a node that is an error in its log. Of one that did not
 * answer nothing is kept.
 */
export class KeptRefusals {
  /** The oldest first. */
  private readonly kept = new Map<string, { readonly refused: Refused; readonly until: Millis }>();

  /** @param now of a clock that never goes back */
  find(question: string, now: Millis): Refused | undefined {
    const found = this.kept.get(question);
    return found && now < found.until ? found.refused : undefined;
  }

  keep(question: string, refused: Refused, now: Millis): void {
    if (refused.state === 'UNREACHABLE' || refused.state === 'ABORTED') return;
    this.kept.delete(question);
    this.kept.set(question, { refused, until: now + KEPT_MS });
    for (const [oldest, { until }] of this.kept) {
      if (this.kept.size <= MOST_KEPT && until > now) break;
      this.kept.delete(oldest);
    }
  }
}
