import type { Database } from '../platform/sql.js';
import type { Micros, Millis } from '../domain/time.js';

export interface LogTime {
  /** The database's clock. */
  readonly nowMs: Millis;
  /**
   * How far `recorded_at` of the last event is ahead of the database's clock; 0 if it is not. Until the clock has caught up,
   * all events get that same `recorded_at`, so it cannot be determined what was known at a time.
   */
  readonly aheadMs: Millis;
}

/** Asks the database for its clock, and for the end of the log. */
export async function readLogTime(dataSource: Database): Promise<LogTime> {
  const [row] = await dataSource.query<{ now: Micros; end: Micros }[]>(
    `SELECT now, CASE WHEN isfinite(recorded_at) THEN greatest(recorded_at, now) ELSE now END AS "end"
       FROM log_head, clock_timestamp() AS now`,
  );
  if (!row) throw new Error('log_head is empty: a restore is not finished, or the database was not migrated');
  return { nowMs: Number(row.now) / 1_000, aheadMs: Number(row.end - row.now) / 1_000 };
}
