import { groupBy } from '../../domain/collections.js';
import type { Query } from '../../platform/sql.js';
import type { RollUpMarkEntity } from '../../tables/statistics.entities.js';

/** The node (chain empty) or, with node key 0, the chain that figures belong to. */
export type MarkOwner = Readonly<Pick<RollUpMarkEntity, 'nodeKey' | 'chain'>>;

/** A quarter hour of UTC of an owner. */
export type Quarter = MarkOwner & Readonly<Pick<RollUpMarkEntity, 'quarterAt'>>;

export function nameOfQuarter({ nodeKey, chain, quarterAt }: Quarter): string {
  return `${quarterAt} ${nodeKey} ${chain}`;
}

/** SQL: locks the owner of this row, in this schema, until the transaction ends; false if another transaction has locked it. */
export function tryOwnerLock(row: string): string {
  const name = `'hindsight statistic ' || current_schema() || ' ' || ${row}.node_key || ' ' || ${row}.chain`;
  return `pg_try_advisory_xact_lock(hashtextextended(${name}, 0))`;
}

/**
 * SQL: pairs (chain, node_key). A node belongs to the chains that it names or named, and to the chains whose blocks it has
 * shown.
 */
export const MEMBERS_OF_CHAINS = `
  SELECT chain_id AS chain, node_key FROM node WHERE chain_id IS NOT NULL
  UNION SELECT chain_id, node_key FROM node_chain
  UNION SELECT l.chain_id, n.node_key FROM node n JOIN lineage l USING (lineage_key)
  UNION SELECT l.chain_id, w.node_key FROM inclusion_walk w JOIN lineage l USING (lineage_key)`;

/** The nodes that may have rows of each chain. */
export class Members {
  private constructor(
    private readonly nodesOf: ReadonlyMap<string, readonly number[]>,
    /** Nodes that share a chain with another node. */
    private readonly sharing: ReadonlySet<number>,
    private readonly withFees: ReadonlySet<number | string>,
  ) {}

  static async load(query: Query): Promise<Members> {
    const rows = await query<MarkOwner>(
      `SELECT chain, node_key AS "nodeKey"
         FROM (${MEMBERS_OF_CHAINS} UNION SELECT chain_id, node_key FROM node_list WHERE chain_id IS NOT NULL) m ORDER BY 1, 2`,
    );
    const members = groupBy(rows, ({ chain }) => chain);
    const nodesOf = new Map([...members].map(([chain, of]) => [chain, of.map(({ nodeKey }) => nodeKey)]));
    const sharing = new Set([...nodesOf.values()].filter(({ length }) => length > 1).flat());
    const withFees = new Set<number | string>();
    for (const chain of await getChainsWithFees(query, [...nodesOf.keys()])) {
      withFees.add(chain);
      for (const nodeKey of nodesOf.get(chain) ?? []) withFees.add(nodeKey);
    }
    return new Members(nodesOf, sharing, withFees);
  }

  /** Nodes that may have rows of a unit. */
  of(unit: MarkOwner): readonly number[] {
    return unit.nodeKey === 0 ? (this.nodesOf.get(unit.chain) ?? []) : [unit.nodeKey];
  }

  /** Whether other nodes may show the same blocks and, for a chain, the same submissions. */
  isShared(unit: MarkOwner): boolean {
    return unit.nodeKey === 0 ? this.of(unit).length > 1 : this.sharing.has(unit.nodeKey);
  }

  /** Whether fees were imported for a chain that the unit may have rows of. */
  hasFees(unit: MarkOwner): boolean {
    return this.withFees.has(unit.nodeKey === 0 ? unit.chain : unit.nodeKey);
  }
}

async function getChainsWithFees(query: Query, chains: readonly string[]): Promise<string[]> {
  if (chains.length === 0) return [];
  const rows = await query<{ chain: string }>(
    `SELECT c.chain FROM unnest($1::text[]) c (chain)
      WHERE EXISTS (SELECT FROM imported_fee f WHERE f.chain = c.chain)`,
    [chains],
  );
  return rows.map(({ chain }) => chain);
}
