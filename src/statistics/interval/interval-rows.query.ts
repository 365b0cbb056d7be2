import {
  FailuresByCause,
  type AlikeFailures,
  type CauseCount,
} from '../../domain/interval/failures-by-cause.js';
import { SUBMISSION_STATUSES } from '../../domain/submissions/submission-codes.js';
import type { Micros } from '../../domain/time.js';
import type { Query } from '../../platform/sql.js';
import { submissionsKnownAt } from '../../projections/record/readers/known-rows.reader.js';
import { ReadFault } from '../read/plan/read-fault.js';
import { timesParameter } from '../read/plan/stored-rows.js';
import { readPages } from '../roll-up/aggregation/read-cursor.js';
import type { IntervalRequest } from './interval-request.js';

/** Upper bound for the submissions of one interval, and for its blocks. */
export const MOST_INTERVAL_ROWS = 1_000_000;
/** Groups of failures in memory at once: each may have a message of 4,000 characters. */
const PAGE_GROUPS = 500;

/** @throws ReadFault TOO_EXPENSIVE for too many submissions */
export async function requireFewRows(query: Query, stretch: IntervalRequest): Promise<void> {
  const rows = await query<{ count: bigint }>(
    `SELECT count(*) FROM (SELECT ${rowsOf(stretch)} LIMIT ${MOST_INTERVAL_ROWS + 1}) AS found`,
    parametersOf(stretch),
  );
  if ((rows[0]?.count ?? 0n) > MOST_INTERVAL_ROWS) throw tooMany('submissions');
}

export function tooMany(what: string): ReadFault {
  return new ReadFault(
    'TOO_EXPENSIVE',
    `The interval has more than ${MOST_INTERVAL_ROWS} ${what}: request a shorter interval.`,
  );
}

type FailedRow = Omit<AlikeFailures, 'status'> & { readonly status: number };

/** Failures by their cause, the most frequent first. */
export async function getFailures(query: Query, stretch: IntervalRequest): Promise<CauseCount[]> {
  const failures = new FailuresByCause();
  const sql = `SELECT s.status, s.message, count(*) AS count, min(s.time_at) AS "firstUs", max(s.time_at) AS "lastUs",
      (array_agg(s.from_position ORDER BY s.time_at, s.from_position))[1] AS "firstPosition",
      (array_agg(s.from_position ORDER BY s.time_at DESC, s.from_position DESC))[1] AS "lastPosition"
    ${rowsOf(stretch)} AND s.status <> 0 GROUP BY s.status, s.message`;
  await readPages(
    query,
    { sql, parameters: parametersOf(stretch) },
    (read) => {
      const row = read as FailedRow;
      failures.add({ ...row, status: SUBMISSION_STATUSES[row.status] ?? 'OTHER' });
    },
    PAGE_GROUPS,
  );
  return failures.finish();
}

/**
 * The longest time without a success, in milliseconds, from the start of the interval to its end or the present; null if the
 * interval has not begun.
 */
export async function getSilence(query: Query, stretch: IntervalRequest): Promise<number | null> {
  const end = stretch.nowUs < stretch.toUs ? stretch.nowUs : stretch.toUs;
  if (end <= stretch.fromUs) return null;
  const rows = await query<{ us: bigint }>(
    `SELECT (extract(epoch FROM max(gap)) * 1000000)::bigint AS us FROM (
       SELECT at - lag(at) OVER (ORDER BY at) AS gap FROM (
         SELECT ($2::timestamptz[])[1] AS at UNION ALL SELECT ($2::timestamptz[])[3]
         UNION ALL SELECT s.time_at ${rowsOf(stretch)} AND s.status = 0 AND s.time_at <= ($2::timestamptz[])[3]) moments) gaps`,
    parametersOf(stretch, end),
  );
  return rows[0] === undefined ? null : Number(rows[0].us / 1_000n);
}

/** SQL: `FROM` and `WHERE` for the submissions of an interval, with {@link parametersOf}; each attempt of a chain counts once. */
function rowsOf({ knownAt, chain }: IntervalRequest): string {
  const isCounted = chain === null ? '$3::text IS NULL' : 's.chain_id = $3::text AND s.counts_for_chain';
  return `FROM ${submissionsKnownAt(knownAt)} WHERE s.node_key = ANY ($1::int[])
    AND s.time_at >= ($2::timestamptz[])[1] AND s.time_at < ($2::timestamptz[])[2] AND s.to_position IS NULL AND ${isCounted}`;
}

function parametersOf({ nodes, fromUs, toUs, chain }: IntervalRequest, ...more: Micros[]): unknown[] {
  return [nodes.map(({ key }) => key), timesParameter([fromUs, toUs, ...more]), chain];
}
