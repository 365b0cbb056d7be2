import type { Query } from '../../platform/sql.js';
import type { ReadModelSet } from './read-model-set.js';

/** A read model whose tables were made by other rules than this process has. */
export interface OtherVersion {
  readonly name: string;
  readonly stored: number;
  readonly ours: number;
}

/** The read models of a set that are of another version; none where nothing was made yet. */
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
