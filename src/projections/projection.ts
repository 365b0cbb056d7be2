import type { EventType, RecordedEvent } from '../domain/events.js';
import { UserError } from '../platform/errors.js';
import type { Query } from '../platform/sql.js';

export type { Query };

/** Another process temporarily has something that the projection needs: try again soon, nothing is wrong. */
export class ProjectionBusy extends Error {
  override readonly name = 'ProjectionBusy';
}

/**
 * The tables of a read model have another version than this process makes, so this process must not write them. An older
 * process leaves them alone for good, a newer one rebuilds them.
 */
export class OtherRules extends UserError {
  /**
   * @param stored version of the rules that made the tables
   * @param ours version of the rules in this process
   */
  constructor(readModel: string, stored: number, ours: number) {
    super(
      `The read model ${readModel} has version ${stored}, and this release makes version ${ours}.`,
      stored > ours
        ? 'A newer release made it: install that release.'
        : 'Start the service, which rebuilds the read model while it runs; or stop the service and run `hindsight rebuild`.',
    );
  }
}

export type HandledEvent<Types extends readonly EventType[]> = Extract<
  RecordedEvent,
  { type: Types[number] }
>;

export interface Applied {
  /** The number of applied events, from the first on. The others wait until `workOff` has nothing to do. */
  readonly count: number;
  /** The events left deferred work for `workOff`. It may be done before or after the next events are applied. */
  readonly isLeft: boolean;
}

/**
 * A read model: tables that are a function of the log.
 *
 * Table names are unqualified, so that a rebuild can fill the same tables in another schema. The rows must not depend on
 * how the log is cut into batches.
 */
export interface Projection {
  readonly name: string;
  /** Version of its rules: raise it with every change after which the same log would produce other rows. */
  readonly version: number;
  /** The tables that only this projection writes. */
  readonly tables: readonly string[];
  readonly handles: readonly EventType[];
  /**
   * Tables of keys that rows, links and cursors refer to, with the columns that a rebuild takes over from the live ones
   * before it begins. The rebuild only adds to them, so every key keeps its meaning.
   */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  /** State that a rebuild takes over in addition to the keys. */
  readonly succession?: Handover;
  /**
   * Applies events in the order of their positions. All are of types that it handles.
   * @returns undefined when everything is done
   */
  apply(events: readonly RecordedEvent[], query: Query): Promise<Applied | void>;
  /** The most rows that one call of `workOff` should process. */
  readonly pageSize?: number;
  /**
   * Does a part of the deferred work in a transaction of its own.
   * @param most the most rows; any value leads to the same tables in the end
   * @returns the position of the event that left the work; undefined where no work is left
   */
  workOff?(query: Query, most: number): Promise<bigint | undefined>;
  /** Skips the next row of the deferred work, which cannot be processed because of its data. @returns same as `workOff` */
  leaveOut?(query: Query): Promise<bigint | undefined>;
  /**
   * Forgets all cached state of its tables. Called after a failed `apply` or `workOff`, whose rows are rolled back, and
   * before an `apply` to tables that another instance has written since (a second process, a rebuild).
   */
  reset?(): void;
}

/**
 * Carries state from the live tables over to the new tables that will replace them. Called on a connection that sees the
 * new tables; the live ones are in the schema `live`.
 */
export interface Handover {
  /** Called once, while the new tables are empty. */
  begin(query: Query, live: string): Promise<void>;
  /**
   * Called when the new tables have caught up: once before the swap, and once more while the live projection is paused,
   * which must be quick.
   *
   * @param done the result of the previous call; undefined the first time
   */
  carryOver(query: Query, live: string, done: bigint | undefined): Promise<bigint>;
}
