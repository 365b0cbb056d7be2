import { SUBMISSION_KINDS, SUBMISSION_STATUSES } from '../../../domain/submissions/submission-codes.js';
import type { Query } from '../../../platform/sql.js';
import type { GroupKey, ReportGroup } from './report-request.js';
import type { ReportPlan } from './report-plan.js';

/** A group as SQL tells it; null for what the report is not grouped by. */
export interface GroupRow {
  readonly node_key: number | null;
  readonly chain: string | null;
  readonly namespace_key: number | null;
  readonly kind: number | null;
  readonly status: number | null;
}

const COLUMNS: Readonly<Record<ReportGroup, keyof GroupRow>> = {
  NODE: 'node_key',
  CHAIN: 'chain',
  NAMESPACE: 'namespace_key',
  KIND: 'kind',
  STATUS: 'status',
};

/** SQL: columns of a {@link GroupRow} of stored rows `s`, for the select list, and those to group by. */
export function groupColumns(groupBy: ReadonlySet<ReportGroup>): { select: string; groupBy: string } {
  const groups = (Object.keys(COLUMNS) as ReportGroup[]).map((group) => ({
    column: COLUMNS[group],
    isWanted: groupBy.has(group),
  }));
  return {
    select: groups.map(({ column, isWanted }) => (isWanted ? `s.${column}` : `NULL AS ${column}`)).join(', '),
    groupBy: ['bucket', ...groups.filter(({ isWanted }) => isWanted).map(({ column }) => `s.${column}`)].join(
      ', ',
    ),
  };
}

/** The place of a row in a report: its bucket and group. */
export function slotOf(bucket: number, row: GroupRow): string {
  return [bucket, row.node_key, row.chain, row.namespace_key, row.kind, row.status].join(' ');
}

/** A bucket of a group. */
export interface Slot {
  readonly bucket: number;
  readonly group: GroupRow;
  readonly name: string;
}

export function toSlot(bucket: number, group: GroupRow): Slot {
  return { bucket, group, name: slotOf(bucket, group) };
}

/**
 * The groups of nodes and chains that a report has whether or not anything is stored of them; one without members where
 * it is not grouped at all. Undefined: it is grouped by what only submissions tell.
 */
export function standingGroups({ groupBy, scope }: ReportPlan): GroupRow[] | undefined {
  if (groupBy.has('NAMESPACE') || groupBy.has('KIND') || groupBy.has('STATUS')) return undefined;
  // A node that has not said its chain is told of by what it showed, not by a chain without a name.
  const subjects = groupBy.has('CHAIN') ? scope.subjects.filter(({ chain }) => chain !== '') : scope.subjects;
  const groups = subjects.map(({ nodeKey, chain }) => ({
    ...NO_GROUP,
    ...(groupBy.has('NODE') && { node_key: nodeKey }),
    ...(groupBy.has('CHAIN') && { chain }),
  }));
  if (groupBy.size === 0) return [NO_GROUP];
  return [...new Map(groups.map((group) => [slotOf(0, group), group])).values()];
}

/** The group of a report that is not grouped. */
const NO_GROUP: GroupRow = {
  node_key: null,
  chain: null,
  namespace_key: null,
  kind: null,
  status: null,
};

/** Names of the namespaces of some groups, by key. */
export async function getNamespaces(
  query: Query,
  groups: readonly GroupRow[],
): Promise<ReadonlyMap<number, string>> {
  const keys = [...new Set(groups.map((group) => group.namespace_key))].filter((key) => key !== null);
  if (keys.length === 0) return new Map();
  const rows = await query<{ namespace_key: number; namespace: string }>(
    'SELECT namespace_key, namespace FROM namespace WHERE namespace_key = ANY ($1::int[])',
    [keys],
  );
  return new Map(rows.map((row) => [row.namespace_key, row.namespace]));
}

/** A group under the names that people know. */
export function toGroupKey(
  group: GroupRow,
  nodes: ReadonlyMap<number, string>,
  namespaces: ReadonlyMap<number, string>,
): GroupKey {
  return {
    node: group.node_key === null ? null : (nodes.get(group.node_key) ?? null),
    chain: group.chain === '' ? null : group.chain,
    namespace: group.namespace_key === null ? null : (namespaces.get(group.namespace_key) ?? null),
    kind: group.kind === null ? null : (SUBMISSION_KINDS[group.kind] ?? 'UNKNOWN'),
    status: group.status === null ? null : (SUBMISSION_STATUSES[group.status] ?? 'OTHER'),
  };
}
