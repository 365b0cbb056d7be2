import type { Query } from '../../../platform/sql.js';
import type { Micros } from '../../../domain/time.js';
import { timesParameter } from '../plan/stored-rows.js';
import { statedLossesKnownAt } from '../../../projections/record/readers/known-rows.reader.js';
import { bucketEdges, type Slot } from '../plan/grouped-rows.js';
import type { MeasuredBy } from '../measures.js';
import { planReport, type ReportPlan } from '../plan/report-plan.js';
import type { ReportRequest } from '../plan/report-request.js';
import {
  coveredTimes,
  type CoverageRequest,
  watchedGroup,
  watchedKey,
  watchedRange,
} from './coverage.query.js';
import { groupNodes, unnestNodes, type GroupedNode } from './node-groups.js';

/** Rows that were in a list and were never seen. */
export interface Lost {
  /** Gaps found in the bucket. */
  readonly holes: number;
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
export async function getLost(query: Query, request: CoverageRequest): Promise<Map<string, Lost[]>> {
  const { nodes, groups } = await groupNodes(query, request, request.by);
  const lost = new Map(groups.map(({ key }) => [key, request.bucketStarts.map(() => NOTHING)]));
  const edges = bucketEdges(request);
  if (edges === undefined) return lost;
  for (const { groupIndex, bucket, ...row } of await getRows(query, nodes, edges, request.knownAt)) {
    const [minLost, likelyLost] = [BigInt(row.minLost), BigInt(row.likelyLost)];
    const buckets = lost.get(groups[groupIndex]?.key ?? '');
    if (buckets) buckets[bucket - 1] = { ...row, minLost, likelyLost };
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
          gap AS MATERIALIZED (
            SELECT unit, has_others, group_index, from_at, to_at, min_lost, likely_lost
              FROM member JOIN ${statedLossesKnownAt(knownAt)} USING (node_key)
             WHERE to_position IS NULL AND kind <> 'BEFORE_START'
               AND to_at >= (${at})[1] AND to_at < (${at})[$2::int]),
          cover AS (
            ${coveredTimes(
              '(SELECT * FROM member WHERE unit IN (SELECT unit FROM gap WHERE has_others)) AS other',
              '(SELECT min(from_at) FROM gap)',
              `(${at})[$2::int]`,
            )})
     SELECT group_index AS "groupIndex", width_bucket(to_at, ${at}) AS bucket, count(*)::int AS holes,
            sum(min_lost) AS "minLost", sum(greatest(likely_lost, min_lost)) AS "likelyLost",
            (count(*) FILTER (WHERE likely_lost IS NULL))::int AS "withoutEstimate"
       FROM gap LEFT JOIN cover USING (unit)
      -- Another of several nodes that show one list may have seen what one missed.
      WHERE covered IS NULL OR from_at = to_at OR NOT covered @> tstzrange(from_at, to_at)
      GROUP BY group_index, bucket`,
    [timesParameter(edges), edges.length, ...members.parameters],
  );
}

/** Attempts that were in a list and were never seen, by the bucket of the poll that found them missing. */
export interface LossFigures {
  readonly holes: number;
  readonly provenLost: bigint;
  /** Null if a gap has no estimate: a sum over the other gaps would not be an estimate. */
  readonly likelyLost: bigint | null;
}

/** The losses of a row; null if not known. */
type RowLosses = MeasuredBy<'losses'>;

/** The losses of a row for which they cannot be known. */
export const NOT_TOLD: RowLosses = { holes: null, provenLost: null, likelyLost: null };

/**
 * Losses of each slot; null if the report is grouped or filtered by properties that are not known for rows that were not seen.
 */
export async function getLossFigures(query: Query, plan: ReportPlan): Promise<(slot: Slot) => RowLosses> {
  if (plan.isOfSubmissions) return () => NOT_TOLD;
  const by = watchedGroup(plan);
  const lost = await getLost(query, { ...watchedRange(plan), by });
  return ({ bucket, group }) => addUp(lost.get(watchedKey(plan, by, group))?.slice(bucket, bucket + 1) ?? []);
}

/** All losses in the time of a request, whatever its rows are grouped by. */
export async function readTotalLosses(query: Query, request: ReportRequest): Promise<LossFigures> {
  const plan = await planReport(query, { ...request, groupBy: [] });
  if (plan === undefined) return NO_LOSSES;
  const lost = await getLost(query, { ...watchedRange(plan), by: 'ALL' });
  return addUp([...lost.values()].flat());
}

function addUp(lost: readonly Lost[]): LossFigures {
  const isEstimated = lost.every(({ withoutEstimate }) => withoutEstimate === 0);
  return {
    holes: lost.reduce((sum, { holes }) => sum + holes, 0),
    provenLost: lost.reduce((sum, { minLost }) => sum + minLost, 0n),
    likelyLost: isEstimated ? lost.reduce((sum, { likelyLost }) => sum + likelyLost, 0n) : null,
  };
}

export const NO_LOSSES = addUp([]);
