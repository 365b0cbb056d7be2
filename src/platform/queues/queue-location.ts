import { createHash } from 'node:crypto';
import type { Database } from '../sql.js';

/** The only queue; a job's name selects its handler. */
export const QUEUE_NAME = 'hindsight';

/**
 * Where the queue lives: in the database, in a schema of its own, or in a Redis. The URL holds a password: print it
 * only through `redactUrl`.
 */
export type QueueLocation =
  | { readonly backend: 'postgres'; readonly url: string }
  | { readonly backend: 'redis'; readonly url: string; readonly prefix: string };

/** The queue of a database: in Redis if a URL is given, otherwise in the database itself. */
export async function findQueueLocation(
  dataSource: Pick<Database, 'query'>,
  urls: { readonly databaseUrl: string; readonly redisUrl: string | undefined },
): Promise<QueueLocation> {
  if (urls.redisUrl === undefined) return { backend: 'postgres', url: urls.databaseUrl };
  return { backend: 'redis', url: urls.redisUrl, prefix: `hindsight:${await identify(dataSource)}` };
}

/** Two Hindsights may share a Redis by accident; then neither may take the jobs of the other. */
async function identify(dataSource: Pick<Database, 'query'>): Promise<string> {
  const [database] = await dataSource.query<{ name: string; oid: string }[]>(
    'SELECT datname AS name, oid::text AS oid FROM pg_database WHERE datname = current_database()',
  );
  // Some providers deny this function to ordinary accounts.
  const [server] = await dataSource
    .query<{ id: string }[]>('SELECT system_identifier::text AS id FROM pg_control_system()')
    .catch(() => []);
  return createHash('sha256')
    .update(JSON.stringify([server?.id, database?.name, database?.oid]))
    .digest('hex')
    .slice(0, 12);
}
