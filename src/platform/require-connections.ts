import { countSource } from './connection-counts.js';
import type { DatabasePool } from './database.js';
import { UserError } from './errors.js';
import type { Logger } from './logger.js';
import { poolSizes } from './pools.js';
import { does, type Role } from './role.js';

/** Most connections of a job queue in the database: a side that adds jobs, and one that runs and listens for jobs. */
const QUEUE = { adding: 2, running: 3 } as const;

interface Room {
  /** Most connections that server, role and database allow. */
  readonly limit: number;
  /** Connections that could be opened now. */
  readonly free: number;
}

/** Most connections that a process takes to the database that is written to. */
export function countNeeded(role: Role, has: { readonly replica: boolean; readonly redis: boolean }): number {
  const { reads, spare, ...others } = poolSizes(role);
  const own = Object.values(others).reduce((sum, size) => sum + size, 0);
  const queue = has.redis ? 0 : QUEUE.adding + (does(role, 'worker') ? QUEUE.running : 0);
  return own + queue + (has.replica ? 0 : reads + spare);
}

/**
 * Compares the connections that a process may take with those of the server. Warns if other programs leave too few.
 * @throws UserError if the server allows fewer, whatever other programs do
 */
export async function requireConnections(
  dataSource: DatabasePool,
  needed: number,
  logger: Logger,
): Promise<void> {
  const [room] = await dataSource.query<Room[]>(
    `WITH me AS (
       SELECT * FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()
     ), taken AS (
       SELECT count(*) AS by_all,
              count(*) FILTER (WHERE usename = current_user) AS by_role,
              count(*) FILTER (WHERE datname = current_database()) AS by_database
         FROM pg_stat_activity WHERE backend_type = 'client backend'
     ), room (most, used) AS (
       SELECT current_setting('max_connections')::int - CASE WHEN rolsuper THEN 0 ELSE
                current_setting('superuser_reserved_connections')::int
                  + coalesce(current_setting('reserved_connections', true)::int, 0) END, by_all FROM me, taken
       UNION ALL SELECT rolconnlimit, by_role FROM me, taken WHERE NOT rolsuper AND rolconnlimit >= 0
       UNION ALL SELECT datconnlimit, by_database FROM me, taken WHERE NOT rolsuper AND datconnlimit >= 0
     )
     SELECT min(most)::int AS limit, min(most - used)::int AS free FROM room`,
  );
  if (room === undefined) return;
  if (room.limit < needed) {
    throw new UserError(
      `This process takes up to ${needed} connections to the database, and the server allows ${room.limit}.`,
      'Raise max_connections of the server, or the limit of its role or database. REDIS_URL and DATABASE_READ_URL save connections, see docs/scaling.md.',
    );
  }
  const own = countSource(dataSource);
  const free = room.free + own.used + own.idle;
  if (free < needed) {
    logger.warn(
      { needed, free, limit: room.limit },
      'other programs leave fewer connections to the database than this process may take: raise max_connections, or answers may fail with "too many clients"',
    );
  }
}
