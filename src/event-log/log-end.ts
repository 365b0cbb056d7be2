import { UserError } from '../platform/errors.js';
import type { Database, Query } from '../platform/sql.js';

/**
 * Locks the end of the log, which blocks all other appends until the transaction ends.
 * @throws UserError for a log that is not empty
 */
export async function requireEmpty(query: Query): Promise<void> {
  const [end] = await query<{ position: bigint }>('SELECT position FROM log_head FOR UPDATE');
  if (!end) throw unfinishedRestore();
  const heads = await query('SELECT FROM stream_head LIMIT 1');
  if (end.position === 0n && heads.length === 0) return;
  throw new UserError(
    `The log of this database is not empty: it has ${end.position} events.`,
    'Use a new database: give another --data-dir, or the address of an empty one.',
  );
}

/**
 * While a restore is not finished, its log has events and no end, so that nothing can be appended to it.
 * @throws UserError
 */
export async function requireWholeLog(dataSource: Database): Promise<void> {
  const ends = await dataSource.query<unknown[]>('SELECT FROM log_head');
  if (ends.length === 0) throw unfinishedRestore();
}

function unfinishedRestore(): UserError {
  return new UserError(
    'This database has a part of a record: restoring a backup into it was not finished.',
    'Run `hindsight restore DIR` again, which continues; or use another database.',
  );
}
