import type { Micros } from '../../../domain/time.js';
import { ONE_PLAN, type Query } from '../../../platform/sql.js';
import { timesParameter } from '../plan/stored-rows.js';
import { bucketEdges, type BucketRange, type KnownRange, type Slot } from '../plan/grouped-rows.js';
import type { ReportPlan } from '../plan/report-plan.js';
import {
  type GroupedNode,
  groupNodes,
  type NodeFilter,
  type NodeGrouping,
  unnestNodes,
} from './node-groups.js';

/**
 * SQL of a query with the columns `unit` and `covered`. `covered` is a multirange: the times for which it is proven that no row
 * of any list of the unit was missed.
 *
 * A unit is covered where one of its lists is covered and none of its lists may lack a row. Each list is proven from one poll
 * to the next, or is the same list as a proven list of another node. A node that reports that it is not an aggregator has
 * nothing to miss, and covers nothing. A node that was never reached does not count yet, and a retired node no longer counts.
 *
 * @param members SQL of a FROM item with the columns `unit`, `node` and `known_to`: the last known poll, null if all are known
 * @param from SQL of a time; earlier times are left out
 * @param to SQL of a time; later times are left out
 */
export function coveredTimes(members: string, from: string, to: string): string {
  const proven = 'tstzrange(from_at, least(to_at, known_to))';
  // An end after the last known poll was not known by then.
  const unproven =
    'tstzrange(least(to_at, known_to), CASE WHEN until_at > known_to THEN NULL ELSE until_at END)';
  return `SELECT unit, (range_agg(good) - range_agg(bad)) * tstzmultirange(tstzrange(${from}, ${to})) AS covered
    FROM (SELECT unit, coalesce(range_agg(${proven}) FILTER (WHERE kind = 'LIST'), '{}') AS good,
                 range_agg(${unproven}) - range_agg(${proven}) AS bad
            FROM ${members} JOIN coverage_interval USING (node)
           WHERE from_at < ${to} AND (until_at IS NULL OR until_at > ${from} OR until_at > known_to)
             AND (known_to IS NULL OR from_at <= known_to)
           GROUP BY unit, ring) of_ring
   GROUP BY unit`;
}

/**
 * A part of a whole as a share from 0 to 1; 0 for an empty whole. It is 1 only if nothing is missing, and 0 only if there is
 * nothing, however close the quotient comes to either.
 */
export function shareOf(part: bigint, whole: bigint): number {
  if (part <= 0n || whole <= 0n) return 0;
  if (part >= whole) return 1;
  return Math.min(Number(part) / Number(whole), 1 - Number.EPSILON / 2);
}

/**
 * When chains began, for chains for which it is known: the time of the first block of their first history. Before it there was
 * nothing to monitor. The proposer chooses that time, so an earlier time counts more: a first contact, or a submission. The
 * views of `reporting` use the same rule.
 * @param knownAt position of the log: blocks that were recorded by then; undefined for all
 */
async function getChainBegins(
  query: Query,
  chains: readonly string[],
  knownAt: bigint | undefined,
): Promise<ReadonlyMap<string, Micros>> {
  const rows = await query<{ chain: string; begin: Micros }>(
    `${ONE_PLAN} SELECT chain, least(first.at, contact.at, CASE WHEN earliest.at + interval '15 minutes' <= first.at THEN earliest.at END) AS begin
       FROM unnest($1::text[]) AS asked (chain)
      CROSS JOIN LATERAL (
            SELECT timestamptz 'epoch' + interval '1 microsecond' * floor(min(b.time_ns) / 1000.0)::double precision AS at
              FROM lineage l CROSS JOIN node n JOIN block b USING (node_key)
             WHERE l.chain_id = asked.chain AND l.n = 1 AND b.lineage_key = l.lineage_key AND b.height = 1
               AND ($2::bigint IS NULL OR b.from_position <= $2)) AS first
      CROSS JOIN LATERAL (
            SELECT min(c.from_at) AS at FROM node n JOIN coverage_interval c ON c.node = n.id AND c.number = 0
             WHERE n.chain_id = asked.chain) AS contact
      CROSS JOIN LATERAL (
            SELECT min(s.bucket_at) AS at FROM statistic s
             WHERE s.node_key = 0 AND s.chain = asked.chain AND s.grain = 0) AS earliest
      WHERE first.at IS NOT NULL`,
    [chains, knownAt ?? null],
  );
  return new Map(rows.map(({ chain, begin }) => [chain, begin]));
}

export interface CoverageRequest extends NodeFilter, BucketRange {
  readonly by: NodeGrouping;
}

export interface BucketCoverage {
  /** From 0 to 1. */
  readonly share: number;
  /** The time that `share` is a share of, for all units of the group together. */
  readonly lengthUs: Micros;
}

const NO_TIME: BucketCoverage = { share: 0, lengthUs: 0n };

