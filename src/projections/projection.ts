import type { EventType, RecordedEvent } from '../domain/events.js';
import { UserError } from '../platform/errors.js';
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
export class OtherRules extends UserError {
  /**
   * @param readModel its name
   * @param stored version of the rules by which the tables were made
   * @param ours version of the rules that this process has
   */
  constructor(readModel: string, stored: number, ours: number) {
    super(
      `The read model ${readModel} is of version ${stored}, and this release makes version ${ours}.`,
      stored > ours
        ? 'A newer release has been here: install it.'
        : 'Start the service, which rebuilds it while it runs; or stop the service and run `hindsight rebuild`.',
    );
  }
}

/** The events of the types that a projection handles. */
export type HandledEvent<Types extends readonly EventType[]> = Extract<
  RecordedEvent,
  { type: Types[number] }
>;

/** What became of events. */
export interface Applied {
  /** So many of them are applied, from the first on. The others wait until `workOff` has nothing to do. */
  readonly count: number;
  /** They left something to do, for `workOff`. It may be done before or after the next events are applied. */
  readonly isLeft: boolean;
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
  /**
   * Tables of keys that rows, links and cursors name, with the columns that a rebuild takes over from the live ones
   * before it begins. It only adds to them, so that what a key names stays the same.
   */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** What a rebuild takes over beside the keys. */
  readonly succession?: Succession;
  /**
   * Applies events, in the order of positions, all of them of a type that it handles.
   *
   * @returns undefined: all of it is done
   */
  apply(events: readonly RecordedEvent[], query: Query): Promise<Applied | void>;
  /** Rows that one call of `workOff` should work on at most. */
  readonly pageSize?: number;
  /**
   * Does a part of what events left to do, which a transaction of its own is for.
   *
   * @param most rows at most; however many it are, the tables are the same in the end
   * @returns the position of that event; undefined where nothing was left
   */
  workOff?(query: Query, most: number): Promise<bigint | undefined>;
  /** Leaves the next row of it as it is, which cannot be worked on because of what is in it. @returns as `workOff` */
  leaveOut?(query: Query): Promise<bigint | undefined>;
  /**
   * Forgets whatever the instance remembers of its tables. Called after a failed `apply` or `workOff`, whose rows are
   * rolled back. Also called before an `apply` to tables that another instance has written since (a second process, a
   * rebuild).
   */
  reset?(): void;
}

/**
 * What new tables take over from the live ones that they will replace. Asked on a connection that sees the new tables; the
 * live ones are in the schema `live`.
 */
export interface Succession {
  /** Once, when the new tables are empty. */
  begin(query: Query, live: string): Promise<void>;
  /**
   * When they have caught up: once before the swap, and once more while the live projection stands still, which must be quick.
   *
   * @param done what it gave the time before; undefined the first time
   */
  carryOver(query: Query, live: string, done: bigint | undefined): Promise<bigint>;
}
