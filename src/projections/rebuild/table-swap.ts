import type { Clock } from '../../platform/clock.js';
import { codeOf } from '../../platform/errors.js';
import { findTableHolders, LockTaken, lockTaken, NO_LOCK, takeLock } from '../../platform/locks.js';
import { type Database, inTransaction, onConnection, type Query } from '../../platform/sql.js';
import { readLiveSchema } from './rebuild-schema.js';
import { createView, dropDependentViews, getGrants, getTriggers } from './dependent-views.js';

/**
 * Key of an advisory lock (of a transaction). Whoever writes the tables for long takes it shared; a swap takes it
 * before any table. So a swap need not wait in between roll-ups that never let go of the tables all at once. Each
 * schema has its own: a roll-up of tables that are being rebuilt is nobody's business.
 */
export const SWAP_LOCK = "hashtext('hindsight swap ' || current_schema())";

/** Nobody but roll-ups waits for the swap meanwhile. */
const SWAP_LOCK_WAIT_MS = 60_000;
/** The wait for the lock ends by its own limit, which is tried again, and not by this one. */
const STATEMENT_TIMEOUT = '90s';

/**
 * Readers wait behind a swap that waits for a table, so it gives way soon. It always does so before the second after
 * which the server looks for deadlocks. So it is never a reader who is sent away.
 */
const TABLE_LOCK_TIMEOUT = '200ms';

const PAUSE_MS = { first: 250, longest: 5_000 };
const TRIES = 150;

/** Locks that were not to be had, in time or at all. */
const LOST_RACES = new Set([NO_LOCK, '40P01']);

/** What is put in the place of the live tables. */
export interface Swap {
  readonly schema: string;
  readonly tables: readonly string[];
  /** Names of the projections that write the tables. */
  readonly projections: readonly string[];
  /** Brings the new tables to the end of the log as far as that is quickly done; nothing is held meanwhile. */
  approach(): Promise<void>;
  /** Brings the new tables to at least this position; the live projections stand still meanwhile. */
  reach(position: bigint): Promise<void>;
}

/**
 * Puts rebuilt tables in the place of the live ones, all in one short transaction, with their checkpoints and faults.
 * Grants and dependent views are carried over.
 * @throws LockTaken when the locks are not to be had for minutes
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
  // The live projections wait at their checkpoints from here on, so that the new tables can catch up with them.
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
  // In the same transaction: what is left of the schema has no tables of its own any more, and must not be gone on with.
  await query(`DROP SCHEMA "${swap.schema}" CASCADE`);
  // The tables' own called functions of that schema, and went with it.
  for (const trigger of triggers) await query(trigger);
}

/** Rows of a checkpoint keep their version for life, so they are made anew. */
async function moveBookkeeping(query: Query, { schema, projections }: Swap): Promise<void> {
  await query('DELETE FROM projection_checkpoint WHERE name = ANY ($1)', [projections]);
  await query(
    `INSERT INTO projection_checkpoint (name, position, version)
     SELECT name, position, version FROM "${schema}".projection_checkpoint`,
  );
  await query('DELETE FROM projection_fault WHERE projection = ANY ($1)', [projections]);
  await query(
    `INSERT INTO projection_fault (projection, position, version, stream, type, error, since)
     SELECT projection, position, version, stream, type, error, since FROM "${schema}".projection_fault`,
  );
}
