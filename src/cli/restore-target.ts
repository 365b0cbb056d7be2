import type { DatabasePool } from '../platform/database.js';
import { UserError } from '../platform/errors.js';
import { runMigrations } from '../platform/migrations.js';
import { isServiceAtWork } from '../projections/rebuild/service-at-work.js';

/** Migrates a database that a log is written into. @throws UserError if a service runs on it */
export async function prepareTarget(dataSource: DatabasePool): Promise<void> {
  if (await isServiceAtWork(dataSource)) {
    throw new UserError('A service is running on this database.', 'Stop the service, or use a new database.');
  }
  await runMigrations(dataSource);
}
