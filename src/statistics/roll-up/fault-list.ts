import type { Database } from '../../platform/sql.js';
import type { Micros } from '../../domain/time.js';
import type { FaultPage, PageRange } from '../../projections/fault-list.js';

/** A node or chain whose figures cannot be computed. Texts come from a node, or quote a node. */
export interface ListedOwner {
  /** Id of the node; null for a chain's figures. */
  readonly node: string | null;
  /** Id of the chain; empty for a node's figures. */
  readonly chain: string;
  readonly error: string;
  readonly since: Micros;
  readonly triedAt: Micros;
}

/** Nodes and chains whose figures are quarantined, the longest first. */
export async function listOwnersSetAside(
  database: Pick<Database, 'query'>,
  { limit, offset }: PageRange,
): Promise<FaultPage<ListedOwner>> {
  const [count] = await database.query<{ total: number }[]>(
    'SELECT count(*)::int AS total FROM roll_up_fault',
  );
  const rows = await database.query<ListedOwner[]>(
    `SELECT CASE WHEN f.node_key <> 0 THEN coalesce(n.id, f.node_key::text) END AS node, f.chain, f.error, f.since,
            f.tried_at AS "triedAt"
       FROM roll_up_fault f LEFT JOIN node n ON n.node_key = f.node_key
      ORDER BY f.since, f.node_key, f.chain LIMIT $1 OFFSET $2`,
    [limit, offset],
  );
  return { total: count?.total ?? 0, rows };
}
