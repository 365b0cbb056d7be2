import { kindCodeOf, statusCodeOf } from '../../../domain/submissions/submission-codes.js';
import { edgesParameter } from '../watch/bucket-edges.js';
import { toTimestamp } from './micros.js';
import { piecesOf, type Piece } from './pieces.js';
import type { ReportPlan } from './report-plan.js';
import { zoneOf } from './scope.query.js';

/** SQL: the bucket of the report that a stored row `s` belongs to, counted from 0; -1: before the first. */
export const BUCKET = 'width_bucket(s.bucket_at, $8::timestamptz[]) - 1';

/**
 * SQL: the stored rows of a report, as `s`. Takes the parameters of {@link bucketParameters}.
 *
 * Each subject and piece is one range of the primary key. OFFSET 0 keeps the planner, which knows nothing of the sizes
 * of the lists, from reading the whole table instead: the work depends on the buckets that are read, on nothing else.
 */
export function bucketRows(table: 'statistic' | 'block_statistic'): string {
  return `
    FROM unnest($1::int[], $2::text[], $3::int[]) AS subject (node_key, chain, zone)
    JOIN unnest($4::int[], $5::smallint[], $6::timestamptz[], $7::timestamptz[]) AS piece (zone, grain, from_at, to_at)
      USING (zone)
    CROSS JOIN LATERAL (
      SELECT * FROM ${table} r
       WHERE r.node_key = subject.node_key AND r.chain = subject.chain AND r.grain = piece.grain
         AND r.bucket_at >= piece.from_at AND r.bucket_at < piece.to_at
      OFFSET 0
    ) AS s`;
}

/** SQL: what the filter says of a row of `statistic`. Takes the parameters of {@link statisticParameters}. */
export const FILTERED = `($9::int[] IS NULL OR s.namespace_key = ANY ($9))
  AND ($10::smallint[] IS NULL OR s.kind = ANY ($10)) AND ($11::smallint[] IS NULL OR s.status = ANY ($11))`;

/** $1 to $8: subjects, pieces of time, starts of the buckets. */
export function bucketParameters(
  plan: ReportPlan,
  choosePieces: (ownZone: string) => readonly Piece[] = (ownZone) => piecesOf(plan, ownZone),
): unknown[] {
  const { subjects } = plan.scope;
  const zones = [...new Set(subjects.map(({ chain }) => zoneOf(plan.scope, chain)))];
  const places = new Map(zones.map((zone, place) => [zone, place]));
  const pieces = zones.flatMap((zone, place) => choosePieces(zone).map((piece) => ({ place, ...piece })));
  return [
    subjects.map(({ nodeKey }) => nodeKey),
    subjects.map(({ chain }) => chain),
    subjects.map(({ chain }) => places.get(zoneOf(plan.scope, chain))),
    pieces.map(({ place }) => place),
    pieces.map(({ grain }) => grain),
    pieces.map(({ fromUs }) => toTimestamp(fromUs)),
    pieces.map(({ toUs }) => toTimestamp(toUs)),
    // In binary: as text, ten thousand of them take 100 ms for each statement.
    edgesParameter(plan.starts),
  ];
}

/** $1 to $11: those of {@link bucketParameters}, then the filter. */
export function statisticParameters(plan: ReportPlan): unknown[] {
  return [
    ...bucketParameters(plan),
    plan.scope.namespaceKeys ?? null,
    plan.filter.kinds?.map(kindCodeOf) ?? null,
    plan.filter.statuses?.map(statusCodeOf) ?? null,
  ];
}
