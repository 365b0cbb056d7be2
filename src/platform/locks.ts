import { codeOf, UserError } from './errors.js';
import type { Query } from './sql.js';

/** Lock not available: it was not to be had in time. */
export const NO_LOCK = '55P03';

/** Somebody else has held a lock for longer than we wait; the message says who. */
export class LockTaken extends UserError {
  readonly code = NO_LOCK;
}

/** How a lock is waited for. */
export interface LockWish {
  /** As the subject of a sentence: "the price book". */
  readonly of: string;
  readonly waitMs: number;
  /** Together with others who say so. */
  readonly isShared?: boolean;
}

/** Who holds it, in words for people. `l` is a row of pg_locks, `a` one of pg_stat_activity. */
const HOLDER = `format('the role %s (%s, process %s of the server%s)', coalesce(a.usename, 'unknown'),
  coalesce(nullif(a.application_name, ''), 'a program without a name'), a.pid,
  ', in a transaction since ' || to_char(a.xact_start AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'))`;

/** Holders that are named at most. */
const MOST_NAMED = 3;

/**
 * Takes an advisory lock until the transaction ends. Afterwards the transaction waits for other locks as long as it likes.
 * @param key SQL: an integer
 * @throws LockTaken
 */
export async function takeLock(query: Query, key: string, wish: LockWish): Promise<void> {
  const take = `advisory_xact_lock${wish.isShared ? '_shared' : ''}(${key})`;
  const [row] = await query<{ won: boolean }>(`SELECT pg_try_${take} AS won`);
  if (row?.won) return;
  // Asked before we wait: a transaction whose wait has failed answers nothing.
  const holders = await findLockHolders(query, key);
  await query(`SET LOCAL lock_timeout = ${wish.waitMs}`);
  try {
    await query(`SELECT pg_${take}`);
  } catch (error) {
    throw codeOf(error) === NO_LOCK ? lockTaken(wish.of, holders, error) : error;
  }
  await query('SET LOCAL lock_timeout = 0');
}

/** The error for what others hold. */
export function lockTaken(of: string, holders: string, cause?: unknown): LockTaken {
  return new LockTaken(
    `${of[0]?.toUpperCase()}${of.slice(1)} is held by ${holders}.`,
    'Wait until that has ended, or end it: SELECT pg_terminate_backend(PROCESS).',
    1,
    { cause },
  );
}

/** Who holds an advisory lock of this database. */
export function findLockHolders(query: Query, key: string): Promise<string> {
  return nameHolders(
    query,
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND ((classid::bigint << 32) | objid::bigint) = (${key})::bigint`,
  );
}

/** Who has used tables of this database for longer than a few seconds, in a transaction that is open. */
export function findTableHolders(query: Query): Promise<string> {
  return nameHolders(
    query,
    // Roles that may not see it are not told since when: it may be long.
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
