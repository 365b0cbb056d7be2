import type { Database } from '../../platform/sql.js';
import type { KnownRange } from '../read/plan/grouped-rows.js';
import { MEMBERS_OF_CHAINS } from '../roll-up/members.js';

interface IntervalNode {
  readonly id: string;
  readonly key: number;
}

export interface IntervalOwner {
  /** One node, or all nodes of the chain. */
  readonly nodes: readonly IntervalNode[];
  /** Null for a single node, whatever chain its rows belong to. For a chain, data that several of its nodes show count once. */
  readonly chain: string | null;
}

export interface IntervalRequest extends IntervalOwner, KnownRange {}

/** A chain with all nodes that may have rows of it; undefined if there is no such node. */
export async function findChainOwner(
  source: Pick<Database, 'query'>,
  chain: string,
): Promise<IntervalOwner | undefined> {
  const nodes = await source.query<IntervalNode[]>(
    `SELECT n.id, n.node_key AS key FROM (${MEMBERS_OF_CHAINS}) m JOIN node n USING (node_key) WHERE m.chain = $1::text ORDER BY n.id`,
    [chain],
  );
  return nodes.length === 0 ? undefined : { nodes, chain };
}
