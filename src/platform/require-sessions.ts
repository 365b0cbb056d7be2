import { UserError } from './errors.js';
import { type Database, onConnection, type Query } from './sql.js';

/** Each round detects a pooler that changes a session's server process: always, in rotation, or because its own is taken. */
const ROUNDS = 3;

/**
 * Verifies that a connection keeps its server process, with its settings and locks, from one transaction to the next. A pooler in
 * transaction mode gives each transaction another process.
 *
 * @param dataSource a pool of two connections or more
 * @throws UserError when it does not
 */
export async function requireSessions(dataSource: Database): Promise<void> {
  const isKept = await onConnection(dataSource, (query) =>
    onConnection(dataSource, (other) => keepsItsProcess(query, other)),
  );
  if (isKept) return;
  throw new UserError(
    'A pooler in front of the database gives each transaction another session: locks and settings would be lost.',
    'Give the address of the server itself, or of a pooler in session mode (pool_mode = session in PgBouncer).',
  );
}

async function keepsItsProcess(query: Query, other: Query): Promise<boolean> {
  const processes = new Set<number>();
  const look = async (): Promise<void> => {
    const [row] = await query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    processes.add(row?.pid ?? 0);
  };
  for (let round = 0; round < ROUNDS && processes.size < 2; round += 1) {
    await look();
    await other('BEGIN');
    // This takes a server process, perhaps the one that was just given back.
    await other('SELECT');
    await look();
    await other('COMMIT');
  }
  return processes.size === 1;
}
