import type { Clock } from '../platform/clock.js';
import type { Millis } from '../domain/time.js';
import type { NoteTruth } from './truth-log.js';

/** The faults that a process of the rig has at the moment. */
export class ActiveFaults<Name extends string> {
  /** When each fault ends, by the monotonic clock; the newest fault last. */
  private readonly running = new Map<Name, Millis>();

  constructor(
    protected readonly clock: Clock,
    private readonly note: NoteTruth,
  ) {}

  /**
   * Begins a fault, or makes a running fault last `forMs` from now.
   * @param more written to the truth log with the fault
   */
  begin(fault: Name, forMs: Millis = Infinity, more: object = {}): void {
    const isNew = !this.running.delete(fault);
    this.running.set(fault, this.clock.monotonic() + forMs);
    if (isNew) this.note('fault-began', { fault, ...more });
  }

  end(fault: Name | 'all' = 'all'): void {
    for (const name of fault === 'all' ? this.names : [fault])
      if (this.running.delete(name)) this.note('fault-ended', { fault: name });
  }

  has(fault: Name): boolean {
    return this.running.has(fault);
  }

  get names(): readonly Name[] {
    return [...this.running.keys()];
  }

  /** Ends the faults whose time is over. */
  endDue(): void {
    const now = this.clock.monotonic();
    for (const [fault, endAt] of this.running) if (endAt <= now) this.end(fault);
  }
}
