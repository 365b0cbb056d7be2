import type { Database } from '../../../platform/sql.js';
import type { DecisionTurnEntity } from '../../../tables/record/decision-turn.entity.js';

/** The oldest event whose consequences are not all decided yet, and how far that has come. */
export interface TurnsLeft extends Pick<DecisionTurnEntity, 'position' | 'done' | 'chain'> {
  /** Turns that are left, with the one under way; `done` counts the rows or DA heights of that one. */
  readonly turns: number;
}

/** SQL: the chains of which something is left to be decided, with the turns that are left and since when. */
export const UNDECIDED_CHAINS = `
  SELECT chain, count(*)::int AS steps, min(at) AS since FROM decision_turn GROUP BY chain`;

/** Undefined: all is decided. */
export async function findTurnsLeft(database: Pick<Database, 'query'>): Promise<TurnsLeft | undefined> {
  const [turn] = await database.query<TurnsLeft[]>(
    `SELECT position, done, chain, (SELECT count(*)::int FROM decision_turn) AS turns
       FROM decision_turn ORDER BY turn_key LIMIT 1`,
  );
  return turn;
}
