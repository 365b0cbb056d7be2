import type { Micros } from '../../../domain/time.js';
import { getKnownLooks } from '../../../event-log/known-looks.reader.js';
import type { Query } from '../../../platform/sql.js';
import { columnsFor, type UnnestedRows } from '../../../platform/rows/row-columns.js';

/** What figures of nodes are told apart by; ALL: not at all. */
export type NodeGrouping = 'NODE' | 'CHAIN' | 'ALL';

/** Undefined: all of them. A node must meet both. */
export interface NodeFilter {
  readonly nodes?: readonly string[] | undefined;
  /** What a node says its chain is now; '' while it has not said one. */
  readonly chains?: readonly string[] | undefined;
  /** Position of the log: only looks that were recorded there; all of them when left out. */
  readonly knownAt?: bigint | undefined;
}

/**
 * A node, its unit, and its group. What several nodes of one unit show counts once: those of a chain. Where nodes were
 * named or are told apart, each is a unit of its own. A node that has not said its chain always is.
 */
export interface GroupedNode {
  readonly nodeKey: number;
  /** Its id. */
  readonly node: string;
  readonly unit: number;
  /** Index in {@link NodeGroups.groups}. */
  readonly groupIndex: number;
  /** Its last look that is known: what it covers after that is told by later ones. Null: all are known. */
  readonly knownTo: Micros | null;
}

export interface NodeGroups {
  readonly nodes: readonly GroupedNode[];
  readonly groups: readonly NodeGroup[];
}

interface NodeGroup {
  /** Id of the node, chain, or '' for all. */
  readonly key: string;
  /** The chain of each of its units, at least one; '' where a node has not said it. */
  readonly chains: readonly string[];
}

/** The nodes of a filter, as far as they are known, in groups. */
export async function groupNodes(query: Query, filter: NodeFilter, by: NodeGrouping): Promise<NodeGroups> {
  const rows = await query<{ nodeKey: number; node: string; chain: string }>(
    `SELECT node_key AS "nodeKey", id AS node, coalesce(chain_id, '') AS chain FROM node
      WHERE ($1::text[] IS NULL OR id = ANY ($1)) AND ($2::text[] IS NULL OR coalesce(chain_id, '') = ANY ($2))
      ORDER BY id`,
    [filter.nodes ?? null, filter.chains ?? null],
  );
  const { knownAt } = filter;
  const ids = rows.map(({ node }) => node);
  const looks = knownAt === undefined ? undefined : await getKnownLooks(query, ids, knownAt);
  const isPerNode = by === 'NODE' || filter.nodes !== undefined;
  const units = new Map<string, number>();
  const groups = new Map<string, { index: number; units: Map<number, string> }>();
  const nodes = rows.map(({ nodeKey, node, chain }) => {
    const name = isPerNode || chain === '' ? `node ${node}` : `chain ${chain}`;
    const unit = units.get(name) ?? units.size;
    units.set(name, unit);
    const key = { NODE: node, CHAIN: chain, ALL: '' }[by];
    const group = groups.get(key) ?? { index: groups.size, units: new Map() };
    groups.set(key, group);
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
/** Before all looks. */
const NEVER: Micros = 0n;

/** Nodes as a FROM item with the columns node_key, node, unit, group_index and known_to. */
export function unnestNodes(nodes: readonly GroupedNode[], first: number): UnnestedRows {
  return COLUMNS.unnest(nodes, 'member', first);
}
