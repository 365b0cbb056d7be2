import type { Database, Query } from '../../platform/sql.js';
import { EXCLUDED } from '../exclusions.js';
import type { Projection } from '../projection.js';

/** Read models that depend on each other: they are rebuilt next to the live ones, and swapped in, as one. */
export interface ReadModelSet {
  readonly name: string;
  /** Makes new instances, in the order in which a rebuild catches them up. */
  createProjections(): readonly Projection[];
  /** Tables that are computed from the tables of these projections instead of the log. */
  readonly derived?: DerivedTables;
}

export interface DerivedTables extends Pick<Projection, 'name' | 'version' | 'tables'> {
  /** Version of the rules that computed the tables visible to the connection; undefined before the first time. */
  readVersion(query: Query): Promise<number | undefined>;
  /**
   * Computes everything that the projections have marked, in the tables visible to these connections.
   * @param rest awaited between two steps; throws to end the work
   */
  settle(dataSource: Database, rest: () => Promise<void>): Promise<void>;
}

export function tablesOf({ derived }: ReadModelSet, projections: readonly Projection[]): string[] {
  return [...projections.flatMap(({ tables }) => tables), ...(derived?.tables ?? [])];
}

/** The names by which users can request a set: its own and those of its parts. */
export function namesOf(set: ReadModelSet): string[] {
  const parts = set.createProjections().map(({ name }) => name);
  return [...new Set([set.name, ...parts, ...(set.derived ? [set.derived.name] : [])])];
}

/** Names of the read models since whose beginning an operator has excluded or included a node. */
export async function findOtherExclusions(query: Query): Promise<ReadonlySet<string>> {
  const rows = await query<{ name: string }>(
    `SELECT name FROM projection_checkpoint WHERE excluded <> ${EXCLUDED}`,
  );
  return new Set(rows.map(({ name }) => name));
}

/** Whether an operator has excluded or included a node since the read models of the set were begun. */
export async function differsByExclusion(query: Query, set: ReadModelSet): Promise<boolean> {
  const others = await findOtherExclusions(query);
  return set.createProjections().some(({ name }) => others.has(name));
}

/**
 * Whether read models must be made again: an older release made them, or an operator has excluded or included a node since.
 * @param given its other versions, if they are known
 */
export async function needsRebuild(
  query: Query,
  set: ReadModelSet,
  given?: readonly OtherVersion[],
): Promise<boolean> {
  const others = given ?? (await findOtherVersions(query, set));
  if (others.length > 0) return others.every(({ stored, ours }) => stored < ours);
  return differsByExclusion(query, set);
}

/** A read model whose stored tables have another version than this process makes. */
export interface OtherVersion {
  readonly name: string;
  readonly stored: number;
  readonly ours: number;
}

/** The read models of a set that have another version; empty if nothing was made yet. */
export async function findOtherVersions(query: Query, set: ReadModelSet): Promise<OtherVersion[]> {
  const projections = set.createProjections();
  const rows = await query<{ name: string; version: number }>(
    'SELECT name, version FROM projection_checkpoint WHERE name = ANY ($1)',
    [projections.map(({ name }) => name)],
  );
  const stored = new Map(rows.map(({ name, version }) => [name, version]));
  const derived = await set.derived?.readVersion(query);
  if (set.derived && derived !== undefined) stored.set(set.derived.name, derived);
  const ours = [...projections, ...(set.derived ? [set.derived] : [])];
  return ours.flatMap(({ name, version }) => {
    const found = stored.get(name);
    return found === undefined || found === version ? [] : [{ name, stored: found, ours: version }];
  });
}
