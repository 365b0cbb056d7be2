import { groupBy } from '../../domain/collections.js';
import { toPrintable } from '../../domain/printable-text.js';
import { bySeverity, worstOf, type VerdictInput } from './verdict.js';

export const GROUPS = ['chain', 'state', 'nothing'] as const;
export type GroupBy = (typeof GROUPS)[number];

export const ORDERS = ['worst first', 'name', 'most pending', 'longest without success'] as const;
export type OrderBy = (typeof ORDERS)[number];

/** The properties of a node that decide its place. */
export interface Arranged extends VerdictInput {
  readonly id: string;
  readonly chain: string | null;
  readonly lastSuccessAt: string | null;
}

/**
 * Groups the nodes that match the filter.
 * @param wanted a part of an id or a chain, in any case
 */
export function arrange<Node extends Arranged>(
  nodes: readonly Node[],
  { wanted, by, order }: { readonly wanted: string; readonly by: GroupBy; readonly order: OrderBy },
): { readonly name: string; readonly nodes: readonly Node[] }[] {
  const text = wanted.trim().toLowerCase();
  const fitting = nodes.filter(({ id, chain }) => `${id} ${chain ?? ''}`.toLowerCase().includes(text));
  const groups = groupBy(fitting.toSorted(COMPARE[order]), (node) => nameOf(node, by));
  return [...groups].map(([name, members]) => ({ name, nodes: members }));
}

function nameOf(node: Arranged, by: GroupBy): string {
  if (by === 'chain') return node.chain === null ? 'Chain not reported yet' : toPrintable(node.chain, 200);
  return by === 'state' ? worstOf(node).toLowerCase() : 'All nodes';
}

type Compare = (a: Arranged, b: Arranged) => number;
const byName: Compare = (a, b) => (a.id < b.id ? -1 : 1);
const thenByName =
  (compare: Compare): Compare =>
  (a, b) =>
    compare(a, b) || byName(a, b);

const COMPARE: Readonly<Record<OrderBy, Compare>> = {
  name: byName,
  'worst first': thenByName(bySeverity),
  'most pending': thenByName((a, b) => (b.pendingFloat ?? -1) - (a.pendingFloat ?? -1)),
  'longest without success': thenByName(
    (a, b) => Date.parse(a.lastSuccessAt ?? '1970') - Date.parse(b.lastSuccessAt ?? '1970'),
  ),
};
