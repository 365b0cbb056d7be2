import { repeatOnce } from './lost-statements.js';
import { type Database, onConnection, type Query } from './sql.js';

/**
 * Runs `read` in one read-only transaction that sees one state of the database throughout, so that all figures of a report fit
 * together. Each statement has the timeout of its pool.
 *
 * @param read runs a second time, in another transaction, if the first lost against a write or lost a kept plan: it must have no
 * effects of its own
 */
export function inSnapshot<T>(source: Database, read: (query: Query) => Promise<T>): Promise<T> {
  return repeatOnce(() => inOneSnapshot(source, read));
}

/** Like {@link inSnapshot}, for a `read` that has effects and must not run a second time. */
export function inOneSnapshot<T>(source: Database, read: (query: Query) => Promise<T>): Promise<T> {
  return onConnection(source, async (query) => {
    // The planner does not know how many rows the lists of owners and pieces lead to. Compiling would cost more than any of
    // these statements. Sorting many wide rows would cost far more than adding them up in a table of few groups.
    try {
      await query(
        'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL jit = off; SET LOCAL enable_sort = off',
      );
      return await read(query);
    } finally {
      await query('ROLLBACK').catch(() => undefined);
    }
  });
}
