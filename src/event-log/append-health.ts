import type { Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { Millis } from '../domain/time.js';

/** A run of failed appends since the last commit. */
export interface AppendTrouble {
  /** When the first append after the last commit failed. */
  readonly since: Millis;
  /** Message of the latest failure. */
  readonly error: string;
}

/**
 * The health of this process's appends, for readiness and for the leader. An append that lost its race does not count as
 * failed.
 */
export class AppendHealth {
  private committedAt: Millis | undefined;
  private failing: (AppendTrouble & { readonly from: Millis }) | undefined;
  private askedFrom: Millis | undefined;

  constructor(private readonly clock: Clock) {}

  /** When the last append was committed; undefined before the first commit of this process. */
  get lastCommitAt(): Millis | undefined {
    return this.committedAt;
  }

  /** Undefined if the last append was committed, or no append was tried. */
  get trouble(): AppendTrouble | undefined {
    return this.failing && { since: this.failing.since, error: this.failing.error };
  }

  /** How long appends have failed without a commit in between; 0 while they succeed. */
  get failingMs(): Millis {
    return this.failing ? this.clock.monotonic() - this.failing.from : 0;
  }

  /** How long the current append has waited for the database; 0 if no append is running. */
  get waitingMs(): Millis {
    return this.askedFrom === undefined ? 0 : this.clock.monotonic() - this.askedFrom;
  }

  /** Called by the appender when an append begins, as are the methods below. */
  began(): void {
    this.askedFrom = this.clock.monotonic();
  }

  committed(): void {
    this.askedFrom = undefined;
    this.failing = undefined;
    this.committedAt = this.clock.now();
  }

  /** The database refused the append, failed, or did not answer. */
  failed(error: unknown): void {
    this.askedFrom = undefined;
    const { since, from } = this.failing ?? { since: this.clock.now(), from: this.clock.monotonic() };
    this.failing = { since, from, error: messageOf(error) };
  }
}
