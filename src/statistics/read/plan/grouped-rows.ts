import { SUBMISSION_KINDS, SUBMISSION_STATUSES } from '../../../domain/submissions/submission-codes.js';
import { least } from '../../../domain/collections.js';
import type { Query } from '../../../platform/sql.js';
import { columnNameOf } from '../../../tables/columns.js';
import type { StatisticEntity } from '../../../tables/statistics.entities.js';
import type { GroupKey, ReportGroup } from './report-request.js';
import type { ReportPlan } from './report-plan.js';
import type { StoredRowsSql } from './stored-rows.js';
import type { Micros } from '../../../domain/time.js';

/** The keys of a group; null for keys that the report is not grouped by. */
export type Group = {
  readonly [Name in 'nodeKey' | 'chain' | 'namespaceKey' | 'kind' | 'status']: StatisticEntity[Name] | null;
};

/** A group in a bucket, as a row of SQL. */
export interface SlotRow extends Group {
  readonly bucket: number;
}

const KEYS: Readonly<Record<ReportGroup, keyof Group>> = {
  NODE: 'nodeKey',
  CHAIN: 'chain',
  NAMESPACE: 'namespaceKey',
  KIND: 'kind',
  STATUS: 'status',
};

/** SQL: the columns of a {@link SlotRow} of stored rows for the select list, and the columns to group by. */
export function slotColumns(
  { groupBy }: ReportPlan,
  { bucket }: StoredRowsSql,
): { readonly select: string; readonly groupBy: string } {
  const wanted = [...groupBy].map((group) => `s.${columnNameOf(KEYS[group])}`);
  const columns = Object.entries(KEYS).map(([group, key]) => {
    const column = groupBy.has(group as ReportGroup) ? `s.${columnNameOf(key)}` : 'NULL';
    return `${column} AS "${key}"`;
  });
  return {
    select: [`${bucket} AS bucket`, ...columns].join(', '),
    groupBy: ['bucket', ...wanted].join(', '),
  };
}

export interface Slot {
  readonly bucket: number;
  readonly group: Group;
  /** Unique among slots. */
  readonly name: string;
}

export function toSlot(bucket: number, group: Group): Slot {
  const { nodeKey, chain, namespaceKey, kind, status } = group;
  return { bucket, group, name: [bucket, nodeKey, chain, namespaceKey, kind, status].join(' ') };
}

export function slotOf({ bucket, nodeKey, chain, namespaceKey, kind, status }: SlotRow): Slot {
  return toSlot(bucket, { nodeKey, chain, namespaceKey, kind, status });
}

export function toGroup({ groupBy }: ReportPlan, keys: Partial<Group>): Group {
  const group = { ...NO_GROUP };
  for (const by of groupBy) Object.assign(group, { [KEYS[by]]: keys[KEYS[by]] ?? null });
  return group;
}

const NO_GROUP: Group = { nodeKey: null, chain: null, namespaceKey: null, kind: null, status: null };

/**
 * The groups of nodes and chains that a report has even if nothing is stored for them; one group of nulls if the report is not
 * grouped at all. Undefined if it is grouped by properties of submissions.
 */
export function constantGroups(plan: ReportPlan): Group[] | undefined {
  return isToldApart(plan) ? undefined : ownerGroups(plan);
}

/** Whether rows are grouped by properties of submissions. */
export function isToldApart({ groupBy }: Pick<ReportPlan, 'groupBy'>): boolean {
  return groupBy.has('NAMESPACE') || groupBy.has('KIND') || groupBy.has('STATUS');
}

/** The groups of a report by nodes and chains alone. */
export function ownerGroups(plan: ReportPlan): Group[] {
  const { groupBy, scope } = plan;
  if (!groupBy.has('NODE') && !groupBy.has('CHAIN')) return [NO_GROUP];
  // A node that has not reported its chain appears by what it showed, not as a chain without a name.
  const owners = groupBy.has('CHAIN') ? scope.owners.filter(({ chain }) => chain !== '') : scope.owners;
  const slots = owners.map((owner) => toSlot(0, toGroup(plan, owner)));
  return [...new Map(slots.map(({ name, group }) => [name, group])).values()];
}

export async function getNamespaces(
  query: Query,
  groups: readonly Group[],
): Promise<ReadonlyMap<number, string>> {
  const keys = [...new Set(groups.map(({ namespaceKey }) => namespaceKey))].filter((key) => key !== null);
  if (keys.length === 0) return new Map();
  const rows = await query<{ key: number; namespace: string }>(
    'SELECT namespace_key AS key, namespace FROM namespace WHERE namespace_key = ANY ($1::int[])',
    [keys],
  );
  return new Map(rows.map(({ key, namespace }) => [key, namespace]));
}

/** Converts the keys of a group to the names that people know. */
export function toGroupKey(
  { nodeKey, chain, namespaceKey, kind, status }: Group,
  nodes: ReadonlyMap<number, string>,
  namespaces: ReadonlyMap<number, string>,
): GroupKey {
  return {
    node: nodeKey === null ? null : (nodes.get(nodeKey) ?? null),
    chain: chain === '' ? null : chain,
    namespace: namespaceKey === null ? null : (namespaces.get(namespaceKey) ?? null),
    kind: kind === null ? null : (SUBMISSION_KINDS[kind] ?? 'UNKNOWN'),
    status: status === null ? null : (SUBMISSION_STATUSES[status] ?? 'OTHER'),
  };
}

/** A time, and what is known of it. */
export interface KnownRange {
  readonly fromUs: Micros;
  /** Exclusive. */
  readonly toUs: Micros;
  /** Nothing is known after this time. */
  readonly nowUs: Micros;
  /** Log position: only what was known at this position counts; everything known if left out. */
  readonly knownAt?: bigint | undefined;
}

/** The buckets of a report, and the part of them that the report covers. */
export interface BucketRange extends KnownRange {
  /** Start of each bucket, ascending; each bucket ends where the next one begins. */
  readonly bucketStarts: readonly Micros[];
  /** End of the last bucket. */
  readonly endUs: Micros;
}

/**
 * The starts of the buckets and the end of the last bucket, cut to the range and to now. They ascend, and are equal if nothing
 * of a bucket is left. Undefined if nothing of any bucket is left.
 */
export function bucketEdges({ bucketStarts, endUs, fromUs, toUs, nowUs }: BucketRange): Micros[] | undefined {
  const end = least(toUs, nowUs);
  const edges = [...bucketStarts, endUs].map((at) => (at < fromUs ? fromUs : at > end ? end : at));
  const first = edges[0];
  const last = edges.at(-1);
  return first !== undefined && last !== undefined && first < last ? edges : undefined;
}
