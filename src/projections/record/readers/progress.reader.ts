import type { Database } from '../../../platform/sql.js';
import type { DecisionTurnEntity } from '../../../tables/record.entities.js';

/** The oldest event with undecided consequences, and the progress of its decisions. */
export interface TasksLeft extends Pick<DecisionTurnEntity, 'position' | 'done' | 'chain'> {
  /** Deferred tasks that are left, including the one in progress; `done` counts that task's rows or DA heights. */
  readonly turns: number;
}

/** SQL: the chains with deferred decisions, with the number of tasks that are left and since when. */
export const UNDECIDED_CHAINS = `
  SELECT chain, count(*)::int AS steps, min(at) AS since FROM decision_turn GROUP BY chain`;

/** Undefined if everything is decided. */
export async function findTasksLeft(database: Pick<Database, 'query'>): Promise<TasksLeft | undefined> {
  const [turn] = await database.query<TasksLeft[]>(
    `SELECT position, done, chain, (SELECT count(*)::int FROM decision_turn) AS turns
       FROM decision_turn ORDER BY turn_key LIMIT 1`,
  );
  return turn;
}
