import type { Database } from '../platform/sql.js';
import { isSetAside } from './roll-up/set-aside.js';

/** What is waiting to be computed. What is set aside is not: it would count as late for ever. */
export interface Backlog {
  /** Seconds since the oldest mark was written, by the database's clock; 0 without marks. */
  readonly seconds: number;
  /** Whether the read models that the statistics are made of have begun. */
  readonly hasSources: boolean;
}

/** Read models without which there is nothing to compute from. */
const SOURCES = ['record', 'prices'];

/** How far behind the statistics are. */
export async function readBacklog(dataSource: Pick<Database, 'query'>): Promise<Backlog> {
  const [row] = await dataSource.query<{ us: bigint | null; sources: number }[]>(
    // By the index first: behind the marks that were deleted, a scan of the table would have far to go for nothing.
    `SELECT (SELECT (extract(epoch FROM clock_timestamp() - m.marked_at) * 1000000)::bigint FROM roll_up_mark m
              WHERE (SELECT true FROM roll_up_mark ORDER BY node_key, chain, quarter_at LIMIT 1)
                AND NOT ${isSetAside('m')}
              ORDER BY m.marked_at LIMIT 1) AS us,
            (SELECT count(*)::int FROM projection_checkpoint WHERE name = ANY ($1)) AS sources`,
    [SOURCES],
  );
  return { seconds: Math.max(Number(row?.us ?? 0) / 1e6, 0), hasSources: row?.sources === SOURCES.length };
}

/** Marks that were written at `until` (as Postgres prints it) or before, but for those of subjects that are set aside. */
export async function countMarks(dataSource: Pick<Database, 'query'>, until: string): Promise<number> {
  const [row] = await dataSource.query<{ count: number }[]>(
    `SELECT count(*)::int AS count FROM roll_up_mark m WHERE m.marked_at <= $1 AND NOT ${isSetAside('m')}`,
    [until],
  );
  return row?.count ?? 0;
}
