import type { Query } from '../../../platform/sql.js';
import { bucketEdges, type Slot } from '../plan/grouped-rows.js';
import { getCoverage, type BucketCoverage, type CoverageRequest } from './coverage.query.js';
import type { NodeGrouping } from './node-groups.js';
import type { ReportPlan } from '../plan/report-plan.js';

/** The coverage of each slot; 0 for a slot without known nodes. */
export async function getReportCoverage(
  query: Query,
  plan: ReportPlan,
): Promise<(slot: Slot) => BucketCoverage> {
  const by = watchedGroup(plan);
  const range = watchedRange(plan);
  const shares = await getCoverage(query, { ...range, by });
  const edges = bucketEdges(range) ?? [];
  return ({ bucket, group }) =>
    shares.get(watchedKey(plan, by, group))?.[bucket] ?? {
      share: 0,
      lengthUs: (edges[bucket + 1] ?? 0n) - (edges[bucket] ?? edges[bucket + 1] ?? 0n),
    };
}

/** How coverage and losses are grouped: by nodes and chains only. */
export function watchedGroup({ groupBy }: ReportPlan): NodeGrouping {
  if (groupBy.has('NODE')) return 'NODE';
  return groupBy.has('CHAIN') ? 'CHAIN' : 'ALL';
}

/** The key of a group in coverage and losses. */
export function watchedKey({ scope }: ReportPlan, by: NodeGrouping, group: Slot['group']): string {
  if (by === 'NODE') return scope.nodes.get(group.nodeKey ?? 0) ?? '';
  return by === 'CHAIN' ? (group.chain ?? '') : '';
}

/** The nodes, the buckets and the part of them that a report covers. */
export function watchedRange(plan: ReportPlan): Omit<CoverageRequest, 'by'> {
  const { filter, starts, endUs, fromUs, toUs, nowUs, knownAt } = plan;
  return {
    nodes: filter.nodes ?? undefined,
    chains: filter.chains ?? undefined,
    bucketStarts: starts,
    endUs,
    fromUs,
    toUs,
    nowUs,
    knownAt,
  };
}
