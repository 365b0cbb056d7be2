import type { Query } from '../../../platform/sql.js';
import type { Micros } from '../../../domain/time.js';
import { timesParameter } from '../plan/stored-rows.js';
import { statedLossesKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import { bucketEdges, type BucketRange } from '../plan/grouped-rows.js';
import { coveredTimes } from './coverage.query.js';
import {
  groupNodes,
  unnestNodes,
  type GroupedNode,
  type NodeFilter,
  type NodeGrouping,
} from './node-groups.js';

export interface LostRequest extends NodeFilter, BucketRange {
  readonly by: NodeGrouping;
}

/** Rows that were in a list and were never seen. */
export interface Lost {
  /** Gaps found in the bucket. */
  readonly holes: number;
  /** Rows proven to be missing. */
  readonly minLost: bigint;
  /** Rows likely to be missing: the estimate, but at least the proven number. */
  readonly likelyLost: bigint;
  /** Gaps without an estimate, because no rate around them was known. */
  readonly withoutEstimate: number;
}

interface LostRow extends Pick<Lost, 'holes' | 'withoutEstimate'> {
  readonly groupIndex: number;
  readonly bucket: number;
  readonly minLost: string;
  readonly likelyLost: string;
}

const NOTHING: Lost = { holes: 0, minLost: 0n, likelyLost: 0n, withoutEstimate: 0 };

/**
 * Losses by the bucket of the poll that found them, for each group in the order of the buckets. Rows that were in a list before
 * the first poll are not a loss.
 *
 * A gap does not count for a chain that is covered throughout the gap, because another node showed the same list. A gap that is
 * covered in part counts in full, because nobody knows where in it the rows were.
 */
export async function getLost(query: Query, request: LostRequest): Promise<Map<string, Lost[]>> {
  const { nodes, groups } = await groupNodes(query, request, request.by);
  const lost = new Map(groups.map(({ key }) => [key, request.bucketStarts.map(() => NOTHING)]));
  const edges = bucketEdges(request);
  if (edges === undefined) return lost;
  for (const { groupIndex, bucket, holes, withoutEstimate, ...sums } of await getRows(
    query,
    nodes,
    edges,
    request.knownAt,
  )) {
    const [minLost, likelyLost] = [BigInt(sums.minLost), BigInt(sums.likelyLost)];
    const buckets = lost.get(groups[groupIndex]?.key ?? '');
    if (buckets) buckets[bucket - 1] = { holes, minLost, likelyLost, withoutEstimate };
  }
  return lost;
}

function getRows(
  query: Query,
  nodes: readonly GroupedNode[],
  edges: readonly Micros[],
  knownAt: bigint | undefined,
): Promise<LostRow[]> {
  const members = unnestNodes(nodes, 3);
  const at = '$1::timestamptz[]';
  return query<LostRow>(
    `WITH member AS MATERIALIZED (
            SELECT *, count(*) OVER (PARTITION BY unit) > 1 AS has_others FROM ${members.sql}),
          hole AS MATERIALIZED (
            SELECT unit, has_others, group_index, from_at, to_at, min_lost, likely_lost
              FROM member JOIN ${statedLossesKnownAt(knownAt)} USING (node_key)
             WHERE to_position IS NULL AND kind <> 'BEFORE_START'
               AND to_at >= (${at})[1] AND to_at < (${at})[$2::int]),
          cover AS (
            ${coveredTimes(
              '(SELECT * FROM member WHERE unit IN (SELECT unit FROM hole WHERE has_others)) AS other',
              '(SELECT min(from_at) FROM hole)',
              `(${at})[$2::int]`,
            )})
     SELECT group_index AS "groupIndex", width_bucket(to_at, ${at}) AS bucket, count(*)::int AS holes,
            sum(min_lost) AS "minLost", sum(greatest(likely_lost, min_lost)) AS "likelyLost",
            (count(*) FILTER (WHERE likely_lost IS NULL))::int AS "withoutEstimate"
       FROM hole LEFT JOIN cover USING (unit)
      -- Of one list that several nodes show, another may have seen what one missed.
      WHERE covered IS NULL OR from_at = to_at OR NOT covered @> tstzrange(from_at, to_at)
      GROUP BY group_index, bucket`,
    [timesParameter(edges), edges.length, ...members.parameters],
  );
}
