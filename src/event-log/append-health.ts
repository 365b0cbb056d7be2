import type { Clock } from '../platform/clock.js';
import { messageOf } from '../platform/errors.js';
import type { Millis } from '../domain/time.js';

/** That no append gets through. */
export interface AppendTrouble {
  /** When the first append failed after the last commit. */
  readonly since: Millis;
  /** What the last one failed of. */
  readonly error: string;
}

/**
 * How the appends of this process fare, for readiness and for whoever leads.
 * An append that lost its race is none that failed.
 */
export class AppendHealth {
  private committedAt: Millis | undefined;
  private failing: (AppendTrouble & { readonly from: Millis }) | undefined;
  private askedFrom: Millis | undefined;

  constructor(private readonly clock: Clock) {}

  /** When the last append was committed; undefined when none was since the start. */
  get lastCommitAt(): Millis | undefined {
    return this.committedAt;
  }

  /** Undefined when the last append got through, or none was tried. */
  get trouble(): AppendTrouble | undefined {
    return this.failing && { since: this.failing.since, error: this.failing.error };
  }

  /** For how long appends have failed without one that got through; 0 when they do not. */
  get failingMs(): Millis {
    return this.failing ? this.clock.monotonic() - this.failing.from : 0;
  }

  /** For how long the append under way has waited for the database; 0 when there is none. */
  get waitingMs(): Millis {
    return this.askedFrom === undefined ? 0 : this.clock.monotonic() - this.askedFrom;
  }

  /** An append is tried. Told by the appender, as all that follows. */
  began(): void {
    this.askedFrom = this.clock.monotonic();
  }

  /** The database took it. */
  committed(): void {
    this.askedFrom = undefined;
    this.failing = undefined;
    this.committedAt = this.clock.now();
  }

  /** The database refused it, failed, or did not answer. */
  failed(error: unknown): void {
    this.askedFrom = undefined;
    const { since, from } = this.failing ?? { since: this.clock.now(), from: this.clock.monotonic() };
    this.failing = { since, from, error: messageOf(error) };
  }
}
