import type { Database } from '../../platform/sql.js';
import { JobInterrupted } from '../../platform/queues/job-kind.js';
import { EXACT_DAYS } from './readers/changes.reader.js';

const PORTION = 10_000;

/**
 * Keeps only the last number of each hour among change numbers that are a day older than readers rely on. A table with one
 * row per transaction would grow forever. A swap's two numbers, which have the same time, are both kept or both deleted.
 *
 * The very last number always stays, because the next one is counted from it.
 *
 * @throws JobInterrupted between two portions when the signal is aborted; what was thinned stays so
 */
export async function thinChanges(dataSource: Database, signal: AbortSignal): Promise<void> {
  const [end] = await dataSource.query<{ change: bigint }[]>(
    `SELECT change FROM record_change WHERE at < date_trunc('hour', now() - interval '${EXACT_DAYS + 1} days')
      ORDER BY at DESC, change DESC LIMIT 1`,
  );
  if (!end) return;
  for (let reached: bigint | null = -1n; reached !== null && reached < end.change;) {
    if (signal.aborted) throw new JobInterrupted();
    reached = await thinPortion(dataSource, reached, end.change);
  }
}

/** @returns the last number that was checked; null if none. The next portion begins with it, as its hour may continue */
async function thinPortion(dataSource: Database, from: bigint, to: bigint): Promise<bigint | null> {
  const [portion] = await dataSource.query<[{ reached: bigint | null }]>(
    `WITH portion AS MATERIALIZED (
       SELECT change, at < max(at) OVER (PARTITION BY date_trunc('hour', at)) AS is_thinned
         FROM (SELECT * FROM record_change WHERE change BETWEEN $1 AND $2 ORDER BY change LIMIT ${PORTION}) r
     ), thinned AS (
       DELETE FROM record_change WHERE change = ANY (ARRAY(SELECT change FROM portion WHERE is_thinned))
     )
     SELECT max(change) AS reached FROM portion`,
    [String(from), String(to)],
  );
  return portion.reached;
}
