import { ClaimedTime, type Claimed, type ClaimedInterval } from '../../domain/interval/claimed.js';
import type { Query } from '../../platform/sql.js';
import { healthKnownAt, statedLossesKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { timesParameter } from '../read/plan/stored-rows.js';
import { readPages } from '../roll-up/aggregation/read-cursor.js';
import type { IntervalRequest } from './interval-request.js';

type ClaimedIntervalRow = Omit<ClaimedInterval, 'differedMs'> & {
  readonly node: string;
  readonly differedMs: bigint;
};

/** Rows that were in a list, or may have been, and were never seen. */
export interface LostRows {
  /** Gaps that overlap the interval, in all lists. */
  readonly holes: bigint;
  /**
   * Rows proven to be missing, in gaps that lie entirely in the interval. For a chain, the most of any one node: another list
   * may have lost the same rows.
   */
  readonly lostMin: bigint;
  /** Upper bound, for all gaps that overlap the interval; null if one of them has no bound. */
  readonly lostMax: bigint | null;
}

/** Rows that were in a list before the first poll are not a loss of the interval. */
export async function getLostRows(query: Query, request: IntervalRequest): Promise<LostRows> {
  const [row] = await query<{ holes: string; lostMin: string | null; lostMax: string | null }>(
    `SELECT coalesce(sum(holes), 0)::text AS holes, max(lost_min)::text AS "lostMin",
            CASE WHEN bool_and(lost_max IS NOT NULL) THEN sum(lost_max)::text END AS "lostMax"
       FROM (SELECT count(*) AS holes,
                    coalesce(sum(min_lost) FILTER (WHERE from_at >= ($2::timestamptz[])[1] AND to_at <= ($2::timestamptz[])[2]), 0) AS lost_min,
                    CASE WHEN count(max_lost) = count(*) THEN sum(max_lost) END AS lost_max
               FROM ${statedLossesKnownAt(request.knownAt)}
              WHERE node_key = ANY ($1::int[]) AND kind <> 'BEFORE_START' AND to_position IS NULL
                AND from_at < ($2::timestamptz[])[2] AND to_at > ($2::timestamptz[])[1]
              GROUP BY node_key) of_node`,
    [request.nodes.map(({ key }) => key), timesParameter([request.fromUs, request.toUs])],
  );
  const holes = BigInt(row?.holes ?? 0);
  if (row === undefined || holes === 0n) return { holes, lostMin: 0n, lostMax: 0n };
  const { lostMin, lostMax } = row;
  return { holes, lostMin: BigInt(lostMin ?? 0), lostMax: lostMax === null ? null : BigInt(lostMax) };
}

/** The nodes' claims in an interval, from the health intervals of the DA layer that overlap it. */
export async function getClaimed(query: Query, request: IntervalRequest): Promise<Claimed[]> {
  const { fromUs, toUs } = request;
  const claimed = new ClaimedTime({ fromUs, toUs });
  const sql = `SELECT i.node, i.claim, i.from_at AS "fromUs", i.to_at AS "toUs", i.differed_ms AS "differedMs" FROM ${healthKnownAt(request.knownAt)}
      WHERE i.node = ANY ($1::text[]) AND i.component = 'DA' AND i.to_position IS NULL AND i.claim IS NOT NULL
        AND i.from_at < ($2::timestamptz[])[2] AND coalesce(i.to_at, 'infinity') > ($2::timestamptz[])[1]`;
  const parameters = [request.nodes.map(({ id }) => id), timesParameter([fromUs, toUs])];
  await readPages(query, { sql, parameters }, (read) => {
    const { node, differedMs, ...row } = read as ClaimedIntervalRow;
    claimed.add(node, { ...row, differedMs: Number(differedMs) });
  });
  return claimed.finish();
}
