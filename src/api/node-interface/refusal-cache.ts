import type { Millis } from '../../domain/time.js';
import type { Refused } from '../../node-api/answer.js';

/** How long a node's refusal is cached. */
const KEPT_MS: Millis = 30_000;
/** The most refusals in the cache; each has at most a few kB. */
const MOST_KEPT = 2_000;

/**
 * Caches recent refusals of nodes, mostly "not found", because each such request is an error in the node's log. Nothing is cached
 * when a node did not answer.
 */
export class RefusalCache {
  /** Oldest first. */
  private readonly kept = new Map<string, { readonly refused: Refused; readonly until: Millis }>();

  /** @param now by a monotonic clock */
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
