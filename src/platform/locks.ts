import { codeOf, UserError } from './errors.js';
import { type Database, onConnection, type Query } from './sql.js';

/** SQLSTATE `lock_not_available`: the lock was not granted in time. */
export const NO_LOCK = '55P03';

/** Another session has kept a lock for longer than we wait; the message names it. */
export class LockTaken extends UserError {
  readonly code = NO_LOCK;
}

export interface LockRequest {
  /** Name of what is locked, as the subject of a sentence: "the price book". */
  readonly of: string;
  readonly waitMs: number;
  /** Shares the lock with others that also set this. */
  readonly isShared?: boolean;
}

/** SQL: names a holder for people. `a` is a row of pg_stat_activity. */
const HOLDER = `format('the role %s (%s, process %s of the server%s)', coalesce(a.usename, 'unknown'),
  coalesce(nullif(a.application_name, ''), 'a program without a name'), a.pid,
  ', in a transaction since ' || to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`;

/** Most holders named in a message. */
const MOST_NAMED = 3;

/**
 * Takes an advisory lock until the transaction ends. Afterwards `lock_timeout` is 0: the transaction waits for other locks
 * without limit.
 * @param key SQL: an integer
 * @throws LockTaken
 */
export async function takeLock(query: Query, key: string, request: LockRequest): Promise<void> {
  const take = `advisory_xact_lock${request.isShared ? '_shared' : ''}(${key})`;
  const [row] = await query<{ won: boolean }>(`SELECT pg_try_${take} AS won`);
  if (row?.won) return;
  // Read before waiting: a transaction whose wait has failed answers no queries.
  const holders = await findLockHolders(query, key);
  await query(`SET LOCAL lock_timeout = ${request.waitMs}`);
  try {
    await query(`SELECT pg_${take}`);
  } catch (error) {
    throw codeOf(error) === NO_LOCK ? lockTaken(request.of, holders, error) : error;
  }
  await query('SET LOCAL lock_timeout = 0');
}

/**
 * Holds an advisory lock during work of many transactions; it ends with the session.
 * @param key SQL: an integer
 * @param of what is locked, see {@link LockRequest}
 * @throws LockTaken at once, if another session holds it
 */
export function withLock<T>(
  dataSource: Database,
  key: string,
  of: string,
  work: () => Promise<T>,
): Promise<T> {
  return onConnection(dataSource, async (query) => {
    const [row] = await query<{ won: boolean }>(`SELECT pg_try_advisory_lock(${key}) AS won`);
    if (!row?.won) throw lockTaken(of, await findLockHolders(query, key));
    try {
      return await work();
    } finally {
      // A session that is gone holds nothing.
      await query(`SELECT pg_advisory_unlock(${key})`).catch(() => undefined);
    }
  });
}

export function lockTaken(of: string, holders: string, cause?: unknown): LockTaken {
  return new LockTaken(
    `${of[0]?.toUpperCase()}${of.slice(1)} is held by ${holders}.`,
    'Wait until that has ended, or end it: SELECT pg_terminate_backend(PROCESS).',
    1,
    { cause },
  );
}

/** Names the holders of an advisory lock of this database. */
export function findLockHolders(query: Query, key: string): Promise<string> {
  return nameHolders(
    query,
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND ((classid::bigint << 32) | objid::bigint) = (${key})::bigint`,
  );
}

/** Names sessions that have used tables of this database in a transaction open for more than 3 s. */
export function findTableHolders(query: Query): Promise<string> {
  return nameHolders(
    query,
    // `xact_start` is null for roles that may not see it; such a transaction may be old.
    `SELECT l.pid FROM pg_locks l JOIN pg_stat_activity s USING (pid)
      WHERE l.locktype = 'relation' AND l.granted AND l.relation >= 16384 AND s.datname = current_database()
        AND coalesce(s.xact_start < now() - interval '3 s', true)`,
  );
}

async function nameHolders(query: Query, pids: string): Promise<string> {
  const rows = await query<{ holder: string }>(
    `SELECT ${HOLDER} AS holder FROM pg_stat_activity a
      WHERE a.pid IN (${pids}) AND a.pid <> pg_backend_pid() ORDER BY a.xact_start LIMIT ${MOST_NAMED}`,
  );
  return rows.map(({ holder }) => holder).join(' and ') || 'a session that has ended meanwhile';
}
