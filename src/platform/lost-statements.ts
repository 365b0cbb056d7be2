import { codeOf } from './errors.js';

/** SQLSTATEs: a deadlock, a row changed in the meantime, or replay on a replica. */
const LOST_RACES = new Set(['40P01', '40001']);

/** SQLSTATE when a kept plan no longer fits the tables. */
const CHANGED_TABLES = '0A000';
/** SQLSTATEs when the server does not know the name of a plan, or has it already: a pooler in between changes connections. */
const OTHER_SESSION = new Set(['26000', '42P05']);

/** Whether a statement failed only because of a concurrent transaction. It had no effect. */
export function hasLostRace(error: unknown): boolean {
  return LOST_RACES.has(codeOf(error) ?? '');
}

/** Why a statement failed because of its kept plan alone; undefined for other errors. */
export function lostPlan(error: unknown): 'CHANGED_TABLES' | 'OTHER_SESSION' | undefined {
  const code = codeOf(error) ?? '';
  if (code === CHANGED_TABLES) return 'CHANGED_TABLES';
  return OTHER_SESSION.has(code) ? 'OTHER_SESSION' : undefined;
}

/**
 * Runs a statement, or a transaction with all of its statements, and once more if it lost against another transaction or lost a kept
 * plan.
 */
export async function repeatOnce<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!hasLostRace(error) && lostPlan(error) === undefined) throw error;
    return run();
  }
}
