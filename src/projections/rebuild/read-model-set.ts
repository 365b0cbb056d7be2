import type { Database, Query } from '../../platform/sql.js';
import type { Projection } from '../projection.js';

/** Read models that depend on each other: they are rebuilt beside the live ones, and swapped in, as one. */
export interface ReadModelSet {
  readonly name: string;
  /** Fresh instances, in the order in which a rebuild catches them up. */
  createProjections(): readonly Projection[];
  /** What is computed from the tables of these projections instead of the log. */
  readonly derived?: DerivedTables;
}

/** Tables that are computed from those of a set's projections. */
export interface DerivedTables {
  readonly name: string;
  /** Version of the rules by which they are computed, raised as a projection's is. */
  readonly version: number;
  readonly tables: readonly string[];
  /** Version of the rules by which the tables were computed that the connection sees; undefined before the first time. */
  readVersion(query: Query): Promise<number | undefined>;
  /**
   * Computes whatever the projections have marked, in the tables that these connections see.
   * @param rest awaited between two steps; throws to end the work
   */
  settle(dataSource: Database, rest: () => Promise<void>): Promise<void>;
}

/** All tables of a set. */
export function tablesOf({ derived }: ReadModelSet, projections: readonly Projection[]): string[] {
  return [...projections.flatMap(({ tables }) => tables), ...(derived?.tables ?? [])];
}

/** The names under which a set can be asked for: its own and those of its parts. */
export function namesOf(set: ReadModelSet): string[] {
  const parts = set.createProjections().map(({ name }) => name);
  return [...new Set([set.name, ...parts, ...(set.derived ? [set.derived.name] : [])])];
}
