import type { DataSource } from 'typeorm';
import type { Millis } from '../domain/time.js';

/** The time by which the log is kept. */
export interface LogTime {
  /** The database's clock. */
  readonly nowMs: Millis;
  /**
   * How far `recorded_at` of the last event is ahead of the database's clock; 0 when it is not. Until
   * the clock has caught up, all events get that same `recorded_at`, so what was known at a time cannot be told.
   */
  readonly aheadMs: Millis;
}

/** Asks the database for its clock, and for the end of the log. */
export async function readLogTime(dataSource: DataSource): Promise<LogTime> {
  const [row] = await dataSource.query<{ now_ms: number; ahead_ms: number }[]>(
    `SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS now_ms,
            CASE WHEN recorded_at > clock_timestamp()
                 THEN extract(epoch FROM recorded_at - clock_timestamp())::float8 * 1000 ELSE 0 END AS ahead_ms
       FROM log_head`,
  );
  if (!row) throw new Error('log_head is empty: the database was not migrated');
  return { nowMs: row.now_ms, aheadMs: row.ahead_ms };
}
