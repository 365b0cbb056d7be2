/** Runs one statement and returns its rows (none for a statement without a result). */
export type Query = <Row = Record<string, unknown>>(
  sql: string,
  parameters?: readonly unknown[],
) => Promise<Row[]>;

/**
 * Runs single statements and lends connections. Stages that inject this class get the pool that writes; {@link onConnection} and
 * {@link inTransaction} take one connection of it.
 */
export abstract class Database {
  abstract query<Rows>(sql: string, parameters?: unknown[]): Promise<Rows>;
  /** The runner takes a connection at its first statement, and keeps it until it is released. */
  abstract createQueryRunner(): StatementRunner;
}

/** Runs single statements; a {@link Database}, or one connection of it. */
export type QuerySource = Pick<Database, 'query'>;

/** One connection of a {@link Database}. */
export interface StatementRunner {
  query(sql: string, parameters: unknown[], structured: true): Promise<{ readonly records?: unknown }>;
  release(): Promise<void>;
}

/**
 * Runs `work` on one connection in a read-committed transaction: commits when it resolves, rolls back when it rejects.
 */
export function inTransaction<T>(dataSource: Database, work: (query: Query) => Promise<T>): Promise<T> {
  return onConnection(dataSource, async (query) => {
    await query('BEGIN ISOLATION LEVEL READ COMMITTED');
    try {
      const result = await work(query);
      await query('COMMIT');
      return result;
    } catch (error) {
      // A connection that died has rolled back already, and its own error is the one to report.
      await query('ROLLBACK').catch(() => undefined);
      throw error;
    }
  });
}

/**
 * Begins a statement whose plan fits all values of its parameters: the database may plan it once for each connection, since
 * making the plan takes longer than running it. Not for a range of a table that is a minute for one caller and a year for another,
 * unless the statement forces one way to read it, as `storedRows` of reports does by OFFSET 0.
 */
export const ONE_PLAN = '/* one plan */';

/** Runs `work` on one connection, for what belongs to a session: advisory locks, `SET`. */
export async function onConnection<T>(source: Database, work: (query: Query) => Promise<T>): Promise<T> {
  const runner = source.createQueryRunner();
  try {
    return await work(async <Row>(sql: string, parameters: readonly unknown[] = []) => {
      // Structured, because the plain form answers differently for an UPDATE … RETURNING than for a SELECT.
      const result = await runner.query(sql, [...parameters], true);
      return (result.records ?? []) as Row[];
    });
  } finally {
    await runner.release();
  }
}

/** Adapts one connection to code that runs single statements. */
export function toSource(query: Query): QuerySource {
  return {
    query: <Rows>(sql: string, parameters: unknown[] = []) => query(sql, parameters) as Promise<Rows>,
  };
}
