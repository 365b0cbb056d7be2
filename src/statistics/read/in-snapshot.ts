import type { DataSource } from 'typeorm';
import { onConnection, type Query } from '../../platform/sql.js';

/**
 * Runs `read` in one read-only transaction that sees one state of the database throughout, so that all figures of a
 * report belong together. The statements run for 30 s at most (as any, see createDataSource).
 */
export function inSnapshot<T>(dataSource: DataSource, read: (query: Query) => Promise<T>): Promise<T> {
  return onConnection(dataSource, async (query) => {
    await query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    try {
      // Compiling costs more than any of these statements, whose cost the planner takes to be far higher than it is.
      await query('SET LOCAL jit = off');
      return await read(query);
    } finally {
      await query('ROLLBACK').catch(() => undefined);
    }
  });
}
