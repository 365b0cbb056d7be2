import { entryOf } from '../../../domain/collections.js';
import type { Micros } from '../../../domain/time.js';
import { getKnownPolls } from '../../../event-log/known-polls.reader.js';
import { ONE_PLAN, type Query } from '../../../platform/sql.js';
import { columnsFor, type UnnestedRows } from '../../../platform/rows/row-columns.js';
import type { KnownRange } from '../plan/grouped-rows.js';

/** The grouping of figures of nodes; ALL: none. */
export type NodeGrouping = 'NODE' | 'CHAIN' | 'ALL';

/** A node must match both lists; an undefined list matches all nodes. */
export interface NodeFilter {
  readonly nodes?: readonly string[] | undefined;
  /** The chain that a node reports now; '' while it has not reported a chain. */
  readonly chains?: readonly string[] | undefined;
}

/**
 * A node, its unit, and its group. The nodes of a chain are one unit, whose data count once. If nodes were named or the
 * grouping is by node, each node is its own unit. A node that has not reported its chain always is.
 */
export interface GroupedNode {
  readonly nodeKey: number;
  readonly node: string;
  readonly unit: number;
  /** Index in {@link NodeGroups.groups}. */
  readonly groupIndex: number;
  /** The last known poll; only later polls show what it covers after that. Null if all polls are known. */
  readonly knownTo: Micros | null;
}

export interface NodeGroups {
  readonly nodes: readonly GroupedNode[];
  readonly groups: readonly NodeGroup[];
}

interface NodeGroup {
  /** Id of the node, chain, or '' for all. */
  readonly key: string;
  /** The chain of each unit of the group, at least one; '' for a node that has not reported its chain. */
  readonly chains: readonly string[];
}

export async function groupNodes(
  query: Query,
  filter: NodeFilter & Pick<KnownRange, 'knownAt'>,
  by: NodeGrouping,
): Promise<NodeGroups> {
  const rows = await query<{ nodeKey: number; node: string; chain: string }>(
    `${ONE_PLAN} SELECT node_key AS "nodeKey", id AS node, coalesce(chain_id, '') AS chain FROM node
      WHERE ($1::text[] IS NULL OR id = ANY ($1)) AND ($2::text[] IS NULL OR coalesce(chain_id, '') = ANY ($2))
      ORDER BY id`,
    [filter.nodes ?? null, filter.chains ?? null],
  );
  const { knownAt } = filter;
  const ids = rows.map(({ node }) => node);
  const looks = knownAt === undefined ? undefined : await getKnownPolls(query, ids, knownAt);
  const isPerNode = by === 'NODE' || filter.nodes !== undefined;
  const units = new Map<string, number>();
  const groups = new Map<string, { index: number; units: Map<number, string> }>();
  const nodes = rows.map(({ nodeKey, node, chain }) => {
    const name = isPerNode || chain === '' ? `node ${node}` : `chain ${chain}`;
    const unit = entryOf(units, name, () => units.size);
    const key = { NODE: node, CHAIN: chain, ALL: '' }[by];
    const group = entryOf(groups, key, () => ({ index: groups.size, units: new Map() }));
    group.units.set(unit, chain);
    return {
      nodeKey,
      node,
      unit,
      groupIndex: group.index,
      knownTo: looks ? (looks.get(node) ?? NEVER) : null,
    };
  });
  return { nodes, groups: [...groups].map(([key, group]) => ({ key, chains: [...group.units.values()] })) };
}

const COLUMNS = columnsFor({
  nodeKey: 'int4',
  node: 'text',
  unit: 'int4',
  groupIndex: 'int4',
  knownTo: 'timestamptz',
});
/** Before all polls. */
const NEVER: Micros = 0n;

/** Nodes as a FROM item with the columns node_key, node, unit, group_index and known_to. */
export function unnestNodes(nodes: readonly GroupedNode[], first: number): UnnestedRows {
  return COLUMNS.unnest(nodes, 'member', first);
}