/** The covered time of a bucket, for all intervals of a group. */
interface PartRow {
  readonly groupIndex: number;
  /** Counts from 1. */
  readonly bucket: number;
  /** Covered by intervals that begin or end in the bucket. */
  readonly partUs: Micros;
  /** The number of intervals that cover the whole bucket, less those that covered the whole previous bucket. */
  readonly whole: bigint;
}

/**
 * The share of time in which no row of a node's list can have been missed, from 0 to 1, for each group in the order of the
 * buckets. It is a share of the part of a bucket that lies within the range and before now, and in which the chain existed. It
 * is 0 if there is no such part, before the first contact with a node, and after the last contact.
 *
 * A chain is covered where every node that counts is covered, see {@link coveredTimes}. If nodes were named, the share is the
 * mean over them. It is also the mean if several chains, or nodes that have not reported their chain, form one group. Groups
 * have known nodes; a group without known nodes is left out.
 *
 * The database adds up the covered time. In the worst case there is one interval for each poll, but only a few numbers for each
 * group and bucket are returned.
 */
export async function getCoverage(
  query: Query,
  request: CoverageRequest,
): Promise<Map<string, BucketCoverage[]>> {
  const { nodes, groups } = await groupNodes(query, request, request.by);
  const edges = bucketEdges(request);
  if (edges === undefined)
    return new Map(groups.map(({ key }) => [key, request.bucketStarts.map(() => NO_TIME)]));
  const chains = [...new Set(groups.flatMap((group) => group.chains))];
  const begins = await getChainBegins(query, chains, request.knownAt);
  const byGroup = groups.map((): PartRow[] => []);
  for (const row of await getParts(query, nodes, edges)) byGroup[row.groupIndex]?.push(row);
  return new Map(
    groups.map((group, index) => {
      const unitBegins = group.chains.map((chain) => begins.get(chain));
      return [group.key, toShares(byGroup[index] ?? [], unitBegins, edges)];
    }),
  );
}

/** The share of a time that is covered, by group, as in {@link getCoverage}. */
export async function getCoverageOf(
  query: Query,
  { fromUs, toUs, nowUs, knownAt }: KnownRange,
  of: NodeFilter & Pick<CoverageRequest, 'by'>,
): Promise<ReadonlyMap<string, number>> {
  const range = { bucketStarts: [fromUs], endUs: toUs, fromUs, toUs, nowUs, knownAt };
  const groups = await getCoverage(query, { ...range, ...of });
  return new Map([...groups].map(([key, buckets]) => [key, buckets[0]?.share ?? 0]));
}

function getParts(query: Query, nodes: readonly GroupedNode[], edges: readonly Micros[]): Promise<PartRow[]> {
  const members = unnestNodes(nodes, 3);
  const at = '$1::timestamptz[]';
  const [start, end] = [`(${at})[1]`, `(${at})[$2::int]`];
  return query<PartRow>(
    `WITH member AS MATERIALIZED (SELECT * FROM ${members.sql}),
          placed AS (
            SELECT group_index, lower(part) AS from_at, upper(part) AS to_at, width_bucket(lower(part), ${at}) AS first,
                   width_bucket(upper(part) - interval '1 microsecond', ${at}) AS last
              FROM (SELECT DISTINCT unit, group_index FROM member) AS of_group
              JOIN (${coveredTimes('member', start, end)}) AS of_unit USING (unit), unnest(covered) AS part)
     SELECT group_index AS "groupIndex", bucket, (extract(epoch FROM sum(part)) * 1000000)::bigint AS "partUs",
            sum(whole) AS whole
       FROM placed, LATERAL (VALUES
            (first, least(to_at, (${at})[first + 1]) - from_at, 0),
            (CASE WHEN first < last THEN last END, to_at - (${at})[last], 0),
            (CASE WHEN first + 1 < last THEN first + 1 END, interval '0', 1),
            (CASE WHEN first + 1 < last THEN last END, interval '0', -1)) AS piece (bucket, part, whole)
      WHERE bucket IS NOT NULL
      GROUP BY group_index, bucket ORDER BY group_index, bucket`,
    [timesParameter(edges), edges.length, ...members.parameters],
  );
}

/** @param begins when the chain of each unit began; undefined if not known */
function toShares(
  rows: readonly PartRow[],
  begins: readonly (Micros | undefined)[],
  edges: readonly Micros[],
): BucketCoverage[] {
  const byBucket = new Map(rows.map((row) => [row.bucket, row]));
  let whole = 0n;
  return edges.slice(1).map((end, index) => {
    const start = edges[index] ?? end;
    const row = byBucket.get(index + 1);
    whole += row?.whole ?? 0n;
    let lengthUs = 0n;
    for (const begin of begins)
      lengthUs += begin === undefined || begin <= start ? end - start : begin < end ? end - begin : 0n;
    return { share: shareOf((row?.partUs ?? 0n) + whole * (end - start), lengthUs), lengthUs };
  });
}

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

/** The grouping of coverage and losses: by nodes and chains only. */
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
