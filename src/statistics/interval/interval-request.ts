import type { Micros } from '../../domain/time.js';
import type { Database } from '../../platform/sql.js';
import { MEMBERS_OF_CHAINS } from '../roll-up/members.js';

/** A node that an interval is read from. */
interface IntervalNode {
  readonly id: string;
  readonly key: number;
}

/** Whose interval it is. */
export interface IntervalOwner {
  /** One node, or all of the chain. */
  readonly nodes: readonly IntervalNode[];
  /** Null: of the one node, whatever chain its rows are of. Else of the chain: what several of its nodes show counts once. */
  readonly chain: string | null;
}

/** An interval of a node or of a chain. */
export interface IntervalRequest extends IntervalOwner {
  readonly fromUs: Micros;
  /** Excluded. */
  readonly toUs: Micros;
  /** What lies behind is not known. */
  readonly nowUs: Micros;
  /** Position of the log: only what was known there. */
  readonly knownAt?: bigint | undefined;
}

/** A chain with all nodes that may have rows of it; undefined where none has. */
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
