import type { Clock } from '../../platform/clock.js';
import { codeOf } from '../../platform/errors.js';
import { findTableHolders, LockTaken, lockTaken, NO_LOCK, takeLock } from '../../platform/locks.js';
import { type Database, inTransaction, onConnection, type Query } from '../../platform/sql.js';
import { readLiveSchema } from './rebuild-schema.js';
import { createView, dropDependentViews, getGrants, getTriggers } from './dependent-views.js';

/**
 * Key of a transaction-level advisory lock. Jobs that write the tables for long take it shared; a swap takes it exclusively
 * before any table. Without it, a swap could wait forever among roll-ups that never release the tables all at once. Each
 * schema has its own lock, so a roll-up of tables in a rebuild blocks no swap.
 */
export const SWAP_LOCK = "hashtext('hindsight swap ' || current_schema())";

/** Only roll-ups wait for the swap during this time. */
const SWAP_LOCK_WAIT_MS = 60_000;
/** Longer than the wait for the lock, so that the lock's own limit ends the wait, which is then retried. */
const STATEMENT_TIMEOUT = '90s';

/**
 * Readers queue behind a swap that waits for a table, so it gives way soon. The limit is below the second after which the
 * server looks for deadlocks, so the server never cancels a reader.
 */
const TABLE_LOCK_TIMEOUT = '200ms';

const PAUSE_MS = { first: 250, longest: 5_000 };
const TRIES = 150;

/** SQLSTATEs of locks that could not be taken: a timeout, or a deadlock. */
const LOST_RACES = new Set([NO_LOCK, '40P01']);

export interface Swap {
  readonly schema: string;
  readonly tables: readonly string[];
  readonly projections: readonly string[];
  /** Quickly brings the new tables close to the end of the log, while no table is locked. */
  approach(): Promise<void>;
  /** Brings the new tables to at least this position, while the live projections are paused. */
  reach(position: bigint): Promise<void>;
}

/**
 * Replaces the live tables by the rebuilt ones in one short transaction, with their checkpoints and dead letters. Grants
 * and dependent views are carried over.
 *
 * @throws LockTaken when the locks are unavailable for minutes
 */
export async function swapTables(
  dataSource: Database,
  clock: Clock,
  swap: Swap,
  signal: AbortSignal,
): Promise<void> {
  let pauseMs = PAUSE_MS.first;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await inTransaction(dataSource, (query) => trySwap(query, swap));
    } catch (error) {
      if (!LOST_RACES.has(codeOf(error) ?? '')) throw error;
      if (attempt === TRIES) throw await nameHolders(dataSource, error);
      await clock.sleep(pauseMs, signal);
      signal.throwIfAborted();
      pauseMs = Math.min(pauseMs * 2, PAUSE_MS.longest);
    }
  }
}

async function nameHolders(dataSource: Database, error: unknown): Promise<LockTaken> {
  if (error instanceof LockTaken) return error;
  return lockTaken('a table that is to be replaced', await onConnection(dataSource, findTableHolders), error);
}

async function trySwap(query: Query, swap: Swap): Promise<void> {
  await query(`SET LOCAL statement_timeout = '${STATEMENT_TIMEOUT}'`);
  await query("SET LOCAL idle_in_transaction_session_timeout = '10min'");
  await takeLock(query, SWAP_LOCK, { of: 'the set of read models', waitMs: SWAP_LOCK_WAIT_MS });
  await swap.approach();
  await query(`SET LOCAL lock_timeout = '${TABLE_LOCK_TIMEOUT}'`);
  // From here on the live projections wait at their checkpoints, so that the new tables can catch up with them.
  const live = await query<{ position: bigint }>(
    'SELECT position FROM projection_checkpoint WHERE name = ANY ($1) ORDER BY name FOR UPDATE',
    [swap.projections],
  );
  await swap.reach(live.reduce((most, { position }) => (position > most ? position : most), 0n));
  await query(`LOCK TABLE ${swap.tables.map((table) => `"${table}"`).join(', ')} IN ACCESS EXCLUSIVE MODE`);
  const schema = await readLiveSchema(query);
  const views = await dropDependentViews(query, swap.tables);
  const triggers = await getTriggers(query, swap.tables);
  for (const table of swap.tables) {
    const grants = await getGrants(query, table);
    await query(`DROP TABLE "${table}"`);
    await query(`ALTER TABLE "${swap.schema}"."${table}" SET SCHEMA "${schema}"`);
    for (const grant of grants) await query(grant);
  }
  for (const view of views) await createView(query, view);
  await moveBookkeeping(query, swap);
  // In the same transaction: the rest of the schema has lost its tables, so no rebuild may continue from it.
  await query(`DROP SCHEMA "${swap.schema}" CASCADE`);
  // The new tables' own triggers called functions of that schema and were dropped with it.
  for (const trigger of triggers) await query(trigger);
}

/** A checkpoint row cannot change its version, so the rows are replaced. */
async function moveBookkeeping(query: Query, { schema, projections }: Swap): Promise<void> {
  await query('DELETE FROM projection_checkpoint WHERE name = ANY ($1)', [projections]);
  await query(
    `INSERT INTO projection_checkpoint (name, position, version, excluded)
     SELECT name, position, version, excluded FROM "${schema}".projection_checkpoint`,
  );
  await query('DELETE FROM projection_fault WHERE projection = ANY ($1)', [projections]);
  await query(
    `INSERT INTO projection_fault (projection, position, version, stream, type, error, since)
     SELECT projection, position, version, stream, type, error, since FROM "${schema}".projection_fault`,
  );
}
