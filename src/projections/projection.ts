import type { EventType, RecordedEvent } from '../domain/events.js';
import type { Query } from '../platform/sql.js';

export type { Query };

/** What a projection needs is held by somebody else for a while: it is to be tried again soon, and nothing is wrong. */
export class ProjectionBusy extends Error {
  override readonly name = 'ProjectionBusy';
}

/**
 * The tables of a read model were made by other rules than this process has: it must not write them. An older process
 * leaves them alone for good, a newer one rebuilds them.
 */
export class ProjectionOutdated extends Error {
  override readonly name = 'ProjectionOutdated';

  constructor(
    projection: string,
    /** Version of the rules by which the tables were made. */
    readonly stored: number,
    /** Version of the rules that this process has. */
    readonly ours: number,
  ) {
    super(`The read model ${projection} is of version ${stored}, and this process makes version ${ours}.`);
  }
}

/**
 * A read model: tables that are a function of the log.
 *
 * Table names stand unqualified, so that a rebuild can fill the same tables in another schema.
 * The rows must not depend on how the log is cut into batches.
 */
export interface Projection {
  readonly name: string;
  /** Version of its rules: raised by every change after which the same log would give other rows. */
  readonly version: number;
  /** The tables that it alone writes. */
  readonly tables: readonly string[];
  readonly handles: readonly EventType[];
  /** Applies events, in the order of positions, all of them of a type that it handles. */
  apply(events: readonly RecordedEvent[], query: Query): Promise<void>;
  /**
   * Forgets whatever the instance remembers of its tables. Called after a failed `apply`, whose rows are rolled back,
   * and before an `apply` to tables that another instance has written since (a second process, a rebuild).
   */
  reset?(): void;
}
